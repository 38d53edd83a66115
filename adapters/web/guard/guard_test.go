package guard

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"atelier/adapters"
)

// memory is a State; it fails while broken is set.
type memory struct {
	mu     sync.Mutex
	lists  map[string][][]byte
	broken error
}

func (m *memory) Append(_ context.Context, key string, entry []byte, expiry time.Duration) (int64, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if expiry <= 0 {
		return 0, errors.New("it would be kept for ever")
	}
	if m.broken != nil {
		return 0, m.broken
	}
	if m.lists == nil {
		m.lists = map[string][][]byte{}
	}
	m.lists[key] = append(m.lists[key], entry)
	return int64(len(m.lists[key]) - 1), nil
}

func (m *memory) Read(_ context.Context, key string, from int64) ([][]byte, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.broken != nil {
		return nil, m.broken
	}
	list := m.lists[key]
	return list[min(from, int64(len(list))):], nil
}

func (m *memory) DeleteAll(_ context.Context, group string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.broken != nil {
		return m.broken
	}
	for key := range m.lists {
		if strings.HasPrefix(key, group+"/") {
			delete(m.lists, key)
		}
	}
	return nil
}

func (m *memory) fail(with error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.broken = with
}

// clock is a clock that tests move.
type clock struct{ at time.Time }

func newClock() *clock { return &clock{at: time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)} }

func (c *clock) now() time.Time          { return c.at }
func (c *clock) advance(d time.Duration) { c.at = c.at.Add(d) }
func mustURL(t *testing.T, s string) *url.URL {
	t.Helper()
	u, err := url.Parse(s)
	if err != nil {
		t.Fatal(err)
	}
	return u
}

func newGuard(t *testing.T, c Config) *Guard {
	t.Helper()
	g, err := New(c)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// greet names the person that it serves.
var greet = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
	_, _ = fmt.Fprintf(w, "%+v leave=%v", Who(r.Context()), CanLeave(r.Context())) //nolint:errcheck // it is a recorder
})

// whole is what bot wires: the protected pages, and the guard's own.
func whole(g *Guard) http.Handler {
	mux := http.NewServeMux()
	mux.Handle("/login", g.Handler())
	mux.Handle("/login/", g.Handler())
	mux.Handle("/logout", g.Handler())
	mux.Handle("/", g.Protect(greet))
	return mux
}

// reply is what was served.
type reply struct {
	status int
	header http.Header
	text   string
	cookie *http.Cookie
}

