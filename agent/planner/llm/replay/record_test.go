package replay_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/sashabaranov/go-openai"

	"atelier/agent/endpoint"
	"atelier/agent/planner/llm/replay"
)

// TestNotKept checks that responses that are not answers are passed on unchanged, and not kept.
func TestNotKept(t *testing.T) {
	t.Parallel()
	choice := `{"choices":[{"message":{"role":"assistant","content":"fine"}}]}`
	for name, c := range map[string]struct {
		path, label string
		status      int
		body        string
		breaks      bool
	}{
		"a refusal of the server":  {"/v1/chat/completions", "r/j/0", 500, `{"error":{"message":"down"}}`, false},
		"another good status":      {"/v1/chat/completions", "r/j/0", 202, choice, false},
		"no JSON":                  {"/v1/chat/completions", "r/j/0", 200, `{"choices":[`, false},
		"no choice":                {"/v1/chat/completions", "r/j/0", 200, `{"choices":[]}`, false},
		"an error with status 200": {"/v1/chat/completions", "r/j/0", 200, `{"error":{"message":"down"}}`, false},
		"no label":                 {"/v1/chat/completions", "", 200, choice, false},
		"a label of others":        {"/v1/chat/completions", "5f3a", 200, choice, false},
		"a negative round":         {"/v1/chat/completions", "r/j/-1", 200, choice, false},
		"another call":             {"/v1/embeddings", "r/j/0", 200, choice, false},
		"a broken answer":          {"/v1/chat/completions", "r/j/0", 200, choice, true},
		"an endless answer":        {"/v1/chat/completions", "r/j/0", 200, choice + strings.Repeat(" ", 17<<20), false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				if c.breaks {
					w.Header().Set("Content-Length", "1000")
				}
				w.WriteHeader(c.status)
				_, err := io.WriteString(w, c.body)
				if err := errors.Join(err, http.NewResponseController(w).Flush()); err != nil {
					t.Error(err)
				}
				if c.breaks {
					panic(http.ErrAbortHandler)
				}
			}))
			t.Cleanup(s.Close)
			dir := filepath.Join(t.TempDir(), "recordings")
			r := open(t, dir)
			req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.URL+c.path, strings.NewReader(`{"model":"m","messages":[]}`))
			if err != nil {
				t.Fatal(err)
			}
			req.Header.Set("X-Client-Request-Id", c.label)
			res, err := r.Record(transport(t)).RoundTrip(req)
			if err != nil {
				t.Fatal(err)
			}
			body, err := io.ReadAll(res.Body)
			if (err != nil) != c.breaks || !c.breaks && string(body) != c.body || res.StatusCode != c.status {
				t.Errorf("%d, %d bytes of %d, %v", res.StatusCode, len(body), len(c.body), err)
			}
			if err := res.Body.Close(); err != nil {
				t.Error(err)
			}
			if _, err := os.Stat(dir); !errors.Is(err, os.ErrNotExist) || len(r.Requests()) != 0 {
				t.Errorf("it was kept: %v, %v", r.Requests(), err)
			}
		})
	}
}

func body(content string) []byte {
	return replay.Exchange{Model: "m", Content: content, Finish: "stop"}.Body()
}

// question is a chat completion request with pictures.
const question = `{"model":"m","messages":[{"role":"system","content":"sys"},{"role":"user","content":"one"},
	{"role":"assistant","content":"yes"},{"role":"user","content":[{"type":"text","text":"two"},{"type":"image_url","image_url":{"url":"data:image/png;base64,AAAA"}}]}]}`

func keep(t *testing.T, r *replay.Recordings, request, job string, round int, content string) {
	t.Helper()
	if err := r.Keep(request, job, round, []byte(question), body(content)); err != nil {
		t.Fatal(err)
	}
}

