package ask_test

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"atelier/agent/planner/llm/llmtest"
	"atelier/agent/toolbox/slow"
	"atelier/bot/ask"
	"atelier/bot/bottest"
	"atelier/bot/clitest"
	"atelier/bot/fault"
)

// TestAskModel checks that a model understands a request in another language, that the answer is in that language,
// and that the cost is reported.
func TestAskModel(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ wish, answer string }{
		"English": {"make it black and white", "Here it is:"},
		"German":  {"mach es schwarzweiß", "Bitte sehr, jetzt in Graustufen:"},
		"Chinese": {"把它变成黑白照片", "黑白照片在这里:"},
	} {
		server := llmtest.New(t, llmtest.Config{Answer: clitest.Greyer{Answer: c.answer}.Respond, Key: "sk-test-key"})
		status, an := clitest.AskModel(t, clitest.ModelEnv(server, "OPENAI_API_KEY=sk-test-key"), "--planner", "llm", c.wish)
		if status != fault.StatusDone || len(an.Files) != 1 || an.Solutions[0].Steps[0].Tool != "greyscale_image" {
			t.Fatalf("%s: status %d, %+v", name, status, an)
		}
		if !strings.Contains(an.Text, c.answer) || !strings.Contains(an.Text, filepath.Base(an.Files[0].Path)) {
			t.Errorf("%s: %q", name, an.Text)
		}
		var jobs []string
		tokens := 0
		for _, j := range an.Thinking.Jobs {
			jobs = append(jobs, j.Name)
			tokens += j.Input + j.Output
			if j.Model != "test-model" || j.Calls != 1 || j.Input == 0 || j.Output == 0 {
				t.Errorf("%s: %+v", name, j)
			}
		}
		if want := []string{"decompose", "assess", "settle", "respond"}; !slices.Equal(jobs, want) {
			t.Errorf("%s: the jobs are %v", name, jobs)
		}
		if an.Thinking.Calls != len(jobs) || an.Thinking.Tokens != tokens || len(server.Requests()) != len(jobs) {
			t.Errorf("%s: %+v after %d calls", name, an.Thinking, len(server.Requests()))
		}
		if !strings.Contains(server.Requests()[0].User(), c.wish) {
			t.Errorf("%s: the model did not get the request", name)
		}
	}
}

// TestAskModelInText checks that the answer has one line about the model's cost, and none if no model was asked.
func TestAskModelInText(t *testing.T) {
	t.Parallel()
	server := llmtest.New(t, llmtest.Config{Answer: clitest.English().Respond})
	for _, c := range []struct {
		args []string
		want string
	}{
		{nil, "\nModel: 4 calls, "},
		{[]string{"--plan"}, "\nModel: 3 calls, "},
		{[]string{"--planner", "rules"}, ""},
	} {
		args := append([]string{"ask", "--out", t.TempDir(), "--file", "../testdata/photo.jpg"}, c.args...)
		status, stdout, stderr := clitest.Called{Env: clitest.ModelEnv(server), Args: append(args, "make it black and white")}.Run(t)
		if status != fault.StatusDone || !strings.Contains(stdout, c.want) || (c.want == "") == strings.Contains(stdout, "Model:") {
			t.Errorf("%v: status %d: %s%s", c.args, status, stdout, stderr)
		}
	}
}

// TestAskBack checks that a model's question is printed, with the exit status of a question.
func TestAskBack(t *testing.T) {
	t.Parallel()
	server := llmtest.New(t, llmtest.Config{Answer: clitest.Greyer{Question: "Welches Bild meinst du?"}.Respond})
	status, stdout, _ := clitest.Called{Env: clitest.ModelEnv(server), Args: []string{"ask", "mach es schwarzweiß"}}.Run(t)
	if status != fault.StatusQuestion || !strings.HasPrefix(stdout, "Welches Bild meinst du?\n\nModel: 1 call, ") {
		t.Errorf("status %d: %s", status, stdout)
	}
}

