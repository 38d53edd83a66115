package serve

import (
	"bytes"
	"context"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"atelier/bot/settings"
	"atelier/storage"
)

// TestReadinessIsAskedForOnce checks that concurrent requests share one check, and that a client that disconnects does
// not affect the others.
func TestReadinessIsAskedForOnce(t *testing.T) {
	t.Parallel()
	asked := 0
	r := readiness{fresh: time.Hour, log: slog.New(slog.DiscardHandler), parts: map[string]func(context.Context) error{"part": func(ctx context.Context) error {
		asked++
		return ctx.Err()
	}}}
	gone, stop := context.WithCancel(t.Context())
	stop()
	for range 3 {
		if faults := r.look(gone); len(faults) != 0 {
			t.Errorf("it says %v", faults)
		}
	}
	if asked != 1 {
		t.Errorf("it was asked for %d times", asked)
	}
	r.end()
	if faults := r.look(t.Context()); len(faults) != 1 {
		t.Errorf("at the end it says %v", faults)
	}
}

// TestStrangersSeeNoAddress checks that on a public port /readyz only names the parts that do not work, and that the
// log says why, once.
func TestStrangersSeeNoAddress(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	says := "Redis at 10.0.0.7:6379 cannot be used."
	r := readiness{log: slog.New(slog.NewTextHandler(&log, nil)), parts: map[string]func(context.Context) error{
		"state": func(context.Context) error { return &storage.Fault{Sentence: says} },
	}}
	for private, want := range map[bool]string{
		true: "state: " + says + "\n", false: "state: It does not work now; see the log.\n",
	} {
		got := httptest.NewRecorder()
		r.pages(http.NotFoundHandler(), private).ServeHTTP(got, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/readyz", http.NoBody))
		if got.Code != http.StatusServiceUnavailable || got.Body.String() != want {
			t.Errorf("private %t: %d %s", private, got.Code, got.Body)
		}
	}
	if strings.Count(log.String(), "not ready: "+says) != 1 {
		t.Errorf("the log says\n%s", &log)
	}
	for listen, want := range map[string]bool{"127.0.0.1:80": true, "[::1]:80": true, "localhost:80": true, ":80": false, "0.0.0.0:80": false, "10.0.0.7:80": false} {
		if got := settings.Private(listen); got != want {
			t.Errorf("%s: private is %t", listen, got)
		}
	}
}