func TestKeepWithoutMedia(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	keep(t, open(t, dir), "r", "j", 0, "answer")
	e, ok := open(t, dir).Answer("r", "j", 0)
	if !ok || e.User != "one\n\ntwo" || e.Content != "answer" || e.Usage != nil {
		t.Errorf("%+v, %v", e, ok)
	}
	holdsNo(t, dir, "AAAA", "sys", "yes")
}

// TestAgain checks that recording a request a second time leaves nothing of the first recording.
func TestAgain(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	first := open(t, dir)
	keep(t, first, "r", "decompose", 0, "bad")
	keep(t, first, "r", "decompose", 1, "repaired")
	keep(t, first, "r", "respond", 0, "answer")
	keep(t, first, "other", "decompose", 0, "stays")

	second := open(t, dir)
	keep(t, second, "r", "decompose", 0, "good")
	keep(t, second, "r", "respond", 0, "answered")
	keep(t, second, "r", "decompose", 0, "better")

	for _, r := range []*replay.Recordings{second, open(t, dir)} {
		for label, want := range map[string]string{
			"r/decompose/0": "better", "r/respond/0": "answered", "r/decompose/1": "", "other/decompose/0": "stays",
		} {
			request, job, round, _ := endpoint.ParseLabel(label)
			if e, ok := r.Answer(request, job, round); e.Content != want || ok != (want != "") {
				t.Errorf("%s: %+v, %v", label, e, ok)
			}
		}
	}
}

func TestAnswersAreTheSame(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]replay.Exchange{
		"text":      {Content: "a\n\"b\" ünï \u2028", Finish: "stop", Usage: &replay.Usage{Input: 1, Output: 2}},
		"cut":       {Content: "{", Finish: "length"},
		"no finish": {Content: "text"},
		"a refusal": {Refusal: "I will not.", Finish: "stop"},
		"nothing":   {Finish: "content_filter"},
	} {
		dir := t.TempDir()
		if err := open(t, dir).Keep("r", "j", 0, []byte(question), want.Body()); err != nil {
			t.Fatal(err)
		}
		got, ok := open(t, dir).Answer("r", "j", 0)
		want.Job, want.Model, want.User, want.Messages = "j", "m", got.User, got.Messages
		if diff := cmp.Diff(want, got); !ok || diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

func TestDamaged(t *testing.T) {
	t.Parallel()
	whole := `{"request":"r","exchanges":[{"job":"j","round":0,"model":"m","user":"","messages":"","content":""}]}`
	for name, c := range map[string]struct{ file, data, why string }{
		"empty":             {"r.json", ``, "EOF"},
		"cut":               {"r.json", whole[:40], "EOF"},
		"two values":        {"r.json", whole + "{}", "unexpected data"},
		"unknown field":     {"r.json", `{"request":"r","exchange":[]}`, "unknown field"},
		"wrong type":        {"r.json", strings.Replace(whole, `"round":0`, `"round":"0"`, 1), "cannot unmarshal"},
		"no request":        {"r.json", strings.Replace(whole, `"r"`, `""`, 1), "no request"},
		"no exchange":       {"r.json", `{"request":"r","exchanges":[]}`, "no exchanges"},
		"no job":            {"r.json", strings.Replace(whole, `"j"`, `""`, 1), "has no job"},
		"no model":          {"r.json", strings.Replace(whole, `"m"`, `""`, 1), "has no model"},
		"a negative round":  {"r.json", strings.Replace(whole, `"round":0`, `"round":-1`, 1), "has round -1"},
		"negative tokens":   {"r.json", strings.Replace(whole, `"content":""`, `"content":"","usage":{"input":1,"output":-1}`, 1), "negative token counts"},
		"the same twice":    {"r.json", strings.Replace(whole, `}]}`, `},{"job":"j","round":0,"model":"m","user":"","messages":"","content":""}]}`, 1), "duplicate exchange"},
		"another's name":    {"s.json", whole, "must be r.json"},
		"what it was about": {"index.json", `{"model":7}`, "cannot unmarshal"},
	} {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, c.file), []byte(c.data), 0o600); err != nil {
			t.Fatal(err)
		}
		_, err := replay.Open(dir)
		if err == nil || !strings.Contains(err.Error(), c.why) || !strings.Contains(err.Error(), filepath.Join(dir, c.file)+" is damaged") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestOthers checks that other files stay: notes, folders, and leftovers of a crash.
func TestOthers(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "old.json"), 0o700); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"README.md", ".part-123.json"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("half of it"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if got := open(t, dir).Requests(); len(got) != 0 {
		t.Error(got)
	}
	if _, err := replay.Open(filepath.Join(dir, "README.md")); err == nil {
		t.Error("a file was opened as a folder")
	}
}

