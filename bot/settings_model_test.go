package main

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"atelier/agent/planner/llm/llmtest"
	"atelier/agent/planner/llm/replay"
	"atelier/agent/toolbox/slow"
	"atelier/bot/ask"
	"atelier/bot/bottest"
	"atelier/bot/clitest"
	"atelier/bot/fault"
)

// asked returns the requests to the model for making a picture black and white.
func asked(t *testing.T, settings []string, args ...string) []llmtest.Request {
	t.Helper()
	server := llmtest.New(t, llmtest.Config{Answer: clitest.English().Respond})
	if status, an := clitest.AskModel(t, clitest.ModelEnv(server, settings...), append(args, "make it black and white")...); status != fault.StatusDone {
		t.Fatalf("%v %v: status %d: %+v", settings, args, status, an)
	}
	return server.Requests()
}

// TestSettingsOfThePrompt checks that the prompt about the tools fits the context, and is shorter without hints.
func TestSettingsOfThePrompt(t *testing.T) {
	t.Parallel()
	usual := asked(t, nil)[0].System()
	if small := asked(t, []string{"OPENAI_CONTEXT=4096"})[0].System(); 2*len(small) > len(usual) {
		t.Errorf("a small context: %d bytes of %d", len(small), len(usual))
	}
	if plain := asked(t, nil, "--no-prior-knowledge")[0].System(); len(plain) >= len(usual) {
		t.Errorf("without hints: %d bytes of %d", len(plain), len(usual))
	}
}

// TestTokenField checks that the planner and the tools limit answers by the configured field.
func TestTokenField(t *testing.T) {
	slow.Test(t)
	t.Parallel()
	fields := []string{"max_tokens", "max_completion_tokens"}
	for i, field := range fields {
		setting := "OPENAI_TOKEN_FIELD=" + field
		requests := append(asked(t, []string{setting}), asked(t, []string{setting, "DECOMPOSER_MODEL=other"})...)
		server := llmtest.New(t, llmtest.Config{Answer: func(llmtest.Request) llmtest.Response { return llmtest.Response{Text: "A square."} }})
		if status, an := clitest.AskModel(t, clitest.ModelEnv(server, setting), "--planner", "rules", "describe this picture"); status != fault.StatusDone {
			t.Fatalf("status %d: %+v", status, an)
		}
		for _, r := range append(requests, server.Requests()...) {
			if bytes.Contains(r.Body, []byte(`"`+fields[1-i]+`"`)) || !bytes.Contains(r.Body, []byte(`"`+field+`"`)) {
				t.Errorf("%s of %s is not bounded by %s", r.Job, r.Model, field)
			}
		}
	}
}

// TestBudget checks that a request ends before it exceeds its budget.
func TestBudget(t *testing.T) {
	t.Parallel()
	for budget, calls := range map[string]int{"30000": 1, "100000": 4} {
		server := llmtest.New(t, llmtest.Config{Answer: func(r llmtest.Request) llmtest.Response {
			answer := clitest.English().Respond(r)
			if r.Job == "decompose" {
				answer.Usage = &replay.Usage{Input: 29_000, Output: 900}
			}
			return answer
		}})
		_, an := clitest.AskModel(t, clitest.ModelEnv(server, "OPENAI_BUDGET="+budget), "make it black and white")
		dear := strings.HasPrefix(an.Text, "This needs more work by the language model than one request may use.")
		if len(server.Requests()) != calls || dear != (calls == 1) {
			t.Errorf("%s: %d calls: %s", budget, len(server.Requests()), an.Text)
		}
	}
}

// TestModelsOfTools checks that each kind of tool uses its configured model.
func TestModelsOfTools(t *testing.T) {
	t.Parallel()
	server := llmtest.New(t, llmtest.Config{Models: []string{"test-model"}})
	ways := t.TempDir() + "/backends.yaml" // programs that speak and listen may be there, too
	if err := os.WriteFile(ways, []byte("tools: {text_to_speech: [{server: openai}], speech_to_text: [{server: openai}]}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	tools := clitest.ToolLines(t, clitest.ModelEnv(server, "OPENAI_VISION_MODEL=seer", "OPENAI_IMAGE_MODEL=painter",
		"OPENAI_SPEECH_MODEL=speaker", "OPENAI_TRANSCRIPTION_MODEL=writer", "BACKENDS_FILE="+ways)...)
	for tool, want := range map[string]string{
		"image_captioning": `"seer": set OPENAI_VISION_MODEL`, "text_to_image": `"painter": set OPENAI_IMAGE_MODEL`,
		"text_to_speech": `"speaker": set OPENAI_SPEECH_MODEL`, "speech_to_text": `"writer": set OPENAI_TRANSCRIPTION_MODEL`,
	} {
		if l := tools[tool]; l.Live || !strings.Contains(l.Why, want) {
			t.Errorf("%+v", l)
		}
	}
	if l := tools["translation"]; !l.Live {
		t.Errorf("%+v", l)
	}
	blind := clitest.ToolLines(t, clitest.ModelEnv(server, "OPENAI_VISION_MODEL=none")...)
	if l := blind["image_captioning"]; l.Live || !strings.Contains(l.Why, "set OPENAI_VISION_MODEL to one") {
		t.Errorf("without a model that sees: %+v", l)
	}
}