// ask sends a request from this machine, changed by the changes.
func ask(h http.Handler, method, target string, changes ...func(*http.Request)) reply {
	r := httptest.NewRequestWithContext(context.Background(), method, target, http.NoBody)
	r.Host, r.RemoteAddr = "localhost:8080", "127.0.0.1:40000"
	for _, change := range changes {
		change(r)
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	a := reply{status: w.Code, header: w.Header(), text: w.Body.String()}
	if set := a.header.Get("Set-Cookie"); set != "" {
		a.cookie, _ = http.ParseSetCookie(set) //nolint:errcheck // then there is none
	}
	return a
}

func under(name string) func(*http.Request) { return func(r *http.Request) { r.Host = name } }

func from(address string) func(*http.Request) {
	return func(r *http.Request) { r.RemoteAddr = net.JoinHostPort(address, "40000") }
}

func with(name string, values ...string) func(*http.Request) {
	return func(r *http.Request) {
		for _, v := range values {
			r.Header.Add(name, v)
		}
	}
}

// wants checks the status.
func wants(t *testing.T, a reply, status int) {
	t.Helper()
	if a.status != status {
		t.Errorf("answered with %d %q, want %d", a.status, a.text, status)
	}
}

func TestHosts(t *testing.T) {
	t.Parallel()
	open := newGuard(t, Config{Public: mustURL(t, "http://localhost:8080")})
	closed := newGuard(t, Config{Header: "Remote-User", Public: mustURL(t, "https://Atelier.Example:8443"), Hosts: []string{"workshop", "2001:db8::1", "[2001:db8::2]"}})
	for _, c := range []struct {
		host         string
		open, closed bool
	}{
		{"localhost", true, true},
		{"LocalHost:8080", true, true},
		{"localhost.:8080", true, true},
		{"127.0.0.1:8080", true, true},
		{"127.9.8.7", true, true},
		{"[::1]:8080", true, true},
		{"[::ffff:127.0.0.1]", true, true},
		{"[0:0:0:0:0:0:0:1]", true, true},
		{"atelier.example", false, true},
		{"ATELIER.example.:443", false, true},
		{"workshop:80", false, true},
		{"192.168.1.5:8080", false, true},
		{"[2001:db8::9]:8080", false, true},
		{"evil.example", false, false},
		{"evil.example:8080", false, false},
		{"localhost.evil.example", false, false},
		{"127.0.0.1.evil.example", false, false},
		{"evil.example#localhost", false, false},
		{"evil.example@localhost", false, false},
		{"localhost@evil.example", false, false},
		{"localhost:8080@evil.example", false, false},
		{"localhost:evil", false, false},
		{"localhost..", false, false},
		{"localhost localhost", false, false},
		{"localhost,evil.example", false, false},
		{"löcalhost", false, false},
		{"127.1", false, false},
		{"0x7f.0.0.1", false, false},
		{"2130706433", false, false},
		{"::1", false, false},
		{"[::1", false, false},
		{"[::1%25lo]", false, false},
		{"[127.0.0.1]", false, false},
		{"[]", false, false},
		{":8080", false, false},
		{".", false, false},
		{"", false, false},
	} {
		for name, g := range map[string]*Guard{"open": open, "closed": closed} {
			want := c.open
			if name == "closed" {
				want = c.closed
			}
			answer := ask(g.Outer(greet), http.MethodGet, "/", under(c.host))
			if served := answer.status == http.StatusOK; served != want {
				t.Errorf("%s: the host %q is served: %v, %d", name, c.host, served, answer.status)
			}
			if !want && (answer.status != http.StatusMisdirectedRequest || !strings.Contains(answer.text, "PUBLIC_URL")) {
				t.Errorf("%s: the host %q gets no useful answer: %d", name, c.host, answer.status)
			}
		}
	}
}

func TestOrigins(t *testing.T) {
	t.Parallel()
	g := newGuard(t, Config{Header: "Remote-User", Public: mustURL(t, "https://atelier.example")})
	person := with("Remote-User", "Ana")
	for name, c := range map[string]struct {
		method string
		change []func(*http.Request)
		status int
	}{
		"a program":                        {http.MethodPost, nil, 200},
		"the page itself":                  {http.MethodPost, []func(*http.Request){with("Sec-Fetch-Site", "same-origin"), with("Origin", "http://localhost:8080")}, 200},
		"an older browser":                 {http.MethodPost, []func(*http.Request){with("Origin", "http://localhost:8080")}, 200},
		"behind a proxy that changes Host": {http.MethodPost, []func(*http.Request){with("Origin", "https://atelier.example")}, 200},
		"another site":                     {http.MethodPost, []func(*http.Request){with("Sec-Fetch-Site", "cross-site"), with("Origin", "https://evil.example")}, 403},
		"another port of this machine":     {http.MethodPost, []func(*http.Request){with("Sec-Fetch-Site", "same-site"), with("Origin", "http://localhost:3000")}, 403},
		"another site, older browser":      {http.MethodPost, []func(*http.Request){with("Origin", "https://evil.example")}, 403},
		"another port, older browser":      {http.MethodPost, []func(*http.Request){with("Origin", "http://localhost:3000")}, 403},
		"a frame without origin":           {http.MethodPost, []func(*http.Request){with("Origin", "null")}, 403},
		"another site deletes":             {http.MethodDelete, []func(*http.Request){with("Sec-Fetch-Site", "cross-site")}, 403},
		"a link elsewhere":                 {http.MethodGet, []func(*http.Request){with("Sec-Fetch-Site", "cross-site"), with("Sec-Fetch-Mode", "navigate"), with("Sec-Fetch-Dest", "document")}, 200},
		"a picture elsewhere":              {http.MethodGet, []func(*http.Request){with("Sec-Fetch-Site", "cross-site"), with("Sec-Fetch-Mode", "no-cors"), with("Sec-Fetch-Dest", "image")}, 403},
		"a script on another port":         {http.MethodGet, []func(*http.Request){with("Sec-Fetch-Site", "same-site"), with("Sec-Fetch-Mode", "no-cors"), with("Sec-Fetch-Dest", "script")}, 403},
		"a frame elsewhere":                {http.MethodGet, []func(*http.Request){with("Sec-Fetch-Site", "cross-site"), with("Sec-Fetch-Mode", "navigate"), with("Sec-Fetch-Dest", "iframe")}, 403},
		"a stream elsewhere":               {http.MethodGet, []func(*http.Request){with("Sec-Fetch-Site", "cross-site"), with("Sec-Fetch-Mode", "cors"), with("Sec-Fetch-Dest", "empty")}, 403},
		"an address that was typed":        {http.MethodGet, []func(*http.Request){with("Sec-Fetch-Site", "none"), with("Sec-Fetch-Mode", "navigate"), with("Sec-Fetch-Dest", "document")}, 200},
		"a picture of the page's own":      {http.MethodGet, []func(*http.Request){with("Sec-Fetch-Site", "same-origin"), with("Sec-Fetch-Mode", "no-cors"), with("Sec-Fetch-Dest", "image")}, 200},
	} {
		if got := ask(g.Protect(greet), c.method, "/t/x", append(c.change, person)...); got.status != c.status {
			t.Errorf("%s: %d", name, got.status)
		}
	}
	login := ask(newGuard(t, Config{Password: "correct horse", State: &memory{}}).Handler(), http.MethodPost, "/login", with("Sec-Fetch-Site", "cross-site"))
	wants(t, login, http.StatusForbidden)
}

func TestOnlyThisMachineWithoutPassword(t *testing.T) {
	t.Parallel()
	g := newGuard(t, Config{})
	answer := ask(g.Protect(greet), http.MethodGet, "/")
	if got := answer.text; got != fmt.Sprintf("%+v leave=false", adapters.Person{ID: "local", Admin: true}) {
		t.Errorf("served %s", got)
	}
	wants(t, ask(g.Protect(greet), http.MethodGet, "/", from("::1")), http.StatusOK)
	for name, change := range map[string]func(*http.Request){
		"another machine":        from("192.168.1.5"),
		"another one by IPv6":    from("2001:db8::5"),
		"no address":             func(r *http.Request) { r.RemoteAddr = "@" },
		"a proxy":                with("X-Forwarded-For", "203.0.113.5"),
		"a proxy that says less": with("Via", "1.1 proxy"),
		"a tunnel":               with("X-Forwarded-Host", "localhost"),
	} {
		answer := ask(g.Protect(greet), http.MethodGet, "/", change)
		if answer.status != http.StatusForbidden || !strings.Contains(answer.text, "WEB_PASSWORD") {
			t.Errorf("%s: %d", name, answer.status)
		}
	}
	for range 2000 { // there are no limits to who sits there
		if answer := ask(g.Protect(greet), http.MethodPost, "/"); answer.status != http.StatusOK {
			t.Fatal(answer.status)
		}
	}
	wants(t, ask(g.Handler(), http.MethodGet, "/login"), http.StatusSeeOther)
	wants(t, ask(g.Handler(), http.MethodPost, "/login"), http.StatusSeeOther)
	wants(t, ask(g.Handler(), http.MethodPost, "/logout"), http.StatusSeeOther)
}

// TestPublicWithoutPassword checks that a proxy that does not identify itself lets nobody in; pages that need no
// password, such as the page to mark pictures, are served.
func TestPublicWithoutPassword(t *testing.T) {
	t.Parallel()
	g := newGuard(t, Config{Public: mustURL(t, "https://atelier.example")})
	for _, name := range []string{"atelier.example", "localhost:8080"} {
		wants(t, ask(g.Outer(greet), http.MethodGet, "/point/x", under(name)), http.StatusOK)
		got := ask(g.Protect(greet), http.MethodGet, "/", under(name))
		if got.status != http.StatusForbidden || !strings.Contains(got.text, "WEB_PASSWORD") {
			t.Errorf("%s: %d %s", name, got.status, got.text)
		}
	}
	wants(t, ask(g.Outer(greet), http.MethodGet, "/point/x", under("192.168.1.5")), http.StatusMisdirectedRequest)
	named := newGuard(t, Config{Hosts: []string{"workshop"}})
	wants(t, ask(named.Protect(greet), http.MethodGet, "/", under("workshop")), http.StatusForbidden)
}

func TestSecurityHeaders(t *testing.T) {
	t.Parallel()
	g := newGuard(t, Config{Password: "correct horse", State: &memory{}, Public: mustURL(t, "https://atelier.example")})
	for _, path := range []string{"/login", "/t/x"} {
		got := ask(whole(g), http.MethodGet, path, under("atelier.example")).header
		for name, want := range map[string]string{
			"Content-Security-Policy": policy, "X-Content-Type-Options": "nosniff", "Referrer-Policy": "same-origin",
			"Cross-Origin-Opener-Policy": "same-origin", "Cross-Origin-Resource-Policy": "same-origin", "Cache-Control": "no-store",
			"Strict-Transport-Security": "max-age=31536000",
		} {
			if got.Get(name) != want {
				t.Errorf("%s: %s is %q", path, name, got.Get(name))
			}
		}
	}
	if strings.Contains(policy, "unsafe") || strings.Contains(policy, "http") {
		t.Error(policy)
	}
	got := ask(whole(g), http.MethodGet, "/login", under("192.168.1.5")).header
	if got.Get("Strict-Transport-Security") != "" || got.Get("Cross-Origin-Opener-Policy") != "" {
		t.Errorf("by http: %v", got)
	}
	own := ask(g.Outer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Security-Policy", "sandbox")
	})), http.MethodGet, "/")
	if own.header.Get("Content-Security-Policy") != "sandbox" {
		t.Error("what is served cannot set a policy of its own")
	}
}