// TestUnwritable checks that a call whose answer cannot be saved fails, and that no further call is made.
func TestUnwritable(t *testing.T) {
	t.Parallel()
	url, asked := server(t)
	dir := filepath.Join(t.TempDir(), "recordings")
	r := open(t, dir)
	if err := os.WriteFile(dir, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	c := client(t, url, r.Record(transport(t)))
	for range 3 {
		if _, err := ask(t, c, "r", "j", 0, "wish"); err == nil {
			t.Error("the answer was not kept, and nobody was told")
		}
	}
	if n := asked.Load(); n != 1 {
		t.Errorf("%d calls", n)
	}
	if err := r.SetAbout(replay.About{Model: "m"}); err == nil {
		t.Error("what it is about was not written, and nobody was told")
	}
}

// TestKeepRefuses checks that answers that could not be read again are rejected.
func TestKeepRefuses(t *testing.T) {
	t.Parallel()
	r := open(t, t.TempDir())
	for name, err := range map[string]error{
		"no JSON":          r.Keep("r", "j", 0, []byte("{"), body("x")),
		"no request":       r.Keep("", "j", 0, []byte(question), body("x")),
		"no job":           r.Keep("r", "", 0, []byte(question), body("x")),
		"a negative round": r.Keep("r", "j", -1, []byte(question), body("x")),
		"no model":         r.Keep("r", "j", 0, []byte("{}"), body("x")),
	} {
		if err == nil {
			t.Errorf("%s was kept", name)
		}
	}
	if got := r.Requests(); len(got) != 0 {
		t.Error(got)
	}
}

func TestEndedContext(t *testing.T) {
	t.Parallel()
	r := open(t, t.TempDir())
	keep(t, r, "r", "j", 0, "answer")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://nowhere.invalid/chat/completions", http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("X-Client-Request-Id", "r/j/0")
	res, err := r.Replay().RoundTrip(req)
	if !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if err == nil {
		t.Error(res.Body.Close())
	}
}

// TestAtOnce records many requests concurrently, and replays them concurrently.
func TestAtOnce(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	url, _ := server(t)
	record := open(t, dir)
	atOnce(t, client(t, url, record.Record(transport(t))))
	again := open(t, dir)
	if got := again.Requests(); !slices.Equal(got, record.Requests()) || len(got) != 8 {
		t.Error(got)
	}
	atOnce(t, client(t, "http://nowhere.invalid/v1", again.Replay()))
	if stale := again.Stale(); len(stale) != 0 {
		t.Error(stale)
	}
}

func atOnce(t *testing.T, c *openai.Client) {
	t.Helper()
	var wg sync.WaitGroup
	for i := range 32 {
		wg.Go(func() {
			request, job := fmt.Sprintf("r%d", i%8), fmt.Sprintf("j%d", i/8)
			res, err := ask(t, c, request, job, i, "wish")
			if err != nil || !strings.HasSuffix(res.Choices[0].Message.Content, fmt.Sprintf(" for %s/%s/%d", request, job, i)) {
				t.Errorf("%v, %+v", err, res.Choices)
			}
		})
	}
	wg.Wait()
}
