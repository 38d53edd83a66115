package guard

import (
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"
)

const secret = "correct horse"

// browser stores a cookie, and talks to one server.
type browser struct {
	server http.Handler
	cookie *http.Cookie
}

func (b *browser) ask(method, target string, changes ...func(*http.Request)) reply {
	if b.cookie != nil {
		changes = append(changes, func(r *http.Request) { r.AddCookie(b.cookie) })
	}
	got := ask(b.server, method, target, append(changes, with("Accept", "text/html"))...)
	if c := got.cookie; c != nil {
		b.cookie = c
		if c.MaxAge < 0 {
			b.cookie = nil
		}
	}
	return got
}

func (b *browser) login(name, password, next string, changes ...func(*http.Request)) reply {
	form := url.Values{"name": {name}, "password": {password}, "next": {next}}.Encode()
	return b.ask(http.MethodPost, "/login", append(changes, with("Content-Type", "application/x-www-form-urlencoded"), func(r *http.Request) {
		r.Body = io.NopCloser(strings.NewReader(form))
	})...)
}

// bare returns a cookie as a browser sends it.
func bare(token string) *http.Cookie {
	return &http.Cookie{Name: "atelier", Value: token} //nolint:gosec // attributes are not sent
}

// served reports whether the browser is let in.
func (b *browser) served(t *testing.T) bool {
	t.Helper()
	answer := b.ask(http.MethodGet, "/t/x")
	return answer.status == http.StatusOK
}

func TestLogin(t *testing.T) {
	t.Parallel()
	state, now := &memory{}, newClock()
	server := func(password string) http.Handler {
		return whole(newGuard(t, Config{Password: password, State: state, Now: now.now}))
	}
	b := &browser{server: server(secret)}
	answer := b.ask(http.MethodGet, "/t/x?a=b")
	if to := answer.header.Get("Location"); answer.status != http.StatusSeeOther || to != "/login?next=%2Ft%2Fx%3Fa%3Db" {
		t.Fatal("without a session:", answer.status, to)
	}
	if page := b.ask(http.MethodGet, answer.header.Get("Location")).text; !strings.Contains(page, `value="/t/x?a=b"`) || strings.Contains(page, "alert") {
		t.Error(page)
	}
	answer = b.login("Ana", "wrong horse", "/t/x")
	if page := answer.text; answer.status != http.StatusForbidden || b.cookie != nil || !strings.Contains(page, `role="alert"`) ||
		!strings.Contains(page, `value="Ana"`) || strings.Contains(page, "wrong horse") {
		t.Error("a wrong password:", answer.status, page)
	}
	wants(t, b.login("\u202e", secret, ""), http.StatusUnprocessableEntity)
	answer = b.login(" ＡＮＡ ", secret, "/t/x?a=b")
	if to := answer.header.Get("Location"); answer.status != http.StatusSeeOther || to != "/t/x?a=b" {
		t.Fatal("the password:", answer.status, to)
	}
	if c := b.cookie; c == nil || !c.HttpOnly || c.Path != "/" || c.Domain != "" || c.SameSite != http.SameSiteLaxMode || c.Secure || len(c.Value) != 43 {
		t.Fatalf("the cookie is %v", c)
	}
	if got := b.ask(http.MethodGet, "/t/x").text; got != "{ID:ana Name:ＡＮＡ Admin:false Roles:[]} leave=true" {
		t.Error(got)
	}
	wants(t, b.ask(http.MethodGet, "/login?next=/tools"), http.StatusSeeOther)
	for key, list := range state.lists {
		if whole := key + string(list[0]); strings.Contains(whole, b.cookie.Value) || strings.Contains(whole, secret) {
			t.Error("the State holds", whole)
		}
	}

	token := b.cookie
	b.server = server(secret) // another process
	if !b.served(t) {
		t.Error("another process does not know the session")
	}
	b.server = server("another horse")
	if b.served(t) {
		t.Error("the session outlived its password")
	}
	b.server = server(secret)
	wants(t, b.ask(http.MethodGet, "/logout"), http.StatusMethodNotAllowed)
	answer = b.ask(http.MethodPost, "/logout")
	if answer.header.Get("Location") != "/login" || b.cookie != nil || len(state.lists) != 0 {
		t.Error("logged out:", answer.header, state.lists)
	}
	b.cookie = token
	if b.served(t) {
		t.Error("the session outlived its end")
	}
}

