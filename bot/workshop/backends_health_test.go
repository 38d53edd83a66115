package workshop

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"

	"atelier/agent/endpoint"
	"atelier/agent/plan"
	"atelier/agent/toolbox"
	"atelier/bot/bottest"
	"atelier/bot/settings"
)

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