func TestProxies(t *testing.T) {
	t.Parallel()
	proxies := []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8")}
	var log bytes.Buffer
	alone := newGuard(t, Config{Header: "Remote-User", Proxies: proxies, Log: slog.New(slog.NewTextHandler(&log, nil))})
	here := newGuard(t, Config{Header: "Remote-User"})
	both := newGuard(t, Config{Header: "Remote-User", Proxies: proxies, Password: "correct horse", State: &memory{}})
	for name, c := range map[string]struct {
		guard  *Guard
		change []func(*http.Request)
		status int
		id     string
	}{
		"the proxy":                         {alone, []func(*http.Request){from("10.1.2.3"), with("Remote-User", "Ana")}, 200, "ana"},
		"the proxy as mapped IPv4":          {alone, []func(*http.Request){from("::ffff:10.1.2.3"), with("Remote-User", "Ana")}, 200, "ana"},
		"another machine":                   {alone, []func(*http.Request){from("192.168.1.5"), with("Remote-User", "Ana")}, 403, ""},
		"this machine, which is no proxy":   {alone, []func(*http.Request){with("Remote-User", "Ana")}, 403, ""},
		"a proxy on this machine":           {here, []func(*http.Request){with("Remote-User", "Ana")}, 200, "ana"},
		"another machine, none named":       {here, []func(*http.Request){from("10.1.2.3"), with("Remote-User", "Ana")}, 403, ""},
		"spoofed forwarding":                {alone, []func(*http.Request){from("192.168.1.5"), with("X-Forwarded-For", "10.1.2.3"), with("Remote-User", "Ana")}, 403, ""},
		"nobody":                            {alone, []func(*http.Request){from("10.1.2.3")}, 403, ""},
		"an empty name":                     {alone, []func(*http.Request){from("10.1.2.3"), with("Remote-User", "")}, 403, ""},
		"two":                               {alone, []func(*http.Request){from("10.1.2.3"), with("Remote-User", "Ana", "Bo")}, 403, ""},
		"another header":                    {alone, []func(*http.Request){from("10.1.2.3"), with("Remote_User", "Ana")}, 403, ""},
		"a name with a control character":   {alone, []func(*http.Request){from("10.1.2.3"), with("Remote-User", "Ana\x00")}, 403, ""},
		"a name that is too long":           {alone, []func(*http.Request){from("10.1.2.3"), with("Remote-User", strings.Repeat("a", 100))}, 403, ""},
		"no UTF-8":                          {alone, []func(*http.Request){from("10.1.2.3"), with("Remote-User", "An\xe4")}, 403, ""},
		"an address of mail":                {alone, []func(*http.Request){from("10.1.2.3"), with("Remote-User", "Ana@Example.org")}, 200, "ana@example.org"},
		"with a password, the proxy":        {both, []func(*http.Request){from("10.1.2.3"), with("Remote-User", "Ana")}, 200, "ana"},
		"with a password, a spoofed header": {both, []func(*http.Request){with("Remote-User", "Ana")}, 401, ""},
		"with a password, nobody":           {both, []func(*http.Request){from("10.1.2.3")}, 401, ""},
		"with a password, a bad name":       {both, []func(*http.Request){from("10.1.2.3"), with("Remote-User", "\x00")}, 403, ""},
	} {
		answer := ask(c.guard.Protect(greet), http.MethodGet, "/", c.change...)
		got := answer.text
		if answer.status != c.status || c.status == 200 && !strings.Contains(got, "ID:"+c.id+" ") {
			t.Errorf("%s: %d %q", name, answer.status, got)
		}
	}
	if got := log.String(); strings.Count(got, "not come from one of WEB_PROXIES") != 1 || strings.Contains(got, "Ana") {
		t.Errorf("the log says %s", got)
	}
}