// TestModelFaults checks that failures of a model are sentences for people, and that neither they nor the log
// contain the key.
func TestModelFaults(t *testing.T) {
	slow.Test(t)
	t.Parallel()
	const key = "sk-proj-0123456789abcdefghij"
	refused := func(status int, code string) llmtest.Response {
		return llmtest.Response{Status: status, ErrorCode: code, ErrorMessage: "The key " + key + " will not do."}
	}
	for name, c := range map[string]struct {
		response llmtest.Response
		want     string
	}{
		"a wrong key": {
			refused(http.StatusUnauthorized, "invalid_api_key"),
			"The model server refused the key: check OPENAI_API_KEY.",
		},
		"no money": {
			refused(http.StatusTooManyRequests, "insufficient_quota"),
			"The quota at the model server is used up. Please ask the operator to look at the account's plan and billing.",
		},
		"an unknown model": {
			refused(http.StatusNotFound, "model_not_found"),
			`The model server does not have the model "test-model": check OPENAI_MODEL and OPENAI_BASE_URL.`,
		},
	} {
		server := llmtest.New(t, llmtest.Config{Answer: func(llmtest.Request) llmtest.Response { return c.response }})
		for _, args := range [][]string{{}, {"--json"}, {"--plan"}} {
			status, stdout, stderr := clitest.Called{
				Env:  clitest.ModelEnv(server, "OPENAI_API_KEY="+key, "ATELIER_LOG=debug"),
				Args: append([]string{"ask", "--file", "../testdata/photo.jpg", "make it black and white"}, args...),
			}.Run(t)
			told, logged := clitest.ToldAndLogged(stderr)
			if slices.Contains(args, "--json") {
				var an ask.Answer
				if err := json.Unmarshal([]byte(stdout), &an); err != nil || told != "" {
					t.Errorf("%s: %q, %v", name, told, err)
				}
				told = "bot: " + an.Text + "\n"
			}
			if status != fault.StatusFailed || told != "bot: "+c.want+"\n" || !strings.Contains(logged, "level=WARN") {
				t.Errorf("%s %v: status %d: %q, logged: %s", name, args, status, told, logged)
			}
			if strings.Contains(stdout+stderr, key) || strings.Contains(stdout+stderr, "0123456789") {
				t.Errorf("%s %v: the key is printed: %s%s", name, args, stdout, stderr)
			}
		}
	}
}

// TestFallback checks that the rules take over from a model that is down, if that is allowed, and that the answer
// says so.
func TestFallback(t *testing.T) {
	t.Parallel()
	quota := llmtest.Response{Status: http.StatusTooManyRequests, ErrorCode: "insufficient_quota"}
	server := llmtest.New(t, llmtest.Config{Answer: func(llmtest.Request) llmtest.Response { return quota }})
	status, an := clitest.AskModel(t, clitest.ModelEnv(server), "make it black and white")
	if status != fault.StatusFailed || an.Thinking == nil || an.Thinking.Calls != 0 || len(an.Thinking.Jobs) != 1 {
		t.Errorf("without: status %d, %+v", status, an)
	}
	status, an = clitest.AskModel(t, clitest.ModelEnv(server, "PLANNER_FALLBACK=rules"), "make it black and white")
	if status != fault.StatusDone || len(an.Files) != 1 || an.Thinking.StoodIn == "" || !strings.Contains(an.Text, an.Thinking.StoodIn) {
		t.Errorf("with: status %d, %+v", status, an)
	}
}

