package llmtest_test

import (
	"bytes"
	"context"
	"fmt"
	"image"
	"image/color"
	"image/jpeg"
	"image/png"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/sashabaranov/go-openai"
	"go.uber.org/goleak"

	"atelier/agent/endpoint"
	"atelier/agent/planner/llm/llmtest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// watched is a testing.TB that catches the errors that the server reports.
type watched struct {
	testing.TB

	mu     sync.Mutex
	errors []string
}

func (w *watched) Helper() {}

func (w *watched) Errorf(format string, args ...any) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.errors = append(w.errors, fmt.Sprintf(format, args...))
}

// caught returns the errors so far, and clears them.
func (w *watched) caught() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	errors := w.errors
	w.errors = nil
	return errors
}

// client returns a real client without retries.
func client(t *testing.T, url string) *openai.Client {
	t.Helper()
	return newClient(t, endpoint.Config{BaseURL: url, Key: "sk-test", Retries: -1})
}

func newClient(t *testing.T, c endpoint.Config) *openai.Client {
	t.Helper()
	transport := &http.Transport{}
	t.Cleanup(transport.CloseIdleConnections)
	c.Transport = transport
	e, err := endpoint.New(c)
	if err != nil {
		t.Fatal(err)
	}
	return e.Client()
}

// request returns a simple request.
func wish(text string) openai.ChatCompletionRequest {
	return openai.ChatCompletionRequest{Model: "m", Messages: []openai.ChatCompletionMessage{{Role: "user", Content: text}}}
}

func ask(ctx context.Context, c *openai.Client, text string) (openai.ChatCompletionResponse, error) {
	return c.CreateChatCompletion(ctx, wish(text))
}

// send makes a call with headers as "Name: value", and returns the status and body of the response.
func send(t *testing.T, method, url, contentType, body string, header ...string) (int, string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Close = true // no connection outlives the test
	req.Header.Set("Content-Type", contentType)
	for _, h := range header {
		name, value, _ := strings.Cut(h, ": ")
		req.Header.Set(name, value)
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close() //nolint:errcheck // the body was read
	var b bytes.Buffer
	if _, err := b.ReadFrom(res.Body); err != nil {
		t.Fatal(err)
	}
	return res.StatusCode, b.String()
}

// fine accepts everything.
func fine(llmtest.Request) llmtest.Response { return llmtest.Response{Text: "fine"} }

// picture returns a picture whose left half is transparent if it has an alpha channel.
func picture(w, h int, alpha bool) image.Image {
	img := image.NewNRGBA(image.Rect(0, 0, w, h))
	for i := range w * h {
		c := color.NRGBA{200, 100, 50, 255}
		if alpha && i%w < w/2 {
			c.A = 0
		}
		img.SetNRGBA(i%w, i/w, c)
	}
	return img
}

// encoded returns a picture as a file of the format.
func encoded(tb testing.TB, format string, img image.Image) string {
	tb.Helper()
	var b bytes.Buffer
	var err error
	switch format {
	case "png":
		err = png.Encode(&b, img)
	case "jpeg":
		err = jpeg.Encode(&b, img, nil)
	default:
		tb.Fatal(format)
	}
	if err != nil {
		tb.Fatal(err)
	}
	return b.String()
}
