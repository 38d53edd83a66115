package endpoint_test

import (
	"bytes"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/sashabaranov/go-openai"

	"atelier/agent/endpoint"
)

// serveTLS returns a server with an unknown certificate.
func serveTLS(t *testing.T) (string, *tries) {
	t.Helper()
	h := &tries{answer: status(200, answer)}
	s := httptest.NewUnstartedServer(h)
	s.Config.ErrorLog = log.New(io.Discard, "", 0)
	s.StartTLS()
	t.Cleanup(s.Close)
	return s.URL, h
}

func TestConfig(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name   string
		config endpoint.Config
		want   string // "" is no error
	}{
		{"OpenAI", endpoint.Config{Key: secret}, ""},
		{"local", endpoint.Config{BaseURL: "http://localhost:11434/v1/"}, ""},
		{"key of a file", endpoint.Config{Key: secret + "\n"}, ""},
		{"key of two lines", endpoint.Config{Key: secret + "\n" + secret}, "the key"},
		{"key with a typographic quote", endpoint.Config{Key: "“" + secret + "”"}, "the key"},
		{"no scheme", endpoint.Config{BaseURL: secret + ".example/v1"}, "base URL"},
		{"other scheme", endpoint.Config{BaseURL: "ftp://" + secret + "@x.example"}, "base URL"},
		{"no host", endpoint.Config{BaseURL: "http:///v1?" + secret}, "base URL"},
		{"no URL", endpoint.Config{BaseURL: "http://" + secret + " %zz"}, "base URL"},
		{"query", endpoint.Config{BaseURL: "http://x.example/v1?key=" + secret}, "query"},
		{"Azure without a resource", endpoint.Config{AzureVersion: "2024-10-21"}, "Azure"},
		{"Azure with a wrong version", endpoint.Config{BaseURL: "https://x.example", AzureVersion: "2024 10"}, "version"},
		{"timeout", endpoint.Config{Timeout: -1}, "negative"},
		{"size", endpoint.Config{MaxBody: -1}, "negative"},
	} {
		_, err := endpoint.New(c.config)
		switch {
		case c.want == "" && err != nil, c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)):
			t.Errorf("%s: %v", c.name, err)
		case err != nil && strings.Contains(err.Error(), secret):
			t.Errorf("%s tells the secret: %v", c.name, err)
		}
	}
}

func TestHost(t *testing.T) {
	t.Parallel()
	for base, want := range map[string]string{
		"": "api.openai.com",
		"http://" + secret + ":x@box.lan:8080/v1": "box.lan:8080",
		"http://[::1]:8000":                       "[::1]:8000",
	} {
		if got := build(t, endpoint.Config{BaseURL: base}).Host(); got != want {
			t.Errorf("%q: %q", base, got)
		}
	}
}

// sent is what a server received.
type sent struct {
	path, query, key, bearer, label, body string
}

func record(into *sent) func(http.ResponseWriter, *http.Request, int) {
	return func(w http.ResponseWriter, r *http.Request, _ int) {
		b, _ := io.ReadAll(r.Body) //nolint:errcheck // what came is compared
		*into = sent{
			path: r.URL.EscapedPath(), query: r.URL.RawQuery, key: r.Header.Get("Api-Key"),
			bearer: r.Header.Get("Authorization"), label: r.Header.Get("X-Client-Request-Id"), body: string(b),
		}
		write(w, http.StatusOK, answer)
	}
}

func TestWhatIsSent(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name   string
		config endpoint.Config
		path   string
		want   sent
	}{
		{"OpenAI", endpoint.Config{Key: secret}, "/v1/", sent{path: "/v1/chat/completions", bearer: "Bearer " + secret}},
		{"no key", endpoint.Config{}, "/v1", sent{path: "/v1/chat/completions"}},
		{
			"Azure", endpoint.Config{Key: secret, AzureVersion: "2024-10-21"}, "/openai/",
			sent{path: "/openai/deployments/gpt-test/chat/completions", query: "api-version=2024-10-21", key: secret},
		},
	} {
		var got sent
		server, _ := serve(t, record(&got))
		c.config.BaseURL = server.URL + c.path
		e := build(t, c.config)
		if _, err := ask(t.Context(), e); err != nil {
			t.Fatal(err)
		}
		got.body = ""
		if got != c.want || e.Azure() != (c.config.AzureVersion != "") {
			t.Errorf("%s: got %+v, want %+v", c.name, got, c.want)
		}
	}
}

// TestBodyIsSentAgain checks that each attempt sends the same body and the same label.
func TestBodyIsSentAgain(t *testing.T) {
	t.Parallel()
	var bodies, labels []string
	server, _ := serve(t, func(w http.ResponseWriter, r *http.Request, try int) {
		var got sent
		rec := httptest.NewRecorder()
		record(&got)(rec, r, try)
		bodies, labels = append(bodies, got.body), append(labels, got.label)
		then(status(500, ""))(w, r, try)
	})
	var w waits
	e := build(t, endpoint.Config{BaseURL: server.URL, Wait: w.wait})
	if _, err := ask(endpoint.Label(t.Context(), "r1", "settle", 2), e); err != nil {
		t.Fatal(err)
	}
	if len(bodies) != 2 || bodies[0] != bodies[1] || !strings.Contains(bodies[0], "gpt-test") {
		t.Errorf("bodies: %q", bodies)
	}
	if !slices.Equal(labels, []string{"r1/settle/2", "r1/settle/2"}) {
		t.Errorf("labels: %q", labels)
	}
}