// TestModelsThatAreChosen checks that if no model is named, one of the server's list is used, and the next one if
// the server does not know it. The operator is told, and people are not. The list is requested once, for the
// planner and the tools.
func TestModelsThatAreChosen(t *testing.T) {
	t.Parallel()
	server := llmtest.New(t, llmtest.Config{
		Models: []string{"gpt-6-luna", "gpt-6.1-terra", "gpt-image-2.6-flare", "text-embedding-3-small"},
		Answer: func(r llmtest.Request) llmtest.Response {
			if r.Model == "gpt-6.1-terra" {
				return llmtest.Response{Status: http.StatusNotFound, ErrorCode: "model_not_found"}
			}
			return clitest.English().Respond(r)
		},
	})
	env := []string{"OPENAI_BASE_URL=" + server.URL()}
	status, stdout, stderr := clitest.Called{Env: append(env, "ATELIER_LOG=warn", "ATELIER_DATA="+t.TempDir()), Args: []string{
		"ask", "--json", "--out", t.TempDir(), "--file", "testdata/photo.jpg", "make it black and white",
	}}.Run(t)
	var an ask.Answer
	if err := json.Unmarshal([]byte(stdout), &an); err != nil || status != fault.StatusDone {
		t.Fatalf("status %d: %v: %s%s", status, err, stdout, stderr)
	}
	for _, j := range an.Thinking.Jobs {
		if j.Model != "gpt-6-luna" || j.Calls != 1 {
			t.Errorf("%+v", j)
		}
	}
	if strings.Contains(stdout, "terra") || strings.Count(stderr, "model=gpt-6.1-terra instead=gpt-6-luna") != 1 || strings.Count(stderr, "\n") != 1 {
		t.Errorf("the reply is %s, logged is %s", stdout, stderr)
	}
	count := map[string]int{}
	for _, call := range server.Calls() {
		count[call]++
	}
	if count["GET /v1/models"] != 1 || count["POST /v1/chat/completions"] != 5 {
		t.Errorf("the calls are %v", count)
	}
	tools := clitest.ToolLines(t, env...)
	if l := tools["text_to_image"]; !l.Live {
		t.Errorf("%+v", l)
	}
	if l := tools["partial_image_editing"]; !l.Live {
		t.Errorf("%+v", l)
	}
	if _, first, _ := strings.Cut(strings.Join(tools["speech_to_text"].Ways, " "), "openai"); first != "" {
		t.Errorf("nothing that is listed listens: %+v", tools["speech_to_text"])
	}
}

// TestEvalMeasuresOneModel checks this, also if the model was chosen.
func TestEvalMeasuresOneModel(t *testing.T) {
	t.Parallel()
	dir, files := clitest.GreyBenchmark(t)
	server := llmtest.New(t, llmtest.Config{Answer: clitest.English().Respond, Models: []string{"gpt-6-luna", "gpt-6.1-terra"}})
	kept := filepath.Join(dir, "answers")
	args := append([]string{"--planner", "llm", "--record", kept, "--ids", "grey-1"}, files...)
	if m := clitest.EvalJSON(t, []string{"OPENAI_BASE_URL=" + server.URL()}, args...); m.Planner != "gpt-6.1-terra" {
		t.Errorf("measured is %s", m.Planner)
	}
	if m := clitest.EvalJSON(t, nil, append([]string{"--replay", kept}, files...)...); m.Recorded == nil || m.Recorded.Model != "gpt-6.1-terra" || m.Requests != 1 {
		t.Errorf("recorded is %+v", m.Recorded)
	}
}

// TestVoice checks that a text is read aloud in the configured voice.
func TestVoice(t *testing.T) {
	slow.Test(t)
	t.Parallel()
	var voices []string
	server := llmtest.New(t, llmtest.Config{Speech: func(r llmtest.SpeechRequest) llmtest.SpeechResponse {
		voices = append(voices, r.Voice)
		return llmtest.SpeechResponse{Fault: llmtest.Fault{Status: http.StatusBadRequest}}
	}})
	clitest.AskModel(t, clitest.ModelEnv(server, "OPENAI_SPEECH_VOICE=nova"), "--planner", "rules", `say "hello" aloud`)
	if len(voices) != 1 || voices[0] != "nova" {
		t.Errorf("the voices are %q", voices)
	}
}

// TestLogAboveProgress checks that log lines appear above the line of progress.
func TestLogAboveProgress(t *testing.T) {
	t.Parallel()
	waits := &bottest.Seen{What: "(understanding the request)", Came: make(chan struct{})}
	server := llmtest.New(t, llmtest.Config{Answer: func(llmtest.Request) llmtest.Response {
		<-waits.Came
		return llmtest.Response{Status: http.StatusUnauthorized}
	}})
	_, _, stderr := clitest.Called{
		Env:      clitest.ModelEnv(server, "ATELIER_LOG=warn", "PLANNER_FALLBACK=rules"),
		Args:     []string{"ask", "--out", t.TempDir(), "--file", "testdata/photo.jpg", "make it black and white"},
		Terminal: func(io.Writer) (int, bool) { return 200, true }, Stderr: waits,
	}.Run(t)
	above, last := bottest.Screen(stderr)
	for line := range strings.Lines(above) {
		if !strings.HasPrefix(line, "time=") {
			t.Errorf("%q is in the middle of the line", line)
		}
	}
	if above == "" || last != "" {
		t.Errorf("above %q, last %q", above, last)
	}
}
