package settle

import (
	"flag"
	"testing"

	"atelier/agent/planner/llm/llmtest"
	"atelier/agent/planner/llm/workshoptest"
)

var update = flag.Bool("update", false, "write the questions of this package into the golden files")

// atWorkshop returns a settler that knows the workshop and asks a server.
func atWorkshop(t *testing.T, answer func(llmtest.Request) llmtest.Response, change func(*workshoptest.Config)) (*Settler, *llmtest.Server) {
	t.Helper()
	s := llmtest.New(t, llmtest.Config{Answer: answer})
	return of(t, s, change), s
}

// unasked returns a settler without a server, for what needs no call.
func unasked(tb testing.TB) *Settler {
	tb.Helper()
	return of(tb, nil, nil)
}

func of(tb testing.TB, s *llmtest.Server, change func(*workshoptest.Config)) *Settler {
	tb.Helper()
	var c workshoptest.Config
	if change != nil {
		change(&c)
	}
	w := workshoptest.New(tb, s, c)
	job, err := New(Config{Catalogue: w.Catalogue, Exchange: w.Exchange})
	if err != nil {
		tb.Fatal(err)
	}
	return job
}
