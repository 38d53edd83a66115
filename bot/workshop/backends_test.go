package workshop

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"atelier/agent/endpoint"
	"atelier/agent/plan"
	"atelier/agent/toolbox"
	"atelier/bot/bottest"
	"atelier/bot/fault"
	"atelier/bot/settings"
)

// deadline rejects every call, and records its deadline.
type deadline struct{ at time.Time }

func (d *deadline) RoundTrip(r *http.Request) (*http.Response, error) {
	d.at, _ = r.Context().Deadline()
	return &http.Response{StatusCode: http.StatusUnauthorized, Header: http.Header{}, Body: io.NopCloser(strings.NewReader("{}")), Request: r}, nil
}

// TestTimeout checks that an attempt of a call has the configured time.
func TestTimeout(t *testing.T) {
	t.Parallel()
	for value, want := range map[string]time.Duration{"1s": time.Second, "": 2 * time.Minute, "1h": time.Hour} {
		config, err := settings.Read([]string{"OPENAI_API_KEY=sk-1", "OPENAI_MODEL=m", "OPENAI_TIMEOUT=" + value}, nil, nil)
		if err != nil {
			t.Fatal(err)
		}
		var d deadline
		catalogue, err := bottest.Builtin()
		if err != nil {
			t.Fatal(err)
		}
		m, err := Workshop{Config: config, Transport: &d}.LanguageModel(catalogue, Pictures{}, nil)
		if err != nil {
			t.Fatal(err)
		}
		before := time.Now()
		_, err = m.Decompose(t.Context(), plan.Request{ID: "r", Wish: "draw a cat"}, &plan.Thinking{})
		if after := time.Now(); err == nil || d.at.Before(before.Add(want)) || d.at.After(after.Add(want)) {
			t.Errorf("%s: it may take %v: %v", value, d.at.Sub(before), err)
		}
	}
}

// TestCloudMedia checks that the tools send no files to a server on the internet without permission.
func TestCloudMedia(t *testing.T) {
	t.Parallel()
	for value, leaves := range map[string]bool{"false": false, "true": true} {
		config, err := settings.Read([]string{"OPENAI_BASE_URL=https://models.example.com/v1", "OPENAI_MODEL=m", "ALLOW_CLOUD_MEDIA=" + value}, nil, nil)
		if err != nil {
			t.Fatal(err)
		}
		servers, err := (&workbench{shop: Workshop{Config: config}}).servers(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		tools := servers[slices.IndexFunc(servers, func(s toolbox.Server) bool { return s.Kind == settings.OpenAIKind })]
		stopped, cancel := context.WithCancel(t.Context())
		cancel() // so that the server is not asked
		err = tools.Backend.Probe(stopped, toolbox.Candidate{Backing: toolbox.Backing{Kind: "openai", Run: "chat-vision", Prompt: "Describe it."}})
		if err == nil || strings.Contains(fault.Sentence(err), "set ALLOW_CLOUD_MEDIA=true") == leaves {
			t.Errorf("%s: %v", value, err)
		}
	}
}

func TestServiceNames(t *testing.T) {
	t.Parallel()
	for base, want := range map[string]string{
		"https://a.example.com": "a.example.com", "http://a.example.com": "http-a.example.com", "http://gpu1:8000": "gpu1-8000",
		"https://gpu1:8443": "https-gpu1-8443", "http://[::1]:8000": "1-8000", "https://[::1]": "1", "http://[::1]": "http-1",
	} {
		if got := ServiceName(base); got != want {
			t.Errorf("%s is called %s, want %s", base, got, want)
		}
	}
}

// TestHealthPath checks that nothing runs on a server whose health path fails. It is requested at the root of the
// host, with the key, once for all candidates.
func TestHealthPath(t *testing.T) {
	t.Parallel()
	broken := errors.New("no such model")
	for name, c := range map[string]struct {
		status  int
		body    string
		backend error
		want    error
	}{
		"well":             {http.StatusOK, "ok", nil, nil},
		"well, no content": {http.StatusNoContent, "", nil, nil},
		"without a model":  {http.StatusOK, "ok", broken, broken},
		"ill":              {http.StatusInternalServerError, "<html>", nil, toolbox.ErrDown},
		"no such path":     {http.StatusNotFound, "", nil, toolbox.ErrDown},
		"key refused":      {http.StatusUnauthorized, "", nil, toolbox.ErrDown},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var asked atomic.Int32
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				asked.Add(1)
				if r.URL.Path != "/health" || r.Header.Get("Authorization") != "Bearer "+bottest.Hush {
					t.Errorf("asked for %s", r.URL)
				}
				w.WriteHeader(c.status)
				_, _ = w.Write([]byte(c.body)) //nolint:errcheck // who asked is gone
			}))
			t.Cleanup(server.Close)
			s := settings.BackendServer{Name: "gpu1", URL: server.URL + "/v1", Health: "/health"}
			root, err := rootOf(s.URL)
			bottest.Check(t, err)
			e, err := endpoint.New(endpoint.Config{BaseURL: root, Key: bottest.Hush, Retries: -1})
			bottest.Check(t, err)
			b := withHealth(bottest.IdleBackend{Err: c.backend}, s, e)
			for range 3 {
				err := b.Probe(t.Context(), toolbox.Candidate{})
				if !errors.Is(err, c.want) {
					t.Errorf("%v", err)
				}
				if says := plan.Sentence(err, plan.Message{}).String(); errors.Is(err, toolbox.ErrDown) && says != "The server gpu1 does not report that it is healthy." {
					t.Errorf("it says %q", says)
				}
			}
			if knows, ok := b.(toolbox.ModelNamer); !ok || knows.ModelOf(t.Context(), toolbox.Candidate{}) != "idle-1" {
				t.Error("the model that it asks is not known")
			}
			if sized, ok := b.(toolbox.Sized); !ok || sized.Capacity(t.Context()) != 3 {
				t.Error("how much the server works on at a time is not known")
			}
			if asked.Load() != 1 {
				t.Errorf("asked %d times", asked.Load())
			}
			gone, stop := context.WithCancel(t.Context())
			stop()
			if err := withHealth(bottest.IdleBackend{}, s, e).Probe(gone, toolbox.Candidate{}); !errors.Is(err, context.Canceled) {
				t.Errorf("of one who has gone: %v", err)
			}
		})
	}
}
