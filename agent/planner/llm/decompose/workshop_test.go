package decompose

import (
	"flag"
	"testing"

	"atelier/agent/planner/llm/llmtest"
	"atelier/agent/planner/llm/workshoptest"
)

var update = flag.Bool("update", false, "write the questions of this package into the golden files")

// setup is the part of the configuration that tests change.
type setup struct {
	workshoptest.Config

	WithoutPrior bool
	Pictures     Pictures
}

// atWorkshop returns a decomposer that knows the workshop and asks a server.
func atWorkshop(t *testing.T, answer func(llmtest.Request) llmtest.Response, change func(*setup)) (*Decomposer, *llmtest.Server) {
	t.Helper()
	s := llmtest.New(t, llmtest.Config{Answer: answer})
	return of(t, s, change), s
}

// unasked returns a decomposer without a server, for what needs no call.
func unasked(tb testing.TB) *Decomposer {
	tb.Helper()
	return of(tb, nil, nil)
}

func of(tb testing.TB, s *llmtest.Server, change func(*setup)) *Decomposer {
	tb.Helper()
	var c setup
	if change != nil {
		change(&c)
	}
	w := workshoptest.New(tb, s, c.Config)
	job, err := New(Config{Catalogue: w.Catalogue, Index: w.Index, Exchange: w.Exchange, WithoutPrior: c.WithoutPrior, Pictures: c.Pictures})
	if err != nil {
		tb.Fatal(err)
	}
	return job
}