func TestLoginAgainEndsTheSessionBefore(t *testing.T) {
	t.Parallel()
	b := &browser{server: whole(newGuard(t, Config{Password: secret, State: &memory{}}))}
	b.login("Ana", secret, "")
	before := b.cookie
	b.login("Bo", secret, "")
	if before.Value == b.cookie.Value || !b.served(t) {
		t.Error("no session of its own")
	}
	b.cookie = before
	if b.served(t) {
		t.Error("the session before is left")
	}
}

func TestTamperedSessions(t *testing.T) {
	t.Parallel()
	b := &browser{server: whole(newGuard(t, Config{Password: secret, State: &memory{}}))}
	b.login("Ana", secret, "")
	token := b.cookie.Value
	for _, value := range []string{"", "x", token[1:], token + "A", strings.ToUpper(token), "A" + token[1:], "B" + token[1:], strings.Repeat("A", 43), "../" + token} {
		b.cookie = bare(value)
		if value != token && b.served(t) {
			t.Errorf("%q is a session", value)
		}
	}
}

func TestSecureSessions(t *testing.T) {
	t.Parallel()
	public := whole(newGuard(t, Config{Password: secret, State: &memory{}, Public: mustURL(t, "https://atelier.example")}))
	b := &browser{server: public}
	b.login("Ana", secret, "", under("Atelier.example"))
	if c := b.cookie; c == nil || c.Name != "__Host-atelier" || !c.Secure || c.Path != "/" || c.Domain != "" {
		t.Fatalf("the cookie is %v", c)
	}
	wants(t, b.ask(http.MethodGet, "/", under("atelier.example")), http.StatusOK)
	b.cookie = bare(b.cookie.Value) // as anybody on the way could set it
	wants(t, b.ask(http.MethodGet, "/", under("atelier.example")), http.StatusSeeOther)
}

func TestSessionsExpire(t *testing.T) {
	t.Parallel()
	const day = 24 * time.Hour
	for name, c := range map[string]struct {
		pauses []time.Duration
		served bool
	}{
		"just in time":          {[]time.Duration{30*day - time.Second}, true},
		"too late":              {[]time.Duration{30 * day}, false},
		"used in between":       {[]time.Duration{29 * day, 29 * day, 29 * day}, true},
		"used a moment between": {[]time.Duration{time.Minute, 30 * day}, false},
		"not used again":        {[]time.Duration{29 * day, 30 * day}, false},
	} {
		now := newClock()
		b := &browser{server: whole(newGuard(t, Config{Password: secret, State: &memory{}, Now: now.now}))}
		b.login("Ana", secret, "")
		got := false
		for _, pause := range c.pauses {
			now.advance(pause)
			got = b.served(t)
		}
		if got != c.served {
			t.Errorf("%s: served %v", name, got)
		}
	}
}

func TestSessionsDoNotLastForEver(t *testing.T) {
	t.Parallel()
	now, state := newClock(), &memory{}
	b := &browser{server: whole(newGuard(t, Config{Password: secret, State: state, Now: now.now}))}
	b.login("Ana", secret, "")
	hours := 0
	for ; b.served(t) && hours < 10000; hours += 12 {
		now.advance(12 * time.Hour)
	}
	if hours != 365*24 {
		t.Errorf("it lasted %d hours", hours)
	}
	for _, list := range state.lists {
		if len(list) > 366 {
			t.Errorf("it was renewed %d times", len(list))
		}
	}
}

// TestEndedWhileRenewed renews a session of another process that was just ended.
func TestEndedWhileRenewed(t *testing.T) {
	t.Parallel()
	now := newClock()
	g := newGuard(t, Config{Password: secret, State: &memory{}, Now: now.now})
	b := &browser{server: whole(g)}
	b.login("Ana", secret, "")
	token := b.cookie.Value
	b.ask(http.MethodPost, "/logout")
	if err := g.sessions.renew(t.Context(), token); err != nil {
		t.Fatal(err)
	}
	b.cookie = bare(token)
	if b.served(t) {
		t.Error("it came back")
	}
}