// TestFormIsSentAgain checks that a form with a file is sent again, too.
func TestFormIsSentAgain(t *testing.T) {
	t.Parallel()
	var sizes []int64
	server, _ := serve(t, func(w http.ResponseWriter, r *http.Request, try int) {
		if err := r.ParseMultipartForm(1 << 20); err != nil { //nolint:gosec // the test sends it
			t.Error(err)
		}
		for _, f := range r.MultipartForm.File["file"] {
			sizes = append(sizes, f.Size)
		}
		if try == 1 {
			reset(w, r, try)
		}
		write(w, http.StatusOK, `{"text":"hello"}`)
	})
	var w waits
	e := build(t, endpoint.Config{BaseURL: server.URL, Wait: w.wait})
	r, err := e.Client().CreateTranscription(t.Context(), openai.AudioRequest{Model: "whisper", FilePath: "a.wav", Reader: bytes.NewReader(make([]byte, 1000))})
	if err != nil || r.Text != "hello" || !slices.Equal(sizes, []int64{1000, 1000}) {
		t.Errorf("got %q, %v, sizes %v", r.Text, err, sizes)
	}
}

// TestRedirects checks that a redirect to another server is not followed, and never gets the key.
func TestRedirects(t *testing.T) {
	t.Parallel()
	elsewhere, strangers := serve(t, status(200, answer))
	for _, c := range []struct {
		name string
		code int
		to   string
		kind endpoint.Kind
	}{
		{"to another host", 307, elsewhere.URL + "/v1/chat/completions", endpoint.Malformed},
		{"that changes the method", 302, "/there", endpoint.Malformed},
		{"on the same server", 308, "/there", ""},
		{"in a circle", 308, "", endpoint.Malformed},
	} {
		server, _ := serve(t, func(w http.ResponseWriter, r *http.Request, _ int) {
			if r.URL.Path == "/there" {
				write(w, http.StatusOK, answer)
				return
			}
			to := c.to
			if to == "" {
				to = r.URL.Path
			}
			w.Header().Set("Location", to)
			w.WriteHeader(c.code)
		})
		_, err := ask(t.Context(), build(t, endpoint.Config{BaseURL: server.URL, Key: secret}))
		if endpoint.KindOf(err) != c.kind || (err == nil) != (c.kind == "") {
			t.Errorf("%s: %v", c.name, err)
		}
	}
	if strangers.count() != 0 {
		t.Error("the other host was asked")
	}
}

func TestModels(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name   string
		answer func(http.ResponseWriter, *http.Request, int)
		want   []endpoint.Model
		kind   endpoint.Kind
	}{
		{"a list", status(200, `{"object":"list","data":[{"id":"b"},{"id":""},{"id":"a"}]}`), []endpoint.Model{{Name: "b"}, {Name: "a"}}, ""},
		{"ends", status(200, `{"data":[{"id":"old","shutdown_date":"2026-12-11"},{"id":"new","shutdown_date":null}]}`),
			[]endpoint.Model{{Name: "old", Ends: time.Date(2026, 12, 11, 0, 0, 0, 0, time.UTC)}, {Name: "new"}}, ""},
		{"odd entries", status(200, `{"data":[7,null,{"id":7},{"id":"a","created":"now","shutdown_date":7},{"id":"b","shutdown_date":"soon"}]}`),
			[]endpoint.Model{{Name: "a"}, {Name: "b"}}, ""},
		{"an array alone", status(200, `[{"id":"a","created":1.5}]`), []endpoint.Model{{Name: "a"}}, ""},
		{"an empty list", status(200, `{"object":"list","data":null}`), []endpoint.Model{}, ""},
		{"no list", status(200, `{}`), []endpoint.Model{}, ""},
		{"another list", status(200, `{"data":"none"}`), nil, endpoint.Malformed},
		{"no JSON", status(200, `hello`), nil, endpoint.Malformed},
		{"404", status(404, ""), nil, ""},
		{"405", status(405, ""), nil, ""},
		{"501", status(501, ""), nil, ""},
		{"401", status(401, ""), nil, endpoint.KeyRefused},
		{"a page", status(200, "<html>", "Content-Type", "text/html"), nil, endpoint.Malformed},
	} {
		server, _ := serve(t, c.answer)
		got, err := build(t, endpoint.Config{BaseURL: server.URL}).Models(t.Context())
		if !slices.Equal(got, c.want) || (got == nil) != (c.want == nil) || endpoint.KindOf(err) != c.kind || (err == nil) != (c.kind == "") {
			t.Errorf("%s: %v, %v", c.name, got, err)
		}
	}
	server, seen := serve(t, status(200, ""))
	if got, err := build(t, endpoint.Config{BaseURL: server.URL, AzureVersion: "2024-10-21"}).Models(t.Context()); got != nil || err != nil || seen.count() != 0 {
		t.Errorf("Azure: %v, %v", got, err)
	}
}

func TestModelAliases(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		model, name string
		serves      bool
	}{
		{"a", "a", true}, {"a", "b", false}, {"a:latest", "a", true}, {"a:7b", "a", false}, {"gpt-*", "gpt-6.1-terra", true}, {"gpt-*", "other", false},
	} {
		if (endpoint.Model{Name: c.model}).Serves(c.name) != c.serves {
			t.Errorf("%s serves %s: %v", c.model, c.name, !c.serves)
		}
	}
}