// TestVision checks that a vision model gets the picture, small and as JPEG.
func TestVision(t *testing.T) {
	t.Parallel()
	server := llmtest.New(t, llmtest.Config{Answer: clitest.English().Respond})
	status, an := clitest.AskModel(t, clitest.ModelEnv(server, "OPENAI_VISION=true"), "make it black and white")
	if status != fault.StatusDone {
		t.Fatalf("status %d: %+v", status, an)
	}
	for i, r := range server.Requests() {
		images := 0
		for _, m := range r.Messages {
			images += m.Images
		}
		if (images == 1) != (i == 0) {
			t.Errorf("%s was shown %d pictures", r.Job, images)
		}
	}
}

// TestDecomposer checks that a separate model splits the request, that the other one does the rest, and that
// neither gets the other's key.
func TestDecomposer(t *testing.T) {
	t.Parallel()
	main := llmtest.New(t, llmtest.Config{Answer: clitest.English().Respond, Key: "sk-main"})
	own := llmtest.New(t, llmtest.Config{Answer: clitest.English().Respond, Key: "sk-own"})
	status, an := clitest.AskModel(t, clitest.ModelEnv(main, "OPENAI_API_KEY=sk-main",
		"DECOMPOSER_BASE_URL="+own.URL(), "DECOMPOSER_API_KEY=sk-own", "DECOMPOSER_MODEL=mix"), "make it black and white")
	if status != fault.StatusDone || an.Thinking.Jobs[0].Model != "mix" || an.Thinking.Jobs[1].Model != "test-model" {
		t.Errorf("status %d: %+v", status, an.Thinking)
	}
	if len(own.Requests()) != 1 || own.Requests()[0].Model != "mix" || len(main.Requests()) != 3 {
		t.Errorf("%d calls of the decomposer, %d of the other", len(own.Requests()), len(main.Requests()))
	}
}

// TestDecomposerThatRefuses checks that the error names the settings of the server that rejected the call.
func TestDecomposerThatRefuses(t *testing.T) {
	slow.Test(t)
	t.Parallel()
	main := llmtest.New(t, llmtest.Config{Answer: clitest.English().Respond, Key: "sk-main"})
	own := llmtest.New(t, llmtest.Config{Answer: clitest.English().Respond, Key: "sk-own"})
	unknown := func(llmtest.Request) llmtest.Response {
		return llmtest.Response{Status: 404, ErrorCode: "model_not_found", ErrorMessage: "no"}
	}
	gone := llmtest.New(t, llmtest.Config{Answer: unknown})
	for name, c := range map[string]struct {
		env  []string
		want string
	}{
		"a key of its own": {clitest.ModelEnv(main, "OPENAI_API_KEY=sk-main", "DECOMPOSER_API_KEY=sk-wrong", "DECOMPOSER_MODEL=mix"), "check DECOMPOSER_API_KEY."},
		"no key of its own": {clitest.ModelEnv(main, "OPENAI_API_KEY=sk-main",
			"DECOMPOSER_BASE_URL="+own.URL(), "DECOMPOSER_MODEL=mix"), "needs a key, and none is set: set DECOMPOSER_API_KEY."},
		"the same key":  {clitest.ModelEnv(main, "OPENAI_API_KEY=sk-wrong", "DECOMPOSER_MODEL=mix"), "check OPENAI_API_KEY."},
		"another model": {clitest.ModelEnv(gone, "DECOMPOSER_MODEL=mix"), "check DECOMPOSER_MODEL and OPENAI_BASE_URL."},
		"another server": {clitest.ModelEnv(main, "OPENAI_API_KEY=sk-main",
			"DECOMPOSER_BASE_URL="+gone.URL(), "DECOMPOSER_MODEL=mix"), "check DECOMPOSER_MODEL and DECOMPOSER_BASE_URL."},
	} {
		if _, an := clitest.AskModel(t, append(c.env, "PLANNER_FALLBACK="), "make it black and white"); !strings.Contains(an.Text, c.want) {
			t.Errorf("%s: %+v", name, an)
		}
	}
}

