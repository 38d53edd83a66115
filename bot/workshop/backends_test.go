package workshop

import (
	"context"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"atelier/agent/plan"
	"atelier/agent/toolbox"
	"atelier/bot/bottest"
	"atelier/bot/fault"
	"atelier/bot/settings"
)

// deadline refuses every call, and keeps until when it may take.
type deadline struct{ at time.Time }

func (d *deadline) RoundTrip(r *http.Request) (*http.Response, error) {
	d.at, _ = r.Context().Deadline()
	return &http.Response{StatusCode: http.StatusUnauthorized, Header: http.Header{}, Body: io.NopCloser(strings.NewReader("{}")), Request: r}, nil
}

// TestTimeout: a try of a call has the time that is set.
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

// TestCloudMedia: the tools keep files from a server in the internet unless they may leave.
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
