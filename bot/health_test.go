package main

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"maps"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"atelier/adapters"
	"atelier/agent/plan"
	"atelier/storage"
)

func TestHealth(t *testing.T) {
	t.Parallel()
	status := http.StatusOK
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/healthz" {
			t.Errorf("%s was asked for", r.URL)
		}
		w.WriteHeader(status)
	}))
	t.Cleanup(server.Close)
	_, port, err := net.SplitHostPort(server.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	for _, listen := range []string{":" + port, "0.0.0.0:" + port, "127.0.0.1:" + port} {
		if status, stdout, stderr := run(t, map[string]string{"ATELIER_LISTEN": listen}, "health"); status != statusDone || stdout != "ok\n" {
			t.Errorf("%s: status %d, %s%s", listen, status, stdout, stderr)
		}
	}
	status = http.StatusServiceUnavailable
	for listen, want := range map[string]struct {
		status int
		says   string
	}{
		"127.0.0.1:" + port: {statusFailed, "bot: What answers at " + server.URL + "/healthz is not healthy: 503 Service Unavailable.\n"},
		"127.0.0.1:1":       {statusFailed, "bot: No Atelier answers at http://127.0.0.1:1/healthz.\n"},
		"off":               {statusUsage, "bot: ATELIER_LISTEN is off: there is nothing to be asked.\n"},
	} {
		if status, _, stderr := run(t, map[string]string{"ATELIER_LISTEN": listen}, "health"); status != want.status || stderr != want.says {
			t.Errorf("%s: status %d, %s", listen, status, stderr)
		}
	}
	if got := reachable("[::]:80"); got != "[::1]:80" {
		t.Errorf("[::]:80 is reached at %s", got)
	}
}

// TestReadinessIsAskedForOnce: many who ask cost no more than one, and one who goes away
// spoils nothing for the others.
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

// TestPartsSayNoSecrets: what has no sentence of its own is not repeated.
func TestPartsSayNoSecrets(t *testing.T) {
	t.Parallel()
	failed := checkAll(t.Context(), map[string]func(context.Context) error{
		"well":  func(context.Context) error { return nil },
		"state": func(context.Context) error { return &storage.Fault{Sentence: "State.", Err: errors.New("hidden")} },
		"chat":  func(context.Context) error { return &adapters.Fault{Sentence: "Chat.", Err: errors.New("hidden")} },
		"other": func(context.Context) error { return &plan.Fault{Sentence: plan.Say("Other.")} },
		"raw":   func(context.Context) error { return errors.New("hidden") },
		"slow":  func(ctx context.Context) error { <-ctx.Done(); return ctx.Err() },
	}, time.Millisecond)
	told := map[string]string{}
	for name, err := range failed {
		told[name] = partSentence(err)
	}
	want := map[string]string{
		"state": "State.", "chat": "Chat.", "other": "Other.", "raw": "It does not work; the log says more.", "slow": "It does not answer in time.",
	}
	if !maps.Equal(told, want) || strings.Contains(told["raw"], "hidden") {
		t.Errorf("it says %v", told)
	}
}

// TestStrangersAreToldNoAddress: on an open port /readyz names what does not work, and the
// log says why, once.
func TestStrangersAreToldNoAddress(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	says := "Redis at 10.0.0.7:6379 cannot be used."
	r := readiness{log: slog.New(slog.NewTextHandler(&log, nil)), parts: map[string]func(context.Context) error{
		"state": func(context.Context) error { return &storage.Fault{Sentence: says} },
	}}
	for private, want := range map[bool]string{
		true: "state: " + says + "\n", false: "state: It does not work just now; the log says more.\n",
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
		if got := private(listen); got != want {
			t.Errorf("%s: private is %t", listen, got)
		}
	}
}
