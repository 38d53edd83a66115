package evaluate_test

import (
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"atelier/agent/planner/llm/llmtest"
	"atelier/agent/planner/llm/replay"
	"atelier/bot/bottest"
	"atelier/bot/clitest"
	"atelier/bot/fault"
)

// TestEvalModel checks that a model's plans are judged and its answers kept, and that the kept answers give the
// same figures without a server or a key. The figures of the rules for the same requests are beside them.
func TestEvalModel(t *testing.T) {
	t.Parallel()
	dir, files := clitest.GreyBenchmark(t)
	kept := filepath.Join(dir, "answers")
	server := llmtest.New(t, llmtest.Config{Answer: clitest.English().Respond, Key: "sk-1"})
	env := clitest.ModelEnv(server, "OPENAI_API_KEY=sk-1")
	first := clitest.EvalJSON(t, env, append([]string{"--planner", "llm", "--parallel", "3", "--record", kept, "--answers"}, files...)...)
	if first.Planner != "test-model" || first.Requests != 4 || first.Solved.All != 0.75 || first.Answers.Asked != 3 || first.Answers.Good != 3 {
		t.Errorf("%+v %+v %+v", first, first.Report, first.Answers)
	}
	if th := first.Thinking; th == nil || th.MostCalls != 4 || th.Repairs != 0 || len(th.Jobs) != 4 || th.Jobs[0].Requests != 4 || th.Tokens.Input == 0 {
		t.Errorf("%+v", first.Thinking)
	}
	asked := len(server.Requests())

	again := clitest.EvalJSON(t, nil, append([]string{"--replay", kept, "--answers"}, files...)...)
	if again.Solved.All != first.Solved.All || again.Answers.Good != first.Answers.Good || again.Answers.Asked != first.Answers.Asked || again.Thinking.Tokens != first.Thinking.Tokens {
		t.Errorf("another outcome: %+v, %+v", again.Report, again.Answers)
	}
	if r := again.Recorded; r == nil || r.Model != "test-model" || !r.Current || r.Stale != 0 || again.Planner != "test-model" {
		t.Errorf("recorded: %+v", again.Recorded)
	}
	if len(server.Requests()) != asked {
		t.Error("the server was asked again")
	}
	some := clitest.EvalJSON(t, nil, append([]string{"--replay", kept, "--planner", "rules", "--ids", "grey-1,edges-4"}, files...)...)
	if some.Planner != "rules" || some.Requests != 2 || some.Thinking != nil || some.Recorded != nil {
		t.Errorf("the rules: %+v %+v", some, some.Report)
	}
	both := clitest.EvalJSON(t, nil, append([]string{"--replay", kept, "--ids", "grey-1", "--ids", "grey-2,edges-4"}, files...)...)
	if both.Requests != 3 {
		t.Errorf("%d requests of three ids", both.Requests)
	}
	if quiet := clitest.EvalJSON(t, env, files...); quiet.Planner != "rules" || len(server.Requests()) != asked {
		t.Errorf("unasked for, %s made the plans", quiet.Planner)
	}
}

// TestEvalTellsByWhat checks that one line says what the answers were recorded with, and what has changed since.
func TestEvalTellsByWhat(t *testing.T) {
	t.Parallel()
	dir, files := clitest.GreyBenchmark(t)
	kept := filepath.Join(dir, "answers")
	server := llmtest.New(t, llmtest.Config{Answer: clitest.English().Respond})
	eval := func(args ...string) string {
		status, stdout, stderr := clitest.Called{Env: clitest.ModelEnv(server), Args: slices.Concat([]string{"eval"}, args, files)}.Run(t)
		if status != fault.StatusDone {
			t.Fatalf("%v: status %d: %s", args, status, stderr)
		}
		line, _, _ := strings.Cut(stdout, "\n")
		return line
	}
	for _, c := range []struct{ got, want string }{
		{eval(), "Planned by the rules."},
		{eval("--planner", "llm"), "Planned by test-model."},
		{eval("--planner", "auto"), "Planned by test-model."},
		{eval("--planner", "llm", "--record", kept, "--ids", "grey-1,grey-2"), "Planned by test-model, with the answers recorded in " + kept + "."},
		{eval("--planner", "rules", "--replay", kept), "Planned by the rules: the requests that are recorded in " + kept + "."},
	} {
		if c.got != c.want {
			t.Errorf("%q, not %q", c.got, c.want)
		}
	}
	line := eval("--replay", kept, "--planner", "auto")
	if !strings.HasPrefix(line, "Planned with recorded answers of test-model (prompts: assess ") ||
		!strings.HasSuffix(line, ". Prompts and catalogue are unchanged.") {
		t.Error(line)
	}

	// Change a sentence of the catalogue, of a prompt, and of a question.
	recordings, err := replay.Open(kept)
	if err != nil {
		t.Fatal(err)
	}
	about, err := recordings.About()
	if err != nil {
		t.Fatal(err)
	}
	about.Catalogue, about.Prompts["settle"] = "00000000", "00000000"
	if err := recordings.SetAbout(about); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(kept, "grey-1.json")
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	bottest.Write(t, path, strings.Replace(string(b), `"messages": "sha256:`, `"messages": "sha256:0`, 1))
	line = eval("--replay", kept)
	if !strings.Contains(line, "catalogue 00000000). Changed since: the prompt settle, the catalogue; 1 answer to prompts that have changed.") {
		t.Error(line)
	}
}

