package main

import (
	"encoding/json"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"atelier/agent/mind/llm/llmtest"
	"atelier/agent/mind/llm/replay"
)

// greyBenchmark are four requests for the greyer, of which it does not solve the last.
func greyBenchmark(t *testing.T) (dir string, files []string) {
	t.Helper()
	dir = t.TempDir()
	write(t, filepath.Join(dir, "requests.json"), `[
 {"id": "grey-1", "level": "easy", "instruction": "make it black and white", "files": [{"name": "photo.png", "type": "image"}]},
 {"id": "grey-2", "level": "easy", "instruction": "mach photo.png schwarzweiß"},
 {"id": "grey-3", "level": "easy", "instruction": "without colours, please"},
 {"id": "edges-4", "level": "hard", "instruction": "find the edges of photo.png"}]`)
	const grey = `"returns": ["image"], "accept": [["greyscale_image"]]`
	write(t, filepath.Join(dir, "gold.jsonl"), strings.Join([]string{
		`{"id": "grey-1", "goals": [{"want": "grey", "uses": ["photo.png"], ` + grey + `}]}`,
		`{"id": "grey-2", "goals": [{"want": "grey", "uses": ["photo.png"], ` + grey + `}]}`,
		`{"id": "grey-3", "expect": "question"}`,
		`{"id": "edges-4", "goals": [{"want": "edges", "uses": ["photo.png"], "returns": ["edge"], "accept": [["image_to_edge"]]}]}`,
	}, "\n"))
	return dir, []string{"--gold", filepath.Join(dir, "gold.jsonl"), filepath.Join(dir, "requests.json")}
}

// evalJSON calls eval and reads its report.
func evalJSON(t *testing.T, env []string, args ...string) *measured {
	t.Helper()
	status, stdout, stderr := called{env: env, args: append([]string{"eval", "--json"}, args...)}.run(t)
	report := &measured{}
	if err := json.Unmarshal([]byte(stdout), report); err != nil || status != statusDone {
		t.Fatalf("status %d: %v: %s%s", status, err, stdout, stderr)
	}
	return report
}

// TestEvalModel: a model's plans are judged, its answers kept, and the same figures come
// from what was kept, without a server or a key. The offline mind stands beside it on the
// same requests.
func TestEvalModel(t *testing.T) {
	t.Parallel()
	dir, files := greyBenchmark(t)
	kept := filepath.Join(dir, "answers")
	server := llmtest.New(t, llmtest.Config{Answer: english().respond, Key: "sk-1"})
	env := modelEnv(server, "OPENAI_API_KEY=sk-1")
	first := evalJSON(t, env, append([]string{"--mind", "llm", "--parallel", "3", "--record", kept, "--answers"}, files...)...)
	if first.Mind != "test-model" || first.Requests != 4 || first.Solved.All != 0.75 || first.Answers.Asked != 3 || first.Answers.Good != 3 {
		t.Errorf("%+v %+v %+v", first, first.Report, first.Answers)
	}
	if th := first.Thinking; th == nil || th.MostCalls != 4 || th.Repairs != 0 || len(th.Jobs) != 4 || th.Jobs[0].Requests != 4 || th.Tokens.Input == 0 {
		t.Errorf("%+v", first.Thinking)
	}
	asked := len(server.Requests())

	again := evalJSON(t, nil, append([]string{"--replay", kept, "--answers"}, files...)...)
	if again.Solved.All != first.Solved.All || again.Answers.Good != first.Answers.Good || again.Answers.Asked != first.Answers.Asked || again.Thinking.Tokens != first.Thinking.Tokens {
		t.Errorf("another outcome: %+v, %+v", again.Report, again.Answers)
	}
	if r := again.Recorded; r == nil || r.Model != "test-model" || !r.Current || r.Stale != 0 || again.Mind != "test-model" {
		t.Errorf("recorded: %+v", again.Recorded)
	}
	if len(server.Requests()) != asked {
		t.Error("the server was asked again")
	}
	some := evalJSON(t, nil, append([]string{"--replay", kept, "--mind", "offline", "--ids", "grey-1,edges-4"}, files...)...)
	if some.Mind != "offline" || some.Requests != 2 || some.Thinking != nil || some.Recorded != nil {
		t.Errorf("the offline mind: %+v %+v", some, some.Report)
	}
	both := evalJSON(t, nil, append([]string{"--replay", kept, "--ids", "grey-1", "--ids", "grey-2,edges-4"}, files...)...)
	if both.Requests != 3 {
		t.Errorf("%d requests of three ids", both.Requests)
	}
	if quiet := evalJSON(t, env, files...); quiet.Mind != "offline" || len(server.Requests()) != asked {
		t.Errorf("unasked for, %s made the plans", quiet.Mind)
	}
}

