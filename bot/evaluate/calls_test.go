package evaluate

import (
	"cmp"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"atelier/agent"
	"atelier/agent/endpoint"
	"atelier/agent/evaluate"
	"atelier/agent/planner/llm"
	"atelier/agent/planner/llm/llmtest"
	"atelier/agent/toolbox"
	"atelier/bot/bottest"
)

// BenchmarkCalls counts what ControlLLM's requests take of a language model, from the
// request to the answer. The model is a server that answers by script: it decomposes as
// the requests' own references do, scores as the rules do, and names what was
// made. Every plan is judged, and none may take more than four calls.
//
// Beside it stands ControlLLM's way of calling on the same plans: one call to decompose,
// one for each tool that is assessed, one for each solution that is ranked, one for each
// action with blanks, and one to answer; and the tokens that this would take with the
// same prompts, each of which is then sent anew with every call.
//
// The data lie in the folder that BENCH_DIR names, as seen from the root of the repository.
func BenchmarkCalls(b *testing.B) {
	folder := cmp.Or(os.Getenv("BENCH_DIR"), filepath.Join("..", "shared", "bench"))
	if !filepath.IsAbs(folder) {
		folder = filepath.Join("..", "..", folder)
	}
	if _, err := os.Stat(folder); errors.Is(err, fs.ErrNotExist) {
		b.Skip("ControlLLM's requests are not here: BENCH_DIR names the folder that holds them.")
	}
	cases, err := read(filepath.Join(folder, "controlllm-dev.json"), func(requests evaluate.Input) ([]evaluate.Case, error) {
		return read(filepath.Join(folder, "controlllm-dev-gold.jsonl"), func(gold evaluate.Input) ([]evaluate.Case, error) {
			return evaluate.ReadCases(requests, gold)
		})
	})
	if err != nil {
		b.Fatal(err)
	}
	for _, level := range []string{"all", "easy", "medium", "hard"} {
		b.Run(level, func(b *testing.B) {
			some := slices.DeleteFunc(slices.Clone(cases), func(c evaluate.Case) bool { return level != "all" && c.Level != level })
			var ours, theirs tally
			for b.Loop() {
				ours, theirs = countCalls(b, some)
			}
			ours.report(b, "")
			theirs.report(b, "controlllm-")
		})
	}
}

// countCalls plans and answers the cases.
func countCalls(b *testing.B, cases []evaluate.Case) (ours, theirs tally) {
	b.Helper()
	catalogue, err := bottest.Builtin()
	if err != nil {
		b.Fatal(err)
	}
	s := newScript(b, catalogue, cases)
	server := llmtest.New(b, llmtest.Config{Answer: s.answer})
	at, err := endpoint.New(endpoint.Config{BaseURL: server.URL()})
	if err != nil {
		b.Fatal(err)
	}
	model, err := llm.New(llm.Config{Catalogue: catalogue, Model: llm.Model{Endpoint: at, Name: "scripted"}})
	if err != nil {
		b.Fatal(err)
	}
	tools, err := toolbox.New(toolbox.Config{Catalogue: catalogue})
	if err != nil {
		b.Fatal(err)
	}
	atelier, err := agent.New(agent.Config{Planner: watched{model, s}, Toolbox: tools, AllTools: true})
	if err != nil {
		b.Fatal(err)
	}
	report, err := evaluate.Run(b.Context(), atelier, cases, evaluate.Options{Catalogue: catalogue, Respond: model.Respond, Failures: true})
	if err != nil {
		b.Fatal(err)
	}
	for _, m := range report.Misses {
		b.Logf("%s: %v", m.ID, m.Why)
	}
	b.ReportMetric(report.Solved.All, "solved")
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, c := range cases {
		used := s.used[c.ID]
		if used == nil {
			b.Fatalf("%s took no call", c.ID)
		}
		ours.add(used.calls, used.tokens)
		theirs.add(used.oneByOne())
		if used.calls > 4 {
			b.Errorf("%s took %d calls", c.ID, used.calls)
		}
	}
	return ours, theirs
}

// tally adds up the calls and tokens of requests.
type tally struct {
	calls, tokens []int
}

func (t *tally) add(calls, tokens int) {
	t.calls = append(t.calls, calls)
	t.tokens = append(t.tokens, tokens)
}

func (t *tally) report(b *testing.B, name string) {
	b.Helper()
	mean := func(list []int) float64 {
		sum := 0
		for _, n := range list {
			sum += n
		}
		return float64(sum) / float64(len(list))
	}
	b.ReportMetric(mean(t.calls), name+"calls/request")
	b.ReportMetric(float64(slices.Max(t.calls)), name+"calls-most")
	b.ReportMetric(mean(t.tokens), name+"tokens/request")
	b.ReportMetric(float64(slices.Max(t.tokens)), name+"tokens-most")
}