func TestBrokenState(t *testing.T) {
	t.Parallel()
	state := &memory{}
	b := &browser{server: whole(newGuard(t, Config{Password: secret, State: state}))}
	b.login("Ana", secret, "")
	token := b.cookie
	state.broken = errors.New("no connection to 10.0.0.9")
	for name, answer := range map[string]reply{
		"a page": b.ask(http.MethodGet, "/"), "the login": b.login("Ana", secret, ""), "the logout": b.ask(http.MethodPost, "/logout"),
		"the login page": b.ask(http.MethodGet, "/login"),
	} {
		if got := answer.text; answer.status != http.StatusServiceUnavailable || strings.Contains(got, "10.0.0.9") || answer.header.Get("Retry-After") == "" {
			t.Errorf("%s: %d %s", name, answer.status, got)
		}
	}
	if state.broken = nil; b.cookie != token || !b.served(t) {
		t.Error("the session is lost")
	}
}

func TestLoginForms(t *testing.T) {
	t.Parallel()
	b := &browser{server: whole(newGuard(t, Config{Password: secret, State: &memory{}}))}
	form := with("Content-Type", "application/x-www-form-urlencoded")
	for name, sent := range map[string]string{"nothing": "", "too much": "name=" + strings.Repeat("a", 1<<20), "no form": "%%%", "only in the address": ""} {
		answer := b.ask(http.MethodPost, "/login?name=Ana&password="+url.QueryEscape(secret), form, func(r *http.Request) { r.Body = io.NopCloser(strings.NewReader(sent)) })
		if answer.status != http.StatusBadRequest && answer.status != http.StatusUnprocessableEntity || b.cookie != nil {
			t.Errorf("%s: %d", name, answer.status)
		}
	}
	if page := b.login(`"><script>alert(1)</script>`, "wrong", `/"><script>`).text; strings.Contains(page, "<script") {
		t.Error(page)
	}
}

func TestStyle(t *testing.T) {
	t.Parallel()
	g := newGuard(t, Config{Password: secret, State: &memory{}})
	page := ask(whole(g), http.MethodGet, "/login").text
	for name, kind := range map[string]string{"login.css": "text/css; charset=utf-8", "icon.svg": "image/svg+xml"} {
		at := g.pages.static + name
		answer := ask(whole(g), http.MethodGet, at, under("evil.example")) // a refusal is shown with it
		if !strings.Contains(page, at) || answer.status != http.StatusOK || answer.header.Get("Content-Type") != kind || !strings.Contains(answer.header.Get("Cache-Control"), "immutable") {
			t.Errorf("%s: %d %v", at, answer.status, answer.header)
		}
	}
	for _, at := range []string{"", "x.css", "../words/zh-Hans.json", "../../guard.go"} {
		if answer := ask(g.Handler(), http.MethodGet, g.pages.static+at); answer.status == http.StatusOK {
			t.Errorf("%s is served", at)
		}
	}
}

func TestInside(t *testing.T) {
	t.Parallel()
	for to, want := range map[string]string{
		"/t/abc?after=3":                "/t/abc?after=3",
		"/":                             "/",
		"/t/%E4%BD%A0":                  "/t/%E4%BD%A0",
		"/loginx":                       "/loginx",
		"":                              "/",
		"t/abc":                         "/",
		"https://evil.example":          "/",
		"//evil.example":                "/",
		"///evil.example":               "/",
		`/\evil.example`:                "/",
		`\\evil.example`:                "/",
		"/\t/evil.example":              "/",
		"\t//evil.example":              "/",
		"/x\r\nSet-Cookie: a=b":         "/",
		"javascript:alert(1)":           "/",
		"/\u200b/evil.example":          "/",
		"/%":                            "/",
		"/login?next=/t":                "/",
		"/login/":                       "/",
		"/logout":                       "/",
		"/" + strings.Repeat("a", 3000): "/",
	} {
		if got := inside(to); got != want {
			t.Errorf("%q leads to %q, want %q", to, got, want)
		}
	}
}

func TestNoOpenRedirect(t *testing.T) {
	t.Parallel()
	for _, next := range []string{"https://evil.example", "//evil.example", `/\evil.example`, "/\t/evil.example"} {
		b := &browser{server: whole(newGuard(t, Config{Password: secret, State: &memory{}}))}
		if to := b.login("Ana", secret, next).header.Get("Location"); to != "/" {
			t.Errorf("%q led to %q", next, to)
		}
		if to := b.ask(http.MethodGet, "/login?next="+url.QueryEscape(next)).header.Get("Location"); to != "/" {
			t.Errorf("%q led to %q", next, to)
		}
	}
}

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
