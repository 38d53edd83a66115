// Package guard lets people into the web channel, and keeps others out.
//
// Guarantees:
//   - Only the channel's own hosts are served, so a foreign name that resolves to this machine gets
//     nothing (DNS rebinding).
//   - Changes come only from the channel's own origin ([http.CrossOriginProtection]); pages of other
//     origins can link to it, but not embed it.
//   - Without a password and an authenticating proxy, only this machine is served: by its address,
//     under its name, and not through a proxy. If a public address is set, nobody is
//     served, since a proxy need not identify itself.
//   - With a password, everything but the login page needs a session. Names are not verified.
//     Sessions are stored in a [State] under a hash of the cookie and the password: every process
//     knows them, they survive restarts, and another password ends them all.
//   - Behind an authenticating proxy, its header names the person. Headers from elsewhere are
//     ignored.
//   - Long responses, such as event streams, end after a while, and soon after their session, so
//     that the browser authenticates again.
//   - Requests and password guesses are limited. Guesses at the login and by programs are counted
//     separately. The counters are bounded, and local to this process.
package guard

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"time"
)

// Config says who may use the channel, and where it is served.
type Config struct {
	// Password is needed to log in; "" means none.
	Password string
	// Header is the header in which an authenticating proxy names the person, such as Remote-User; ""
	// means none. If a request lacks it, the Password is needed.
	Header string
	// Admins are the admins among the people named by that header. Names that people choose themselves never
	// count.
	Admins []string
	// Proxies are the addresses of trusted proxies, whose X-Forwarded-For says for whom limits count. If empty,
	// proxies on this machine are trusted, but only with a Public address.
	Proxies []netip.Prefix
	// Public is the public address of the channel; nil means this machine and IP addresses. Its host is served and
	// its origin trusted. With https, cookies are secure.
	Public *url.URL
	// Hosts are more names under which the channel is served.
	Hosts []string
	// State stores the sessions. It is not used without a password.
	State State
	// Unlimited reports whether a request is exempt from the limits, such as an upload. Nil means none is.
	Unlimited func(*http.Request) bool
	// Now is the clock; nil is the system's.
	Now func() time.Time
	Log *slog.Logger // nil logs nothing
}

// limit is how often a person may do something. If only this machine is served, there are no limits.
type limit struct {
	perMinute int
	atOnce    int // burst
}

var (
	changesLimit = limit{perMinute: 60, atOnce: 30}
	readsLimit   = limit{perMinute: 1200, atOnce: 600} // of everything that changes nothing
)

// lasting is how long a session lasts after its last use.
const lasting = 30 * 24 * time.Hour

// Guard lets people in. It is safe for concurrent use.
type Guard struct {
	address

	exposed   bool // reachable by others without a password: nobody is let in
	password  [sha256.Size]byte
	header    string
	admins    map[string]bool // by id
	proxies   []netip.Prefix
	forwarded bool // X-Forwarded-For of proxies is trusted
	near      bool // no proxies are configured, so those of this machine are trusted
	origins   *http.CrossOriginProtection
	sessions  sessions
	guesses   *guesses // at the login
	programs  *guesses // by programs
	changes   *buckets
	reads     *buckets
	unlimited func(*http.Request) bool
	now       func() time.Time
	journal   journal
	pages     *pages
}

