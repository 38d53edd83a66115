package evaluate_test

import (
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"atelier/agent/planner/llm/llmtest"
	"atelier/bot/bottest"
	"atelier/bot/clitest"
	"atelier/bot/fault"
	"atelier/bot/settings"
	"atelier/bot/workshop"
)

// TestRecordIntoRecordings checks that answers never get the label of others, whether or not the later model is
// rejected, and that another catalogue, context or kind of prompt gets another label.
func TestRecordIntoRecordings(t *testing.T) {
	t.Parallel()
	dir, files := clitest.GreyBenchmark(t)
	kept := filepath.Join(dir, "answers")
	server := llmtest.New(t, llmtest.Config{Answer: clitest.English().Respond, Key: "sk-1"})
	env := clitest.ModelEnv(server, "OPENAI_API_KEY=sk-1")
	record := slices.Concat([]string{"--planner", "llm", "--record", kept}, files)
	clitest.EvalJSON(t, env, record...)
	own := t.TempDir()
	bottest.Write(t, filepath.Join(own, "paint_it_grey.yaml"), `{name: paint_it_grey, description: Paints a picture grey., domain: image-editing,
 origins: [atelier], when: For grey paint., examples: ["paint {photo.png} grey", "paint {it} grey", "grey paint on {a.png}"], args: [{name: image, type: image, about: the picture}], returns: image,
 backends: [{kind: native, run: greyscale_image, device: cpu}]}`)
	asked := len(server.Requests())
	for name, c := range map[string]struct{ env, args []string }{
		"another model":           {[]string{"OPENAI_MODEL=gpt-9"}, nil},
		"a refused model":         {[]string{"OPENAI_MODEL=gpt-9", "OPENAI_API_KEY=sk-2"}, nil},
		"a decomposer":            {[]string{"DECOMPOSER_MODEL=dd"}, nil},
		"another context":         {[]string{"OPENAI_CONTEXT=20000"}, nil},
		"without prior knowledge": {nil, []string{"--no-prior-knowledge"}},
		"another catalogue":       {[]string{"ATELIER_CATALOGUE=" + own}, nil},
	} {
		status, stdout, stderr := clitest.Called{Env: slices.Concat(env, c.env), Args: slices.Concat([]string{"eval"}, c.args, record)}.Run(t)
		if status != fault.StatusUsage || !strings.Contains(stderr, "Record into another folder.") {
			t.Errorf("%s: status %d: %s%s", name, status, stdout, stderr)
		}
	}
	if len(server.Requests()) != asked {
		t.Error("the server was asked before the folder was refused")
	}
	if again := clitest.EvalJSON(t, env, record...); again.Planner != "test-model" {
		t.Errorf("recorded again: %+v", again)
	}
	if r := clitest.EvalJSON(t, nil, append([]string{"--replay", kept}, files...)...).Recorded; r == nil || r.Model != "test-model" || !r.Current {
		t.Errorf("the label is %+v", r)
	}

	path := filepath.Join(kept, "grey-1.json")
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	bottest.Write(t, path, strings.ReplaceAll(string(b), `"model": "test-model"`, `"model": "gpt-9"`))
	status, _, stderr := clitest.Called{Args: slices.Concat([]string{"eval", "--replay", kept}, files)}.Run(t)
	if status != fault.StatusUsage || !strings.Contains(stderr, "are from the model gpt-9") {
		t.Errorf("mixed answers: status %d: %s", status, stderr)
	}
}

// TestReplayTakesItsSettings checks that answers are replayed with the settings of the recording, whatever is set,
// and that no server is called.
func TestReplayTakesItsSettings(t *testing.T) {
	t.Parallel()
	dir, files := clitest.GreyBenchmark(t)
	kept := filepath.Join(dir, "answers")
	server := llmtest.New(t, llmtest.Config{Answer: clitest.English().Respond})
	env := clitest.ModelEnv(server, "DECOMPOSER_MODEL=dd", "OPENAI_CONTEXT=20000")
	first := clitest.EvalJSON(t, env, slices.Concat([]string{"--planner", "llm", "--no-prior-knowledge", "--record", kept}, files)...)
	if first.Planner != "dd and test-model" {
		t.Errorf("planned by %s", first.Planner)
	}
	asked := len(server.Requests())
	for name, env := range map[string][]string{
		"nothing":     nil,
		"other ones":  {"OPENAI_CONTEXT=4096", "OPENAI_MODEL=other"},
		"a server":    clitest.ModelEnv(server, "DECOMPOSER_MODEL=other", "OPENAI_VISION=true"),
		"wrong other": {"DECOMPOSER_BASE_URL=http://127.0.0.1:9/v1", "DECOMPOSER_MODEL=dd"},
	} {
		again := clitest.EvalJSON(t, env, append([]string{"--replay", kept}, files...)...)
		if again.Planner != first.Planner || again.Solved != first.Solved || again.Recorded.Stale != 0 || !again.Recorded.Current {
			t.Errorf("%s set: %+v %+v", name, again.Rates, again.Recorded)
		}
		if r := again.Recorded; r.Decomposer != "dd" || r.Context != 20000 || !r.WithoutPrior {
			t.Errorf("%s set: %+v", name, r)
		}
	}
	if len(server.Requests()) != asked {
		t.Error("the server was asked again")
	}
	_, stdout, _ := clitest.Called{Args: slices.Concat([]string{"eval", "--replay", kept}, files)}.Run(t)
	if !strings.HasPrefix(stdout, "Planned with recorded answers of dd and test-model (") || !strings.Contains(stdout, "; without prior knowledge; context 20000 tokens; catalogue ") {
		t.Error(stdout)
	}
}