// TestAzure checks that Azure OpenAI's variant of the API is used if its version is set.
func TestAzure(t *testing.T) {
	t.Parallel()
	server := llmtest.New(t, llmtest.Config{Answer: clitest.English().Respond, Key: "azure-key"})
	status, an := clitest.AskModel(t, []string{
		"OPENAI_BASE_URL=" + server.AzureURL(), "OPENAI_API_KEY=azure-key", "OPENAI_API_VERSION=2024-10-21", "OPENAI_MODEL=our-deployment",
	}, "make it black and white")
	if status != fault.StatusDone || len(an.Files) != 1 {
		t.Errorf("status %d: %+v", status, an)
	}
	if calls := server.Calls(); len(calls) == 0 || !strings.Contains(calls[len(calls)-1], "/deployments/our-deployment/") {
		t.Errorf("the calls are %q", calls)
	}
}

// TestProgressOfAsk checks that a terminal shows the progress while the model works, and that nothing of it remains.
// No progress is shown with --json.
func TestProgressOfAsk(t *testing.T) {
	t.Parallel()
	atTerminal := func(io.Writer) (int, bool) { return 60, true }
	waits := &bottest.Seen{What: "(understanding the request)", Came: make(chan struct{})}
	server := llmtest.New(t, llmtest.Config{Answer: func(r llmtest.Request) llmtest.Response {
		if r.Job == "decompose" {
			<-waits.Came
		}
		return clitest.English().Respond(r)
	}})
	c := clitest.Called{
		Env:      clitest.ModelEnv(server),
		Args:     []string{"ask", "--out", t.TempDir(), "--file", "../testdata/photo.jpg", "make it black and white"},
		Terminal: atTerminal, Stderr: waits,
	}
	status, stdout, stderr := c.Run(t)
	if above, last := bottest.Screen(stderr); status != fault.StatusDone || above+last != "" || strings.Contains(stdout, "Thinking…") {
		t.Errorf("status %d: above %q, last %q", status, above, last)
	}
	c.Args = append(c.Args, "--json")
	c.Terminal = func(w io.Writer) (int, bool) {
		_, piped := w.(*bytes.Buffer) // the standard output alone
		return 60, !piped
	}
	if _, _, stderr := c.Run(t); stderr != "" {
		t.Errorf("with JSON to a program: %q", stderr)
	}
	c.Args = c.Args[:len(c.Args)-1]
	c.Terminal, c.Env = atTerminal, append(c.Env, "TERM=dumb")
	if _, _, stderr := c.Run(t); stderr != "" {
		t.Errorf("on a dumb terminal: %q", stderr)
	}
}

// TestSpentInVain checks that the cost of a failed request is reported, too, unless there is none.
func TestSpentInVain(t *testing.T) {
	slow.Test(t)
	t.Parallel()
	useless := llmtest.New(t, llmtest.Config{Answer: func(llmtest.Request) llmtest.Response { return llmtest.Response{Text: "No."} }})
	quota := llmtest.Response{Status: http.StatusTooManyRequests, ErrorCode: "insufficient_quota"}
	broke := llmtest.New(t, llmtest.Config{Answer: func(llmtest.Request) llmtest.Response { return quota }})
	for _, args := range [][]string{{}, {"--plan"}} {
		args = append([]string{"ask", "--file", "../testdata/photo.jpg", "make it black and white"}, args...)
		status, stdout, stderr := clitest.Called{Env: clitest.ModelEnv(useless), Args: args}.Run(t)
		if status != fault.StatusFailed || stdout != "" || !strings.Contains(stderr, "\nModel: 2 calls (1 to repair an answer), ") {
			t.Errorf("%v: status %d: %s%s", args, status, stdout, stderr)
		}
		status, _, stderr = clitest.Called{Env: clitest.ModelEnv(broke), Args: args}.Run(t)
		if status != fault.StatusFailed || strings.Contains(stderr, "Model:") {
			t.Errorf("%v without an answer: status %d: %s", args, status, stderr)
		}
	}
}
