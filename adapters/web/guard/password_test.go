package guard

import (
	"log/slog"
	"net/http"
	"strings"
	"testing"
)

// as sends a password as programs do.
func as(password string) func(*http.Request) {
	return func(r *http.Request) { r.SetBasicAuth("anybody", password) }
}

func TestBasic(t *testing.T) {
	t.Parallel()
	g := newGuard(t, Config{Password: secret, State: &memory{}})
	h := g.Basic(greet)
	for range 100 { // which is no guess
		answer := ask(h, http.MethodGet, "/metrics")
		wants(t, answer, http.StatusUnauthorized)
		if ask := answer.header.Get("WWW-Authenticate"); !strings.HasPrefix(ask, "Basic ") || strings.Contains(answer.text, "leave=") {
			t.Fatal(ask, answer.text)
		}
	}
	for range 100 { // neither is the password
		wants(t, ask(h, http.MethodGet, "/metrics", as(secret)), http.StatusOK)
	}
	wants(t, ask(h, http.MethodGet, "/metrics", as("wrong horse")), http.StatusUnauthorized)
	wants(t, ask(newGuard(t, Config{}).Basic(greet), http.MethodGet, "/metrics"), http.StatusOK)
	wants(t, ask(newGuard(t, Config{}).Basic(greet), http.MethodGet, "/metrics", under("evil.example")), http.StatusMisdirectedRequest)
}

// TestWaysInAreLockedByThemselves checks that guesses at the login do not lock out programs that know the
// password, and vice versa.
func TestWaysInAreLockedByThemselves(t *testing.T) {
	t.Parallel()
	now, log := newClock(), &strings.Builder{}
	g := newGuard(t, Config{Password: secret, State: &memory{}, Now: now.now, Log: slog.New(slog.NewTextHandler(log, nil))})
	b := &browser{server: whole(g)}
	scrape := func(password string, change ...func(*http.Request)) reply {
		return ask(g.Basic(greet), http.MethodGet, "/metrics", append(change, as(password))...)
	}
	for range freeGuesses {
		wants(t, b.login("Ana", "wrong horse", ""), http.StatusForbidden)
	}
	wants(t, b.login("Ana", secret, ""), http.StatusTooManyRequests)
	wants(t, scrape(secret), http.StatusOK)
	wants(t, b.login("Ana", secret, ""), http.StatusTooManyRequests) // which is no way round its lock
	now.advance(longestWait)
	for range freeGuesses {
		wants(t, scrape("wrong horse"), http.StatusUnauthorized)
	}
	for range 2 {
		got := scrape(secret)
		wants(t, got, http.StatusTooManyRequests)
		if retry(t, got) <= 0 || strings.Contains(got.text, "leave=") {
			t.Error(got.text)
		}
	}
	wants(t, b.login("Ana", secret, ""), http.StatusSeeOther)
	wants(t, scrape(secret, from("192.168.1.5")), http.StatusOK) // others need not wait
	now.advance(longestWait)
	wants(t, scrape(secret), http.StatusOK)
	if got := log.String(); strings.Count(got, "wrong password") != 1 || strings.Contains(got, "horse") {
		t.Errorf("the log says %s", got)
	}
}
