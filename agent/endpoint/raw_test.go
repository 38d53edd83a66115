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
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				body, _ := io.ReadAll(r.Body)                   //nolint:errcheck // the answer shows it
				_, _ = io.WriteString(w, strings.Join([]string{ //nolint:errcheck // the same
					r.Method, r.RequestURI, r.Header.Get("Content-Type"), r.Header.Get("Api-Key"), r.Header.Get("Authorization"), string(body),
				}, " "))
			}))
			t.Cleanup(server.Close)
			e, err := New(Config{BaseURL: server.URL + "/v1", Key: "secret-key", AzureVersion: c.version})
			if err != nil {
				t.Fatal(err)
			}
			got, err := e.Post(t.Context(), "/images/edits", c.model, "text/x", []byte("hello"))
			if err != nil || string(got) != c.want {
				t.Errorf("got %q, %v; want %q", got, err, c.want)
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
	if KindOf(err) != ModelUnknown || !strings.Contains(plan.Sentence(err, ""), "painter") {
		t.Errorf("got %v", err)
	}
}

// TestFetchStaysHere: a server that names an address elsewhere is not followed.
func TestFetchStaysHere(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.WriteString(w, r.URL.Path+" "+r.Header.Get("Authorization")) //nolint:errcheck // the answer shows it
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
		if err != nil || string(got) != "/hosted/1 Bearer secret-key" {
			t.Errorf("%s: got %q, %v", here, got, err)
		}
	}
	for _, address := range []string{
		elsewhere.URL + "/hosted/1", "//example.invalid/x", "ftp://example.invalid/x", "file:///etc/passwd", ":", "https" + strings.TrimPrefix(server.URL, "http"),
	} {
		if _, err := e.Fetch(t.Context(), address); KindOf(err) != Malformed || plan.Sentence(err, "") == "" {
			t.Errorf("%s: got %v", address, err)
		}
	}
}