// New checks the configuration. It starts nothing.
func New(c Config) (*Guard, error) {
	own, err := newPages()
	if err != nil {
		return nil, err
	}
	g := &Guard{
		address:   address{open: c.Password == "" && c.Header == "", hosts: map[string]bool{}},
		password:  sha256.Sum256([]byte(c.Password)),
		header:    c.Header,
		proxies:   c.Proxies,
		forwarded: len(c.Proxies) > 0 || c.Public != nil,
		near:      len(c.Proxies) == 0,
		origins:   http.NewCrossOriginProtection(),
		guesses:   newGuesses(),
		programs:  newGuesses(),
		changes:   newBuckets(changesLimit),
		reads:     newBuckets(readsLimit),
		unlimited: c.Unlimited,
		now:       c.Now,
		journal:   journal{log: c.Log},
		pages:     own,
	}
	if g.now == nil {
		g.now = time.Now
	}
	if g.journal.log == nil {
		g.journal.log = slog.New(slog.DiscardHandler)
	}
	if g.near {
		g.proxies = []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8"), netip.MustParsePrefix("::1/128")}
	}
	if c.Password != "" {
		g.sessions = sessions{state: c.State, password: g.password, lasting: lasting, now: g.now}
	}
	if err := g.settle(c); err != nil {
		return nil, err
	}
	return g, nil
}

// Protect serves people who are let in. [Who] returns the person.
func (g *Guard) Protect(next http.Handler) http.Handler {
	return g.Outer(g.ownOrigin(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		v, no := g.admit(w, r)
		if no == nil {
			no = g.pace(r, v.person.ID)
		}
		if no != nil {
			g.refuse(w, r, no)
			return
		}
		ctx, end := g.bounded(v.within(r.Context()), r, v)
		defer end()
		next.ServeHTTP(w, r.WithContext(ctx))
	})))
}

// Outer serves everybody, under a known Host and with security headers, which next may override.
func (g *Guard) Outer(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		host, ok := hostname(r.Host)
		g.harden(w.Header(), host)
		if !ok || !g.known(host) {
			g.journal.note(r, "host", "a request for a host that is not known was refused: PUBLIC_URL makes one known", "host", cut(r.Host))
			g.refuse(w, r, &refusal{status: http.StatusMisdirectedRequest, format: "Atelier does not know this address. " +
				"The operator can set it as PUBLIC_URL."})
			return
		}
		next.ServeHTTP(w, r)
	})
}

// Handler serves GET and POST /login, POST /logout, and what lies below /login/.
func (g *Guard) Handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /login", g.askPassword)
	mux.HandleFunc("POST /login", g.login)
	mux.HandleFunc("POST /logout", g.logout)
	all := http.NewServeMux()
	all.Handle("/", g.Outer(g.ownOrigin(mux)))
	all.HandleFunc("GET /login/static/", g.file) // under every Host, since a refusal loads them
	return all
}

// settle parses the parts of the configuration that may be invalid.
func (g *Guard) settle(c Config) error {
	switch {
	case c.Password != "" && c.State == nil:
		return errors.New("State is required for password sessions")
	case c.Header != "" && !headerName(c.Header):
		return fmt.Errorf("%q is not a valid header name", c.Header)
	case slices.ContainsFunc(c.Proxies, func(p netip.Prefix) bool { return !p.IsValid() }):
		return errors.New("a proxy's address is invalid")
	}
	g.admins = map[string]bool{}
	for _, name := range c.Admins {
		person, ok := named(name)
		if !ok || c.Header == "" {
			return fmt.Errorf("invalid admin name %q", name)
		}
		g.admins[person.ID] = true
	}
	for _, name := range c.Hosts {
		if _, err := netip.ParseAddr(name); err == nil {
			continue // IP addresses are always served
		}
		host, ok := hostname(name)
		if !ok {
			return fmt.Errorf("%q is not a valid host name", name)
		}
		g.hosts[host.name] = true
	}
	if c.Public == nil {
		return nil
	}
	host, ok := hostname(c.Public.Host)
	if !ok || c.Public.Scheme != "http" && c.Public.Scheme != "https" {
		return errors.New("the public address must be an http or https URL")
	}
	g.hosts[host.name], g.public, g.https = true, host.name, c.Public.Scheme == "https"
	g.exposed = g.open && !host.local()
	if err := g.origins.AddTrustedOrigin(c.Public.Scheme + "://" + c.Public.Host); err != nil {
		return fmt.Errorf("trust the public address: %w", err)
	}
	return nil
}