// TestRecordingKeepsToPrivateServers checks that recording does not bypass the rules for a private server.
func TestRecordingKeepsToPrivateServers(t *testing.T) {
	t.Parallel()
	var inner http.RoundTripper
	config, err := settings.Read(clitest.ModelEnv(llmtest.New(t, llmtest.Config{Answer: clitest.English().Respond})), nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	shop := workshop.Workshop{Config: config}
	shop.Wrap = func(next http.RoundTripper) http.RoundTripper {
		inner = next
		return next
	}
	catalogue, err := bottest.Builtin()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := shop.LanguageModel(catalogue, workshop.Pictures{}, nil); err != nil {
		t.Fatal(err)
	}
	if own, ok := inner.(*http.Transport); !ok || own.Proxy != nil {
		t.Errorf("wrapped is %T, or it knows a proxy", inner)
	}
}

// TestReplayWithoutRecording checks that a request without a recording is left out, and does not count as wrong.
func TestReplayWithoutRecording(t *testing.T) {
	t.Parallel()
	dir, files := clitest.GreyBenchmark(t)
	kept := filepath.Join(dir, "answers")
	server := llmtest.New(t, llmtest.Config{Answer: clitest.English().Respond})
	clitest.EvalJSON(t, clitest.ModelEnv(server), append([]string{"--planner", "llm", "--record", kept}, files...)...)
	whole := clitest.EvalJSON(t, nil, slices.Concat([]string{"--replay", kept, "--answers"}, files)...)
	if a := whole.Answers; whole.Requests != 4 || a == nil || a.Asked != 0 || a.LeftOut["not recorded"] != 3 {
		t.Errorf("without answers: %+v %+v", whole.Report, a)
	}
	for _, id := range []string{"grey-1", "grey-2", "grey-3", "edges-4"} {
		path := filepath.Join(kept, id+".json")
		b, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		job := `"job": "settle"`
		if id == "grey-3" { // which asks back at once
			job = `"job": "decompose"`
		}
		bottest.Write(t, path, strings.Replace(string(b), job, `"job": "other"`, 1))
		if id != "grey-1" {
			continue
		}
		part := clitest.EvalJSON(t, nil, slices.Concat([]string{"--replay", kept}, files)...)
		if part.Requests != 3 || part.LeftOut["not recorded"] != 1 {
			t.Errorf("with a gap: %+v", part.Report)
		}
	}
	status, stdout, stderr := clitest.Called{Args: slices.Concat([]string{"eval", "--replay", kept}, files)}.Run(t)
	if status != fault.StatusUsage || stdout != "" || !strings.Contains(stderr, "No request is recorded completely in ") {
		t.Errorf("nothing is recorded: status %d: %s%s", status, stdout, stderr)
	}
}

// TestReplayHasOneModel checks that a replay has no separate decomposer and no pictures, whatever is set.
func TestReplayHasOneModel(t *testing.T) {
	t.Parallel()
	env := []string{"DECOMPOSER_MODEL=dd", "DECOMPOSER_BASE_URL=http://127.0.0.1:9/v1", "OPENAI_VISION=true"}
	config, err := settings.Read(env, func(c *settings.Config) error {
		c.Planner, c.Models.Recorded, c.Models.Name = settings.LLMPlanner, true, "recorded"
		return nil
	}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if m := config.Models; m.Name != "recorded" || m.DecomposerName != "" || m.Decomposer != (settings.Server{}) || m.Vision {
		t.Errorf("%+v", m)
	}
}
