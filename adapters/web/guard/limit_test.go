package guard

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/netip"
	"strconv"
	"strings"
	"testing"
	"time"
)

// retry returns how long the response asks to wait.
func retry(t *testing.T, answer reply) time.Duration {
	t.Helper()
	n, err := strconv.Atoi(answer.header.Get("Retry-After"))
	if err != nil {
		t.Fatal(answer.status, err)
	}
	return time.Duration(n) * time.Second
}

func TestGuessesWaitLongerAndLonger(t *testing.T) {
	t.Parallel()
	now := newClock()
	b := &browser{server: whole(newGuard(t, Config{Password: secret, State: &memory{}, Now: now.now}))}
	for range freeGuesses {
		wants(t, b.login("Ana", "wrong horse", ""), http.StatusForbidden)
	}
	var waits []time.Duration
	for range 12 {
		answer := b.login("Ana", secret, "") // the right one is not looked at either
		wants(t, answer, http.StatusTooManyRequests)
		if page := answer.text; !strings.Contains(page, `role="alert"`) || b.cookie != nil {
			t.Error(page)
		}
		waits = append(waits, retry(t, answer))
		now.advance(retry(t, answer))
		wants(t, b.login("Ana", "wrong horse", ""), http.StatusForbidden)
	}
	if got := fmt.Sprint(waits); got != "[1s 2s 4s 8s 16s 32s 1m4s 2m8s 4m16s 8m32s 15m0s 15m0s]" {
		t.Error(got)
	}
	wants(t, b.login("Ana", secret, "", from("192.168.1.5")), http.StatusSeeOther) // others need not wait
	b.cookie = nil
	now.advance(longestWait)
	wants(t, b.login("Ana", secret, ""), http.StatusSeeOther)
	for range freeGuesses { // and the slate is clean
		wants(t, b.login("Ana", "wrong horse", ""), http.StatusForbidden)
	}
}

func TestGuessesAreForgiven(t *testing.T) {
	t.Parallel()
	now, g := newClock(), newGuesses()
	for range freeGuesses {
		g.try("a", false, now.at)
	}
	if g.try("a", false, now.at) == 0 {
		t.Error("a guess too many is free")
	}
	now.advance(forgiven)
	for range freeGuesses {
		if d := g.try("a", false, now.at); d != 0 {
			t.Error("an old guess counts:", d)
		}
	}
}

func TestGuessesFromEverywhere(t *testing.T) {
	t.Parallel()
	now, g := newClock(), newGuesses()
	free := 0
	for i := range 100_000 {
		if g.try(strconv.Itoa(i), false, now.at) == 0 {
			free++
		}
	}
	if free != 60 {
		t.Errorf("%d addresses may guess at once", free)
	}
	if n := len(g.each.young) + len(g.each.old); n > 2*remembered {
		t.Errorf("%d addresses are remembered", n)
	}
	now.advance(time.Minute)
	for range 100 {
		if g.try("another", false, now.at) > 0 {
			break
		}
		free++
	}
	if free != 60+freeGuesses {
		t.Errorf("a minute later it was %d", free)
	}
}

