package main

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"atelier/agent/endpoint"
	"atelier/agent/plan"
	"atelier/agent/toolbox"
)

// idleBackend can run everything, and does nothing.
type idleBackend struct{ err error }

func (b idleBackend) Probe(context.Context, toolbox.Candidate) error { return b.err }

func (b idleBackend) Run(context.Context, toolbox.Candidate, toolbox.Call) (toolbox.Output, error) {
	return toolbox.Output{Value: "done"}, b.err
}

// Capacity is how much it does at a time.
func (idleBackend) Capacity(context.Context) int { return 3 }

// ModelOf is the model for everything.
func (b idleBackend) ModelOf(context.Context, toolbox.Candidate) string { return "idle-1" }

// TestHealthPath: nothing runs on a server whose health path does not answer well; it is
// asked at the root of the host, with the key, once for all candidates.
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
				if r.URL.Path != "/health" || r.Header.Get("Authorization") != "Bearer "+hush {
					t.Errorf("asked for %s", r.URL)
				}
				w.WriteHeader(c.status)
				_, _ = w.Write([]byte(c.body)) //nolint:errcheck // who asked is gone
			}))
			t.Cleanup(server.Close)
			s := backendServer{Name: "gpu1", URL: server.URL + "/v1", Health: "/health"}
			root, err := rootOf(s.URL)
			check(t, err)
			e, err := endpoint.New(endpoint.Config{BaseURL: root, Key: hush, Retries: -1})
			check(t, err)
			b := withHealth(idleBackend{c.backend}, s, e)
			for range 3 {
				err := b.Probe(t.Context(), toolbox.Candidate{})
				if !errors.Is(err, c.want) {
					t.Errorf("%v", err)
				}
				if says := plan.Sentence(err, plan.Message{}).String(); errors.Is(err, toolbox.ErrDown) && says != "The server gpu1 does not say that it is well." {
					t.Errorf("it says %q", says)
				}
			}
			if knows, ok := b.(toolbox.Knowing); !ok || knows.ModelOf(t.Context(), toolbox.Candidate{}) != "idle-1" {
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
			if err := withHealth(idleBackend{}, s, e).Probe(gone, toolbox.Candidate{}); !errors.Is(err, context.Canceled) {
				t.Errorf("of one who has gone: %v", err)
			}
		})
	}
}

// TestHealthOfTheFile: the path that the file names decides, whatever the server's kind
// would say.
func TestHealthOfTheFile(t *testing.T) {
	t.Parallel()
	ill := "http://" + serving(t, http.StatusServiceUnavailable)
	file := filepath.Join(t.TempDir(), "backends.yaml")
	write(t, file, "servers:\n  - {name: gpu1, kind: openai, url: \""+ill+"/v1\", health: /health, models: {chat: m}}\n")
	_, stdout, stderr := called{env: append(skyEnv(t), "BACKENDS_FILE="+file), args: []string{"tools", "--servers"}}.run(t)
	if !strings.Contains(stdout, "The server gpu1 does not say that it is well.") {
		t.Errorf("%s%s", stdout, stderr)
	}
}
