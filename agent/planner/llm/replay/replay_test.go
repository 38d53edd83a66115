package replay_test

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/sashabaranov/go-openai"
	"go.uber.org/goleak"

	"atelier/agent/endpoint"
	"atelier/agent/planner/llm/replay"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const key = "sk-secret-of-the-test"

// server answers every chat completion with a description of it, and counts them.
func server(t *testing.T) (url string, asked *atomic.Int64) {
	t.Helper()
	asked = &atomic.Int64{}
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked.Add(1)
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		w.Header().Set("Content-Type", "application/json")
		_, err = fmt.Fprintf(w,
			`{"id":"x","object":"chat.completion","created":7,"model":"m-2026","choices":[{"index":0,
			"message":{"role":"assistant","content":"%d bytes for %s"},"finish_reason":"stop"}],
			"usage":{"prompt_tokens":11,"completion_tokens":3,"total_tokens":14,"prompt_tokens_details":{"cached_tokens":8}}}`,
			len(body), r.Header.Get("X-Client-Request-Id"))
		if err != nil {
			t.Error(err)
		}
	}))
	t.Cleanup(s.Close)
	return s.URL + "/v1", asked
}

func open(t *testing.T, dir string) *replay.Recordings {
	t.Helper()
	r, err := replay.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func client(t *testing.T, url string, transport http.RoundTripper) *openai.Client {
	t.Helper()
	e, err := endpoint.New(endpoint.Config{BaseURL: url, Key: key, Retries: -1, Transport: transport})
	if err != nil {
		t.Fatal(err)
	}
	return e.Client()
}

func ask(t *testing.T, c *openai.Client, request, job string, round int, wish string) (openai.ChatCompletionResponse, error) {
	t.Helper()
	return c.CreateChatCompletion(endpoint.Label(t.Context(), request, job, round), openai.ChatCompletionRequest{
		Model: "m",
		Messages: []openai.ChatCompletionMessage{
			{Role: "system", Content: "You split wishes."},
			{Role: "user", Content: wish},
		},
	})
}

// transport returns a transport whose connections end with the test.
func transport(t *testing.T) http.RoundTripper {
	t.Helper()
	own := &http.Transport{}
	t.Cleanup(own.CloseIdleConnections)
	return own
}

// TestRoundTrip records with one value and replays with another, as two processes would.
func TestRoundTrip(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "made", "when needed")
	url, _ := server(t)
	record := open(t, dir)
	live := client(t, url, record.Record(transport(t)))

	calls := []struct {
		request, job string
		round        int
	}{
		{"image_detection-2", "decompose", 0},
		{"image_detection-2", "decompose", 1},
		{"image_detection-2", "respond", 0},
		{"../../Tür/ 1", "decompose", 0},
		{"index", "decompose", 0},
		{strings.Repeat("long", 90), "decompose", 0},
	}
	answers := make([]openai.ChatCompletionResponse, len(calls))
	for i, c := range calls {
		var err error
		if answers[i], err = ask(t, live, c.request, c.job, c.round, "turn it around <&>"); err != nil {
			t.Fatal(err)
		}
	}
	if err := record.SetAbout(replay.About{Model: "m-2026", Prompts: map[string]string{"decompose": "v3"}, Catalogue: "c1"}); err != nil {
		t.Fatal(err)
	}

	again := open(t, dir)
	if want := []string{"../../Tür/ 1", "image_detection-2", "index", strings.Repeat("long", 90)}; !cmp.Equal(again.Requests(), want) {
		t.Error(cmp.Diff(want, again.Requests()))
	}
	about, err := again.About()
	if want := (replay.About{Model: "m-2026", Prompts: map[string]string{"decompose": "v3"}, Catalogue: "c1"}); err != nil || !cmp.Equal(about, want) {
		t.Error(err, cmp.Diff(want, about))
	}
	replayed := client(t, "http://nowhere.invalid/v1", again.Replay())
	for i, c := range calls {
		got, err := ask(t, replayed, c.request, c.job, c.round, "turn it around <&>")
		if err != nil {
			t.Fatal(err)
		}
		if got.Choices[0].Message.Content != answers[i].Choices[0].Message.Content || got.Choices[0].FinishReason != "stop" {
			t.Errorf("%v: %+v, not %+v", c, got.Choices, answers[i].Choices)
		}
		if got.Model != "m" || got.Usage.PromptTokens != 11 || got.Usage.CompletionTokens != 3 ||
			got.Usage.TotalTokens != 14 || got.Usage.PromptTokensDetails.CachedTokens != 8 {
			t.Errorf("%v: model %s, usage %+v", c, got.Model, got.Usage)
		}
	}
	if stale := again.Stale(); len(stale) != 0 {
		t.Errorf("the same messages, and yet stale: %v", stale)
	}
	holdsNo(t, dir, key, "Authorization", "Bearer")
}

