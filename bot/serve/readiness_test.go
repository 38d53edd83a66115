package serve

import (
	"context"
	"net/http"
	"net/http/httptest"
	"testing"

	"atelier/bot/bottest"
)

// TestBackendsMakeNobodyUnready checks that /readyz shows the servers' health only to private callers, and that a server
// that is down or paused leaves the process ready.
func TestBackendsMakeNobodyUnready(t *testing.T) {
	t.Parallel()
	tools := bottest.Painters(t)
	bottest.Wear(t, tools)
	well := func(context.Context) error { return nil }
	r := readiness{parts: map[string]func(context.Context) error{"state": well}, backends: tools.Health}
	for private, want := range map[bool]string{
		false: "ok\n",
		true: "ok\n" +
			"backend native: up, 1 of 1 ways, 0 running, 0 waiting\n" +
			"backend far: down, 0 of 1 ways, 0 running, 0 waiting, its model is paused after repeated failures: " +
			"far failed several times in a row; it will be tried again in half a minute.\n" +
			"backend gone: down, 0 of 1 ways, 0 running, 0 waiting: Nobody answers at 10.0.0.7.\n",
	} {
		got := httptest.NewRecorder()
		r.pages(http.NotFoundHandler(), private).ServeHTTP(got, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/readyz", http.NoBody))
		if got.Code != http.StatusOK || got.Body.String() != want {
			t.Errorf("private %t: %d\n%s", private, got.Code, got.Body)
		}
	}
}