// Only people named by the proxy are admins: a name entered at the login proves nothing.
func TestAdmins(t *testing.T) {
	t.Parallel()
	g := newGuard(t, Config{Header: "Remote-User", Admins: []string{" Ana@Example.org "}, Password: "correct horse", State: &memory{}})
	for name, admin := range map[string]bool{"ana@example.org": true, "ANA@example.org": true, "bo": false} {
		if got := ask(g.Protect(greet), http.MethodGet, "/", with("Remote-User", name)); got.status != http.StatusOK || strings.Contains(got.text, "Admin:true") != admin {
			t.Errorf("%s: %d %q", name, got.status, got.text)
		}
	}
	if v, no := named("ana@example.org"); !no || v.Admin {
		t.Errorf("who chooses that name is %+v", v)
	}
}

func TestBadConfigurations(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]Config{
		"no place for sessions":    {Password: "correct horse"},
		"no header":                {Header: "Remote User"},
		"admins whom nobody names": {Password: "correct horse", State: &memory{}, Admins: []string{"ana"}},
		"an admin without a name":  {Header: "Remote-User", Admins: []string{"\u200b"}},
		"no network":               {Header: "Remote-User", Proxies: []netip.Prefix{{}}},
		"no host":                  {Password: "correct horse", State: &memory{}, Hosts: []string{"http://localhost"}},
		"public without host":      {Password: "correct horse", State: &memory{}, Public: mustURL(t, "https:///x")},
		"public of another scheme": {Password: "correct horse", State: &memory{}, Public: mustURL(t, "ftp://atelier.example")},
	} {
		if _, err := New(c); err == nil {
			t.Errorf("%s: taken", name)
		}
	}
}