// TestEvalTellsByWhat: one line says what answers were recorded with, and what has
// changed since.
func TestEvalTellsByWhat(t *testing.T) {
	t.Parallel()
	dir, files := greyBenchmark(t)
	kept := filepath.Join(dir, "answers")
	server := llmtest.New(t, llmtest.Config{Answer: english().respond})
	eval := func(args ...string) string {
		status, stdout, stderr := called{env: modelEnv(server), args: slices.Concat([]string{"eval"}, args, files)}.run(t)
		if status != statusDone {
			t.Fatalf("%v: status %d: %s", args, status, stderr)
		}
		line, _, _ := strings.Cut(stdout, "\n")
		return line
	}
	for _, c := range []struct{ got, want string }{
		{eval(), "Planned by the offline mind."},
		{eval("--mind", "llm"), "Planned by test-model."},
		{eval("--mind", "auto"), "Planned by test-model."},
		{eval("--mind", "llm", "--record", kept, "--ids", "grey-1,grey-2"), "Planned by test-model, whose answers are kept in " + kept + "."},
		{eval("--mind", "offline", "--replay", kept), "Planned by the offline mind: the requests that are recorded in " + kept + "."},
	} {
		if c.got != c.want {
			t.Errorf("%q, not %q", c.got, c.want)
		}
	}
	line := eval("--replay", kept, "--mind", "auto")
	if !strings.HasPrefix(line, "Planned with recorded answers of test-model (prompts: assess ") ||
		!strings.HasSuffix(line, ". Prompts and catalogue are those of today.") {
		t.Error(line)
	}

	// Another wording of the catalogue, of a prompt, and of a question.
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
	write(t, path, strings.Replace(string(b), `"messages": "sha256:`, `"messages": "sha256:0`, 1))
	line = eval("--replay", kept)
	if !strings.Contains(line, "catalogue 00000000). Changed since: the prompt settle, the catalogue; 1 answer to questions that read otherwise now.") {
		t.Error(line)
	}
}

// TestProgressOfEval: a person at a terminal reads how far a measurement is.
func TestProgressOfEval(t *testing.T) {
	t.Parallel()
	_, files := greyBenchmark(t)
	waits := &seen{what: "(0 of 4 done)", came: make(chan struct{})}
	server := llmtest.New(t, llmtest.Config{Answer: func(r llmtest.Request) llmtest.Response {
		<-waits.came
		return english().respond(r)
	}})
	status, _, stderr := called{
		env: modelEnv(server), args: append([]string{"eval", "--mind", "llm"}, files...),
		terminal: func(io.Writer) (int, bool) { return 60, true }, stderr: waits,
	}.run(t)
	if above, last := screen(stderr); status != statusDone || above+last != "" {
		t.Errorf("status %d: above %q, last %q", status, above, last)
	}
}

