package llmtest_test

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"atelier/agent/endpoint"
	"atelier/agent/planner/llm/llmtest"
	"atelier/agent/planner/llm/replay"
)

func open(t *testing.T, dir string) *replay.Recordings {
	t.Helper()
	r, err := replay.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// TestRecordAndReplay checks that another server can replay the recorded answers.
func TestRecordAndReplay(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	script := []llmtest.Response{
		{Text: "one"},
		{Status: http.StatusInternalServerError},
		{Text: "two", Finish: "length"},
		{Text: "half", Reset: true},
		{Refusal: "no", NoUsage: true},
		{Text: "x", Finish: "none", Usage: &replay.Usage{Input: 5, Cached: 4, Output: 3}},
	}
	type answer struct {
		Content, Refusal, Finish string
		Input, Cached, Output    int
		Failed                   bool
	}
	run := func(config llmtest.Config) []answer {
		c := client(t, llmtest.New(t, config).URL())
		var all []answer
		for i := range script {
			res, err := ask(endpoint.Label(t.Context(), "wish-2", "job", i), c, "hi")
			a := answer{Failed: err != nil}
			if err == nil {
				m := res.Choices[0].Message
				a.Content, a.Refusal, a.Finish = m.Content, m.Refusal, string(res.Choices[0].FinishReason)
				a.Input, a.Output = res.Usage.PromptTokens, res.Usage.CompletionTokens
				if d := res.Usage.PromptTokensDetails; d != nil {
					a.Cached = d.CachedTokens
				}
			}
			all = append(all, a)
		}
		return all
	}
	live := run(llmtest.Config{Answer: llmtest.InOrder(script...), Record: open(t, dir)})
	replayed := run(llmtest.Config{Answer: llmtest.FromRecordings(open(t, dir))})
	if diff := cmp.Diff(live, replayed); diff != "" {
		t.Error(diff)
	}
	if failed := slices.IndexFunc(live, func(a answer) bool { return a.Failed }); failed != 1 || live[5].Cached != 4 {
		t.Errorf("%+v", live)
	}
}

func TestNotRecorded(t *testing.T) {
	t.Parallel()
	s := llmtest.New(t, llmtest.Config{Answer: llmtest.FromRecordings(open(t, t.TempDir()))})
	status, answer := send(t, http.MethodPost, s.URL()+"/chat/completions", "application/json",
		`{"model":"m","messages":[{"role":"user","content":"hi"}]}`, "X-Client-Request-Id: r/j/0")
	if status != http.StatusNotFound || !strings.Contains(answer, `"code":"not_recorded"`) {
		t.Errorf("%d %s", status, answer)
	}
}

// TestUnwritable checks that a recording that cannot be written is reported.
func TestUnwritable(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "recordings")
	r := open(t, dir)
	if err := os.WriteFile(dir, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	w := &watched{TB: t}
	s := llmtest.New(w, llmtest.Config{Answer: fine, Record: r})
	if _, err := ask(endpoint.Label(t.Context(), "r", "j", 0), client(t, s.URL()), "hi"); err == nil {
		t.Error("the call was answered")
	}
	if errors := w.caught(); len(errors) != 1 || !strings.Contains(errors[0], "recordings") {
		t.Errorf("%q", errors)
	}
}

// TestConcurrentRecording checks concurrent calls, recorded by the server and by the client's transport.
func TestConcurrentRecording(t *testing.T) {
	t.Parallel()
	served, sent := open(t, t.TempDir()), open(t, t.TempDir())
	s := llmtest.New(t, llmtest.Config{
		Answer: func(r llmtest.Request) llmtest.Response { return llmtest.Response{Text: r.ID + r.User()} },
		Record: served,
	})
	transport := &http.Transport{}
	t.Cleanup(transport.CloseIdleConnections)
	e, err := endpoint.New(endpoint.Config{BaseURL: s.URL(), Transport: sent.Record(transport)})
	if err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	for i := range 24 {
		wg.Go(func() {
			id := fmt.Sprintf("r%d", i%6)
			res, err := ask(endpoint.Label(t.Context(), id, "j", i), e.Client(), strconv.Itoa(i))
			if err != nil || res.Choices[0].Message.Content != fmt.Sprint(id, i) {
				t.Errorf("%+v, %v", res, err)
			}
		})
	}
	wg.Wait()
	if len(s.Requests()) != 24 || len(s.Calls()) != 24 {
		t.Errorf("%d requests, %d calls", len(s.Requests()), len(s.Calls()))
	}
	for i := range 24 {
		id := fmt.Sprintf("r%d", i%6)
		a, ok := served.Answer(id, "j", i)
		b, also := sent.Answer(id, "j", i)
		if !ok || !also || !cmp.Equal(a, b) {
			t.Errorf("%s/j/%d: %s", id, i, cmp.Diff(a, b))
		}
	}
}