func TestClients(t *testing.T) {
	t.Parallel()
	g := newGuard(t, Config{Header: "Remote-User", Proxies: []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8"), netip.MustParsePrefix("fd00::/8")}})
	here := newGuard(t, Config{Header: "Remote-User"})
	public := newGuard(t, Config{Password: secret, State: &memory{}, Public: mustURL(t, "https://atelier.example")})
	for name, c := range map[string]struct {
		guard  *Guard
		from   string
		chain  []string
		client string
	}{
		"itself":                   {g, "203.0.113.5", nil, "203.0.113.5"},
		"mapped":                   {g, "::ffff:203.0.113.5", nil, "203.0.113.5"},
		"one customer's network":   {g, "2001:db8:1:2:3:4:5:6", nil, "2001:db8:1:2::/64"},
		"it says it is another":    {g, "203.0.113.5", []string{"198.51.100.1"}, "203.0.113.5"},
		"by the proxy":             {g, "10.0.0.1", []string{"198.51.100.1"}, "198.51.100.1"},
		"by the proxy, IPv6":       {g, "fd00::1", []string{"2001:db8:1:2:3::"}, "2001:db8:1:2::/64"},
		"it says more":             {g, "10.0.0.1", []string{"192.0.2.7, 198.51.100.1"}, "198.51.100.1"},
		"in two headers":           {g, "10.0.0.1", []string{"192.0.2.7", "198.51.100.1"}, "198.51.100.1"},
		"by two proxies":           {g, "10.0.0.1", []string{"192.0.2.7, 198.51.100.1, 10.0.0.2"}, "198.51.100.1"},
		"by proxies only":          {g, "10.0.0.1", []string{"10.0.0.3, 10.0.0.2"}, "10.0.0.3"},
		"none told":                {g, "10.0.0.1", nil, "10.0.0.1"},
		"nonsense":                 {g, "10.0.0.1", []string{"192.0.2.7, x"}, "10.0.0.1"},
		"proxies that are not set": {here, "127.0.0.1", []string{"198.51.100.1"}, "127.0.0.1"},
		"one on this machine":      {public, "127.0.0.1", []string{"198.51.100.1"}, "198.51.100.1"},
		"it was told of another":   {public, "::1", []string{"192.0.2.7, 198.51.100.1"}, "198.51.100.1"},
		"it was told of this one":  {public, "127.0.0.1", []string{"192.0.2.7, 127.0.0.1"}, "127.0.0.1"},
		"nobody's proxy":           {public, "203.0.113.5", []string{"198.51.100.1"}, "203.0.113.5"},
	} {
		var got string
		whom := http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { got = c.guard.Address(r) })
		ask(whom, http.MethodGet, "/", from(c.from), with("X-Forwarded-For", c.chain...))
		if got != c.client {
			t.Errorf("%s: %s, want %s", name, got, c.client)
		}
	}
}

func TestLimits(t *testing.T) {
	t.Parallel()
	now := newClock()
	g := newGuard(t, Config{
		Header: "Remote-User", Now: now.now,
		Unlimited: func(r *http.Request) bool { return r.URL.Path == "/upload" },
	})
	often := func(n int, method, path, who string) (served int, last reply) {
		for range n {
			if last = ask(g.Protect(greet), method, path, with("Remote-User", who)); last.status == http.StatusOK {
				served++
			}
		}
		return served, last
	}
	if n, last := often(40, http.MethodPost, "/", "Ana"); n != 30 || last.status != http.StatusTooManyRequests || retry(t, last) != time.Second {
		t.Errorf("changes: %d, %v", n, last.header)
	}
	if n, _ := often(10, http.MethodDelete, "/", "ANA"); n != 0 {
		t.Errorf("the same person in capitals: %d", n)
	}
	if n, _ := often(40, http.MethodPost, "/", "Bo"); n != 30 {
		t.Errorf("another person: %d", n)
	}
	if n, _ := often(700, http.MethodGet, "/", "Ana"); n != 600 {
		t.Errorf("reads: %d", n)
	}
	if n, _ := often(100, http.MethodPost, "/upload", "Ana"); n != 100 {
		t.Errorf("uploads: %d", n)
	}
	now.advance(2 * time.Second)
	if n, _ := often(10, http.MethodPost, "/", "Ana"); n != 2 {
		t.Errorf("after a pause: %d", n)
	}
}

func TestLimitsWithoutSession(t *testing.T) {
	t.Parallel()
	now := newClock()
	h := whole(newGuard(t, Config{Password: secret, State: &memory{}, Now: now.now}))
	for range changesLimit.atOnce {
		wants(t, ask(h, http.MethodPost, "/login"), http.StatusUnprocessableEntity)
	}
	for range readsLimit.atOnce {
		wants(t, ask(h, http.MethodGet, "/"), http.StatusUnauthorized)
	}
	for _, path := range []string{"/", "/login"} {
		wants(t, ask(h, http.MethodGet, path), http.StatusTooManyRequests)
	}
	wants(t, ask(h, http.MethodPost, "/login"), http.StatusTooManyRequests)
	wants(t, ask(h, http.MethodGet, "/", from("192.168.1.5")), http.StatusUnauthorized)
}

func TestRefusalFormats(t *testing.T) {
	t.Parallel()
	h := whole(newGuard(t, Config{Password: secret, State: &memory{}}))
	htmx := []func(*http.Request){with("HX-Request", "true"), with("HX-Current-URL", "http://localhost:8080/t/x?y"), with("Accept", "*/*")}
	evil := []func(*http.Request){with("HX-Request", "true"), with("HX-Current-URL", "http://evil.example//evil.example/")}
	for name, c := range map[string]struct {
		change             []func(*http.Request)
		status             int
		kind, header, want string
	}{
		"a page":              {[]func(*http.Request){with("Accept", "text/html,*/*;q=0.8")}, 303, "", "Location", "/login"},
		"htmx":                {htmx, 401, "text/html; charset=utf-8", "HX-Redirect", "/login?next=%2Ft%2Fx%3Fy"},
		"htmx from elsewhere": {evil, 401, "text/html; charset=utf-8", "HX-Redirect", "/login"},
		"JSON":                {[]func(*http.Request){with("Accept", "application/json")}, 401, "application/json", "", ""},
		"a script":            {[]func(*http.Request){with("Accept", "*/*"), with("Sec-Fetch-Dest", "empty")}, 401, "application/json", "", ""},
		"a program":           {[]func(*http.Request){with("Accept", "*/*")}, 401, "text/plain; charset=utf-8", "", ""},
		"a page elsewhere":    {[]func(*http.Request){with("Accept", "text/html"), under("evil.example")}, 421, "text/html; charset=utf-8", "", ""},
	} {
		answer := ask(h, http.MethodPost, "/t/x/messages", c.change...)
		if answer.status != c.status || answer.header.Get("Content-Type") != c.kind || answer.header.Get(c.header) != c.want {
			t.Errorf("%s: %d %v", name, answer.status, answer.header)
		}
		text := answer.text
		if c.kind == "application/json" {
			var told map[string]string
			if err := json.Unmarshal([]byte(text), &told); err != nil || told["error"] == "" {
				t.Errorf("%s: %s", name, text)
			}
		}
		if strings.HasPrefix(c.kind, "text/html") && !strings.Contains(text, `<p role="alert">`) {
			t.Errorf("%s: %s", name, text)
		}
	}
}