// TestEvalModelFaults: what cannot be measured says so.
func TestEvalModelFaults(t *testing.T) {
	t.Parallel()
	dir, files := greyBenchmark(t)
	kept, empty := filepath.Join(dir, "answers"), filepath.Join(dir, "empty")
	server := llmtest.New(t, llmtest.Config{Answer: func(r llmtest.Request) llmtest.Response {
		if r.ID == "grey-2" {
			return llmtest.Response{Status: http.StatusUnauthorized}
		}
		return english().respond(r)
	}})
	evalJSON(t, modelEnv(server), append([]string{"--mind", "llm", "--record", kept, "--ids", "grey-1"}, files...)...)
	own := []string{} // Atelier's own benchmark
	for name, c := range map[string]struct {
		args   []string
		status int
		want   string
		files  []string
	}{
		"a wrong key ends it":       {[]string{"--mind", "llm"}, statusFailed, "key", files},
		"no model":                  {[]string{"--record", kept}, statusUsage, "Try: bot eval --mind llm --record ", files},
		"both":                      {[]string{"--record", kept, "--replay", kept}, statusUsage, "give one of them", files},
		"nothing there":             {[]string{"--replay", empty}, statusUsage, "No answers are recorded in ", files},
		"nothing of these":          {[]string{"--replay", kept, "--ids", "edges-4"}, statusUsage, "None of the requests is recorded", files},
		"an unknown request":        {[]string{"--ids", "grey-1,grey-9"}, statusUsage, `There is no request called "grey-9".`, files},
		"none at a time":            {[]string{"--parallel", "0"}, statusUsage, "--parallel is 0: a number from 1 to 64", files},
		"another model's recording": {[]string{"--mind", "llm", "--record", kept, "--ids", "edges-4"}, statusUsage, "given by another model", files},
		"no ids":                    {[]string{"--ids", ""}, statusUsage, "--ids", files},
		"an empty id":               {[]string{"--ids", "grey-1,"}, statusUsage, "--ids", files},
		"no folder to record":       {[]string{"--mind", "llm", "--record", ""}, statusUsage, "--record", files},
		"no folder to replay":       {[]string{"--replay="}, statusUsage, "--replay", files},
		"no references":             {[]string{"--reference"}, statusUsage, "--reference goes with a file", own},
		"prior knowledge left out":  {[]string{"--replay", kept, "--no-prior-knowledge"}, statusUsage, "were given with it", files},
	} {
		env := append(modelEnv(server), "OPENAI_MODEL=another-model")
		status, stdout, stderr := called{env: env, args: slices.Concat([]string{"eval"}, c.args, c.files)}.run(t)
		if status != c.status || !strings.Contains(stderr, c.want) || stdout != "" {
			t.Errorf("%s: status %d: %s%s", name, status, stdout, stderr)
		}
	}
	if len(server.Requests()) > 12 {
		t.Errorf("the server was asked %d times", len(server.Requests()))
	}
}

