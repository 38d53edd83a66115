package guard

import (
	"errors"
	"net/http"
	"testing"
	"testing/synctest"
	"time"
)

// stream responds until its request ends.
var stream = http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() })

func TestStreamsEnd(t *testing.T) {
	t.Parallel()
	for _, accept := range []string{"text/event-stream", "*/*", ""} {
		synctest.Test(t, func(t *testing.T) {
			begun := time.Now()
			ask(newGuard(t, Config{Header: "Remote-User"}).Protect(stream), http.MethodGet, "/t/x/events", with("Remote-User", "Ana"), with("Accept", accept))
			if took := time.Since(begun); took != streamed {
				t.Errorf("the stream of %q went on for %v", accept, took)
			}
		})
	}
}

func TestStreamsEndWithTheirSession(t *testing.T) {
	t.Parallel()
	for _, method := range []string{http.MethodGet, http.MethodPost} {
		synctest.Test(t, func(t *testing.T) {
			state := &memory{}
			g := newGuard(t, Config{Password: secret, State: state})
			b := &browser{server: whole(g)}
			b.login("Ana", secret, "")
			session := b.cookie
			time.AfterFunc(10*time.Minute+time.Second, func() { state.fail(errors.New("no connection")) }) // which ends nothing
			time.AfterFunc(20*time.Minute+time.Second, func() { state.fail(nil) })
			time.AfterFunc(30*time.Minute+time.Second, func() { b.ask(http.MethodPost, "/logout") })
			begun := time.Now()
			ask(g.Protect(stream), method, "/t/x/events", func(r *http.Request) { r.AddCookie(session) })
			if took := time.Since(begun); took != 31*time.Minute {
				t.Errorf("%s: it went on for %v", method, took)
			}
		})
	}
}