// TestProgressOfEval checks that a terminal shows the progress of a measurement.
func TestProgressOfEval(t *testing.T) {
	t.Parallel()
	_, files := clitest.GreyBenchmark(t)
	waits := &bottest.Seen{What: "(0 of 4 done)", Came: make(chan struct{})}
	server := llmtest.New(t, llmtest.Config{Answer: func(r llmtest.Request) llmtest.Response {
		<-waits.Came
		return clitest.English().Respond(r)
	}})
	status, _, stderr := clitest.Called{
		Env: clitest.ModelEnv(server), Args: append([]string{"eval", "--planner", "llm"}, files...),
		Terminal: func(io.Writer) (int, bool) { return 60, true }, Stderr: waits,
	}.Run(t)
	if above, last := bottest.Screen(stderr); status != fault.StatusDone || above+last != "" {
		t.Errorf("status %d: above %q, last %q", status, above, last)
	}
}

// TestEvalModelFaults checks the errors for measurements that cannot be made.
func TestEvalModelFaults(t *testing.T) {
	t.Parallel()
	dir, files := clitest.GreyBenchmark(t)
	kept, empty := filepath.Join(dir, "answers"), filepath.Join(dir, "empty")
	server := llmtest.New(t, llmtest.Config{Answer: func(r llmtest.Request) llmtest.Response {
		if r.ID == "grey-2" {
			return llmtest.Response{Status: http.StatusUnauthorized}
		}
		return clitest.English().Respond(r)
	}})
	clitest.EvalJSON(t, clitest.ModelEnv(server), append([]string{"--planner", "llm", "--record", kept, "--ids", "grey-1"}, files...)...)
	own := []string{} // Atelier's own benchmark
	for name, c := range map[string]struct {
		args   []string
		status int
		want   string
		files  []string
	}{
		"a wrong key ends it":       {[]string{"--planner", "llm"}, fault.StatusFailed, "key", files},
		"no model":                  {[]string{"--record", kept}, fault.StatusUsage, "Try: bot eval --planner llm --record ", files},
		"both":                      {[]string{"--record", kept, "--replay", kept}, fault.StatusUsage, "give one of them", files},
		"nothing there":             {[]string{"--replay", empty}, fault.StatusUsage, "No answers are recorded in ", files},
		"nothing of these":          {[]string{"--replay", kept, "--ids", "edges-4"}, fault.StatusUsage, "No request is recorded", files},
		"an unknown request":        {[]string{"--ids", "grey-1,grey-9"}, fault.StatusUsage, `Unknown request "grey-9".`, files},
		"none at a time":            {[]string{"--parallel", "0"}, fault.StatusUsage, "--parallel is 0: expected a number from 1 to 64", files},
		"another model's recording": {[]string{"--planner", "llm", "--record", kept, "--ids", "edges-4"}, fault.StatusUsage, "recorded with another model", files},
		"no ids":                    {[]string{"--ids", ""}, fault.StatusUsage, "--ids", files},
		"an empty id":               {[]string{"--ids", "grey-1,"}, fault.StatusUsage, "--ids", files},
		"no folder to record":       {[]string{"--planner", "llm", "--record", ""}, fault.StatusUsage, "--record", files},
		"no folder to replay":       {[]string{"--replay="}, fault.StatusUsage, "--replay", files},
		"no references":             {[]string{"--reference"}, fault.StatusUsage, "--reference needs a file", own},
		"prior knowledge left out":  {[]string{"--replay", kept, "--no-prior-knowledge"}, fault.StatusUsage, "were recorded with prior knowledge", files},
	} {
		env := append(clitest.ModelEnv(server), "OPENAI_MODEL=another-model")
		status, stdout, stderr := clitest.Called{Env: env, Args: slices.Concat([]string{"eval"}, c.args, c.files)}.Run(t)
		if status != c.status || !strings.Contains(stderr, c.want) || stdout != "" {
			t.Errorf("%s: status %d: %s%s", name, status, stdout, stderr)
		}
	}
	if len(server.Requests()) > 12 {
		t.Errorf("the server was asked %d times", len(server.Requests()))
	}
}