// TestRecordIntoRecordings: no answer gets the label of others, be the later model refused
// or not, and another catalogue, context or kind of prompt is another label.
func TestRecordIntoRecordings(t *testing.T) {
	t.Parallel()
	dir, files := greyBenchmark(t)
	kept := filepath.Join(dir, "answers")
	server := llmtest.New(t, llmtest.Config{Answer: english().respond, Key: "sk-1"})
	env := modelEnv(server, "OPENAI_API_KEY=sk-1")
	record := slices.Concat([]string{"--mind", "llm", "--record", kept}, files)
	evalJSON(t, env, record...)
	own := t.TempDir()
	write(t, filepath.Join(own, "paint_it_grey.yaml"), `{name: paint_it_grey, description: Paints a picture grey., domain: image-editing,
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
		status, stdout, stderr := called{env: slices.Concat(env, c.env), args: slices.Concat([]string{"eval"}, c.args, record)}.run(t)
		if status != statusUsage || !strings.Contains(stderr, "Record into another folder.") {
			t.Errorf("%s: status %d: %s%s", name, status, stdout, stderr)
		}
	}
	if len(server.Requests()) != asked {
		t.Error("the server was asked before the folder was refused")
	}
	if again := evalJSON(t, env, record...); again.Mind != "test-model" {
		t.Errorf("recorded again: %+v", again)
	}
	if r := evalJSON(t, nil, append([]string{"--replay", kept}, files...)...).Recorded; r == nil || r.Model != "test-model" || !r.Current {
		t.Errorf("the label is %+v", r)
	}

	path := filepath.Join(kept, "grey-1.json")
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	write(t, path, strings.ReplaceAll(string(b), `"model": "test-model"`, `"model": "gpt-9"`))
	status, _, stderr := called{args: slices.Concat([]string{"eval", "--replay", kept}, files)}.run(t)
	if status != statusUsage || !strings.Contains(stderr, "some are of gpt-9") {
		t.Errorf("mixed answers: status %d: %s", status, stderr)
	}
}

// TestReplayTakesItsSettings: answers are replayed with what they were recorded with,
// whatever is set, and nobody is asked.
func TestReplayTakesItsSettings(t *testing.T) {
	t.Parallel()
	dir, files := greyBenchmark(t)
	kept := filepath.Join(dir, "answers")
	server := llmtest.New(t, llmtest.Config{Answer: english().respond})
	env := modelEnv(server, "DECOMPOSER_MODEL=dd", "OPENAI_CONTEXT=20000")
	first := evalJSON(t, env, slices.Concat([]string{"--mind", "llm", "--no-prior-knowledge", "--record", kept}, files)...)
	if first.Mind != "dd and test-model" {
		t.Errorf("planned by %s", first.Mind)
	}
	asked := len(server.Requests())
	for name, env := range map[string][]string{
		"nothing":     nil,
		"other ones":  {"OPENAI_CONTEXT=4096", "OPENAI_MODEL=other"},
		"a server":    modelEnv(server, "DECOMPOSER_MODEL=other", "OPENAI_VISION=true"),
		"wrong other": {"DECOMPOSER_BASE_URL=http://127.0.0.1:9/v1", "DECOMPOSER_MODEL=dd"},
	} {
		again := evalJSON(t, env, append([]string{"--replay", kept}, files...)...)
		if again.Mind != first.Mind || again.Solved != first.Solved || again.Recorded.Stale != 0 || !again.Recorded.Current {
			t.Errorf("%s set: %+v %+v", name, again.Rates, again.Recorded)
		}
		if r := again.Recorded; r.Decomposer != "dd" || r.Context != 20000 || !r.WithoutPrior {
			t.Errorf("%s set: %+v", name, r)
		}
	}
	if len(server.Requests()) != asked {
		t.Error("the server was asked again")
	}
	_, stdout, _ := called{args: slices.Concat([]string{"eval", "--replay", kept}, files)}.run(t)
	if !strings.HasPrefix(stdout, "Planned with recorded answers of dd and test-model (") || !strings.Contains(stdout, "; without prior knowledge; context 20000 tokens; catalogue ") {
		t.Error(stdout)
	}
}

// TestRecordingKeepsToPrivateServers: to record does not lead round the rules for a
// private server.
func TestRecordingKeepsToPrivateServers(t *testing.T) {
	t.Parallel()
	var inner http.RoundTripper
	config, err := readConfig(modelEnv(llmtest.New(t, llmtest.Config{Answer: english().respond})), nil)
	if err != nil {
		t.Fatal(err)
	}
	config.Models.Wrap = func(next http.RoundTripper) http.RoundTripper {
		inner = next
		return next
	}
	catalogue, err := config.catalogue()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := config.languageModel(catalogue, nil); err != nil {
		t.Fatal(err)
	}
	if own, ok := inner.(*http.Transport); !ok || own.Proxy != nil {
		t.Errorf("wrapped is %T, or it knows a proxy", inner)
	}
}

// noWords is a server that fails at once, and is not to be asked again.
func noWords(status int) llmtest.Response {
	return llmtest.Response{Status: status, Header: http.Header{"X-Should-Retry": {"false"}}}
}

// TestEvalUnanswered: a server that does not answer ends a measurement and becomes no
// figure; what goes wrong once in a while is counted apart.
func TestEvalUnanswered(t *testing.T) {
	t.Parallel()
	_, files := greyBenchmark(t)
	eval := func(answer func(llmtest.Request) llmtest.Response, args ...string) (status int, stdout, stderr string, asked int) {
		server := llmtest.New(t, llmtest.Config{Answer: answer})
		status, stdout, stderr = called{env: modelEnv(server, "MIND_FALLBACK=offline"), args: slices.Concat([]string{"eval", "--mind", "llm"}, args, files)}.run(t)
		return status, stdout, stderr, len(server.Requests())
	}
	for _, code := range []int{http.StatusInternalServerError, http.StatusTooManyRequests} {
		dead := func(llmtest.Request) llmtest.Response { return noWords(code) }
		for _, c := range []struct {
			ids   string
			asked int
		}{{"grey-1", 1}, {"grey-1,grey-2", 2}, {"grey-1,grey-2,grey-3,edges-4", 4}} {
			status, stdout, stderr, asked := eval(dead, "--ids", c.ids)
			if status != statusFailed || stdout != "" || !strings.Contains(stderr, "The model server ") || asked != c.asked {
				t.Errorf("%d to %s: status %d, asked %d times: %s%s", code, c.ids, status, asked, stdout, stderr)
			}
		}
		dumb := func(r llmtest.Request) llmtest.Response {
			if r.Job == "respond" {
				return noWords(code)
			}
			return english().respond(r)
		}
		if status, stdout, stderr, _ := eval(dumb, "--ids", "grey-1", "--answers"); status != statusFailed || stdout != "" {
			t.Errorf("%d to the answers: status %d: %s%s", code, status, stdout, stderr)
		}
	}

	status, stdout, stderr, _ := eval(func(r llmtest.Request) llmtest.Response {
		switch {
		case r.ID == "grey-1", r.ID == "grey-2" && r.Job == "respond":
			return noWords(http.StatusInternalServerError)
		case r.ID == "grey-3":
			return llmtest.Response{Text: "I do not know."}
		}
		return english().respond(r)
	}, "--failures", "--answers")
	if status != statusDone {
		t.Fatalf("status %d: %s%s", status, stdout, stderr)
	}
	for _, want := range []string{
		"requests                 3\n", "left out                 1 not answered by the server\n", "answers left out         1 not answered by the server\n",
		"0 refused, 1 failed\n", "left out, not answered by the server: ", "a question is right, and it gave a failure: ",
		"The language model gave an answer that I could not use, twice.",
	} {
		if !strings.Contains(stdout, want) {
			t.Errorf("%q is not in %s", want, stdout)
		}
	}
	if strings.Contains(stdout, "stood in") {
		t.Errorf("a mixture was measured: %s", stdout)
	}
}

// TestReplayWhatIsNotRecorded: what the recordings lack is left out, and is no bad answer.
func TestReplayWhatIsNotRecorded(t *testing.T) {
	t.Parallel()
	dir, files := greyBenchmark(t)
	kept := filepath.Join(dir, "answers")
	server := llmtest.New(t, llmtest.Config{Answer: english().respond})
	evalJSON(t, modelEnv(server), append([]string{"--mind", "llm", "--record", kept}, files...)...)
	whole := evalJSON(t, nil, slices.Concat([]string{"--replay", kept, "--answers"}, files)...)
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
		write(t, path, strings.Replace(string(b), job, `"job": "other"`, 1))
		if id != "grey-1" {
			continue
		}
		part := evalJSON(t, nil, slices.Concat([]string{"--replay", kept}, files)...)
		if part.Requests != 3 || part.LeftOut["not recorded"] != 1 {
			t.Errorf("with a gap: %+v", part.Report)
		}
	}
	status, stdout, stderr := called{args: slices.Concat([]string{"eval", "--replay", kept}, files)}.run(t)
	if status != statusUsage || stdout != "" || !strings.Contains(stderr, "None of the requests is recorded as a whole in ") {
		t.Errorf("nothing is recorded: status %d: %s%s", status, stdout, stderr)
	}
}
