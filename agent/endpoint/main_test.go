package endpoint_test

import (
	"bytes"
	"context"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"github.com/sashabaranov/go-openai"
	"go.uber.org/goleak"

	"atelier/agent/endpoint"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const answer = `{"id":"1","object":"chat.completion","model":"m","choices":[{"index":0,"message":{"role":"assistant","content":"hello"},"finish_reason":"stop"}]}`

// secret is a key in the usual form.
const secret = "sk-proj-Abc123Def456Ghi789" //nolint:gosec // nobody's

// waits replaces the clock: it records the waits, which take no time.
type waits struct {
	mu   sync.Mutex
	list []time.Duration
}

func (w *waits) wait(_ context.Context, d time.Duration) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.list = append(w.list, d)
	return nil
}

// tries answers each attempt by its number, from 1, and counts them.
type tries struct {
	mu     sync.Mutex
	n      int
	answer func(w http.ResponseWriter, r *http.Request, try int)
}

func (t *tries) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	t.mu.Lock()
	t.n++
	n := t.n
	t.mu.Unlock()
	t.answer(w, r, n)
}

func (t *tries) count() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.n
}

// serve starts the test's own server.
func serve(t *testing.T, answer func(w http.ResponseWriter, r *http.Request, try int)) (*httptest.Server, *tries) {
	t.Helper()
	h := &tries{answer: answer}
	s := httptest.NewServer(h)
	t.Cleanup(s.Close)
	return s, h
}

func build(t *testing.T, c endpoint.Config) *endpoint.Endpoint {
	t.Helper()
	e, err := endpoint.New(c)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// ask makes one call as the language jobs do.
func ask(ctx context.Context, e *endpoint.Endpoint) (string, error) {
	r, err := e.Client().CreateChatCompletion(ctx, openai.ChatCompletionRequest{
		Model:    "gpt-test",
		Messages: []openai.ChatCompletionMessage{{Role: "user", Content: "please make my cat a cartoon"}},
	})
	if err != nil {
		return "", endpoint.Explain(err, "gpt-test")
	}
	return r.Choices[0].Message.Content, nil
}

// write responds with a status and a JSON body.
func write(w http.ResponseWriter, status int, body string) {
	if w.Header().Get("Content-Type") == "" {
		w.Header().Set("Content-Type", "application/json")
	}
	w.WriteHeader(status)
	_, _ = w.Write([]byte(body)) //nolint:errcheck // the client may be gone
}

// journal is a log that can be read while it is written.
type journal struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (j *journal) Write(p []byte) (int, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.b.Write(p)
}

func (j *journal) String() string {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.b.String()
}

func (j *journal) logger() *slog.Logger {
	return slog.New(slog.NewTextHandler(j, &slog.HandlerOptions{Level: slog.LevelDebug}))
}
