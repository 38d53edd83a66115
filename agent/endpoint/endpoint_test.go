package endpoint

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"atelier/agent/plan"
)

func TestPost(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		version, model, want string
	}{
		"OpenAI": {"", "m", "POST /v1/images/edits text/x  Bearer secret-key hello"},
		"Azure":  {"2024-10-21", "my model", "POST /v1/openai/deployments/my%20model/images/edits?api-version=2024-10-21 text/x secret-key  hello"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			asked := make(chan string, 1)
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				body, err := io.ReadAll(r.Body)
				if err != nil {
					t.Error(err)
				}
				asked <- strings.Join([]string{
					r.Method, r.RequestURI, r.Header.Get("Content-Type"), r.Header.Get("Api-Key"), r.Header.Get("Authorization"), string(body),
				}, " ")
				w.WriteHeader(http.StatusNoContent)
			}))
			t.Cleanup(server.Close)
			e, err := New(Config{BaseURL: server.URL + "/v1", Key: "secret-key", AzureVersion: c.version})
			if err != nil {
				t.Fatal(err)
			}
			answer, err := e.Post(t.Context(), "/images/edits", c.model, "text/x", []byte("hello"))
			if err != nil || len(answer) > 0 {
				t.Fatalf("got %q, %v", answer, err)
			}
			if got := <-asked; got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

func TestPostSortsItsErrors(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.NotFoundHandler())
	t.Cleanup(server.Close)
	e, err := New(Config{BaseURL: server.URL, Key: "secret-key"})
	if err != nil {
		t.Fatal(err)
	}
	_, err = e.Post(t.Context(), "/images/edits", "painter", "text/x", nil)
	if KindOf(err) != ModelUnknown || !strings.Contains(plan.OperatorSentence(err, plan.Message{}).String(), "painter") {
		t.Errorf("got %v", err)
	}
}

// TestFetchStaysHere checks that an address on another server is not followed.
func TestFetchStaysHere(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/hosted/1" || r.Header.Get("Authorization") != "Bearer secret-key" {
			t.Errorf("asked for %s with %v", r.URL, r.Header)
		}
		w.WriteHeader(http.StatusOK)
		if _, err := io.WriteString(w, "picture"); err != nil {
			t.Error(err)
		}
	}))
	t.Cleanup(server.Close)
	elsewhere := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		t.Errorf("asked for %s", r.URL)
	}))
	t.Cleanup(elsewhere.Close)
	e, err := New(Config{BaseURL: server.URL + "/v1", Key: "secret-key"})
	if err != nil {
		t.Fatal(err)
	}
	for _, here := range []string{server.URL + "/hosted/1", "/hosted/1"} {
		got, err := e.Fetch(t.Context(), here)
		if err != nil || string(got) != "picture" {
			t.Errorf("%s: got %q, %v", here, got, err)
		}
	}
	for _, address := range []string{
		elsewhere.URL + "/hosted/1", "//example.invalid/x", "ftp://example.invalid/x", "file:///etc/passwd", ":", "https" + strings.TrimPrefix(server.URL, "http"),
	} {
		if _, err := e.Fetch(t.Context(), address); KindOf(err) != Malformed || plan.OperatorSentence(err, plan.Message{}).String() == "" {
			t.Errorf("%s: got %v", address, err)
		}
	}
}