// holdsNo checks that no file of a folder contains the words.
func holdsNo(t *testing.T, dir string, words ...string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) == 0 {
		t.Fatal(entries, err)
	}
	for _, e := range entries {
		data, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			t.Fatal(err)
		}
		if strings.HasPrefix(e.Name(), ".") {
			t.Errorf("%s was left behind", e.Name())
		}
		for _, word := range words {
			if strings.Contains(string(data), word) {
				t.Errorf("%s holds %q", e.Name(), word)
			}
		}
	}
}

// TestFile shows the form of a recording, which is committed and reviewed.
func TestFile(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	url, _ := server(t)
	if _, err := ask(t, client(t, url, open(t, dir).Record(transport(t))), "edges", "decompose", 0, "find <the> edges"); err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(filepath.Join(dir, "edges.json"))
	if err != nil {
		t.Fatal(err)
	}
	want := `{
  "request": "edges",
  "exchanges": [
    {
      "job": "decompose",
      "round": 0,
      "model": "m",
      "user": "find <the> edges",
      "messages": "sha256:094cf1ca53d5941c647a6b90a6e3030efe37b69352013611679d0c70af0d5135",
      "content": "144 bytes for edges/decompose/0",
      "finish": "stop",
      "usage": {
        "input": 11,
        "cached": 8,
        "output": 3
      }
    }
  ]
}
`
	if diff := cmp.Diff(want, string(got)); diff != "" {
		t.Error(diff)
	}
}

func TestNotRecorded(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	url, _ := server(t)
	if _, err := ask(t, client(t, url, open(t, dir).Record(transport(t))), "known", "decompose", 0, "wish"); err != nil {
		t.Fatal(err)
	}
	r := open(t, dir)
	c := client(t, "http://nowhere.invalid/v1", r.Replay())
	for _, label := range []struct {
		request, job string
		round        int
	}{{"unknown", "decompose", 0}, {"known", "respond", 0}, {"known", "decompose", 1}, {"", "decompose", 0}, {"known", "", 0}} {
		_, err := ask(t, c, label.request, label.job, label.round, "wish")
		e, ok := errors.AsType[*endpoint.Error](err)
		if !ok || e.Status != http.StatusNotFound || e.Code != "not_recorded" {
			t.Errorf("%v: %v", label, err)
		}
	}
	if _, err := c.CreateSpeech(t.Context(), openai.CreateSpeechRequest{Model: "m", Input: "x", Voice: "y"}); err == nil {
		t.Error("speech is not recorded, and was answered")
	}
	e, err := endpoint.New(endpoint.Config{BaseURL: "http://nowhere.invalid/v1", Transport: r.Replay()})
	if err != nil {
		t.Fatal(err)
	}
	if models, err := e.Models(t.Context()); models != nil || err != nil {
		t.Error(models, err)
	}
}

// TestStale checks that a replay for changed messages is reported, but not rejected.
func TestStale(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	url, _ := server(t)
	if _, err := ask(t, client(t, url, open(t, dir).Record(transport(t))), "r", "decompose", 0, "wish"); err != nil {
		t.Fatal(err)
	}
	r := open(t, dir)
	if _, err := ask(t, client(t, url, r.Replay()), "r", "decompose", 0, "another wish"); err != nil {
		t.Fatal(err)
	}
	if got := r.Stale(); !cmp.Equal(got, []string{"r/decompose/0"}) {
		t.Error(got)
	}
}

// TestAboutEqual checks that any difference in the messages makes recordings differ.
func TestAboutEqual(t *testing.T) {
	t.Parallel()
	about := func(change func(*replay.About)) replay.About {
		a := replay.About{Model: "m", Decomposer: "d", Prompts: map[string]string{"settle": "1"}, Catalogue: "c", Context: 4096}
		change(&a)
		return a
	}
	same := about(func(*replay.About) {})
	if !same.Equal(about(func(*replay.About) {})) {
		t.Error("the same are told apart")
	}
	for name, change := range map[string]func(*replay.About){
		"model":           func(a *replay.About) { a.Model = "n" },
		"decomposer":      func(a *replay.About) { a.Decomposer = "" },
		"prompt":          func(a *replay.About) { a.Prompts["settle"] = "2" },
		"catalogue":       func(a *replay.About) { a.Catalogue = "e" },
		"context":         func(a *replay.About) { a.Context = 8192 },
		"prior knowledge": func(a *replay.About) { a.WithoutPrior = true },
	} {
		if same.Equal(about(change)) {
			t.Errorf("another %s is taken for the same", name)
		}
	}
}
