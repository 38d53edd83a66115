package guard

import (
	"net/http"
	"net/netip"
	"slices"
	"strings"
)

// host is a parsed Host header.
type host struct {
	name string     // in lower case, without a final dot; an IP address in its shortest form
	addr netip.Addr // if it is an IP address
}

// local reports whether the name stands for this machine, as used by its browsers.
func (h host) local() bool { return h.name == "localhost" || h.addr.IsLoopback() }

// hostname parses a host with or without a port, as browsers write it.
func hostname(s string) (host, bool) {
	name, port := s, ""
	if i := strings.LastIndexByte(s, ':'); i >= 0 && !strings.HasSuffix(s, "]") {
		name, port = s[:i], s[i+1:]
	}
	if strings.Trim(port, "0123456789") != "" || len(port) > 5 {
		return host{}, false
	}
	if inner, ok := strings.CutPrefix(name, "["); ok {
		inner, closed := strings.CutSuffix(inner, "]")
		addr, err := netip.ParseAddr(inner)
		if err != nil || !closed || !addr.Is6() || addr.Zone() != "" {
			return host{}, false
		}
		return host{name: addr.Unmap().String(), addr: addr.Unmap()}, true
	}
	name = strings.ToLower(strings.TrimSuffix(name, "."))
	if len(name) > 253 || strings.Contains("."+name+".", "..") || strings.Trim(name, "abcdefghijklmnopqrstuvwxyz0123456789-_.") != "" {
		return host{}, false
	}
	addr, err := netip.ParseAddr(name)
	if err != nil {
		return host{name: name}, true
	}
	return host{name: name, addr: addr}, true
}

// address is where the channel is served.
type address struct {
	open   bool // to people at this machine, without a login
	hosts  map[string]bool
	public string // host name of the public address, "" if it is not set
	https  bool   // of the public address
}

// known reports whether the channel is served under that host. Nobody else can make an IP address lead here, so if
// people must log in, every IP address is known.
func (a *address) known(h host) bool {
	return h.local() || a.hosts[h.name] || !a.open && h.addr.IsValid()
}

// secure reports whether the request certainly came by https.
func (a *address) secure(h host) bool { return a.https && h.name == a.public }

// policy is the Content-Security-Policy of the pages: only the channel's own files may run.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob:; media-src 'self' blob:; " +
	"connect-src 'self'; frame-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"

// harden sets the security headers of a response.
func (a *address) harden(header http.Header, h host) {
	header.Set("Content-Security-Policy", policy)
	header.Set("X-Content-Type-Options", "nosniff")
	header.Set("Referrer-Policy", "same-origin")
	header.Set("Cross-Origin-Resource-Policy", "same-origin")
	header.Set("Permissions-Policy", "camera=(), geolocation=(), microphone=(self), payment=(), usb=()")
	header.Set("Cache-Control", "no-store")
	if a.secure(h) || h.local() { // elsewhere browsers ignore it with a warning
		header.Set("Cross-Origin-Opener-Policy", "same-origin")
	}
	if a.secure(h) {
		header.Set("Strict-Transport-Security", "max-age=31536000")
	}
}

// Address returns the address that limits count for when there is no person: the one that connected, or the last
// one before the trusted proxies; for IPv6 its /64. If no proxies are configured, only the last hop of a proxy on
// this machine is believed.
func (g *Guard) Address(r *http.Request) string {
	a := peer(r)
	if g.forwarded && within(g.proxies, a) {
		hops := strings.Split(strings.Join(r.Header.Values("X-Forwarded-For"), ","), ",")
		for _, hop := range slices.Backward(hops) {
			before, err := netip.ParseAddr(strings.TrimSpace(hop))
			if err != nil {
				break
			}
			a = before.Unmap().WithZone("")
			if g.near || !within(g.proxies, a) {
				break
			}
		}
	}
	if a.Is6() {
		if network, err := a.Prefix(64); err == nil {
			return network.String()
		}
	}
	return a.String()
}

// ownOrigin rejects requests that pages of other origins send or embed. Links are allowed.
func (g *Guard) ownOrigin(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if err := g.origins.Check(r); err != nil || embedded(r) {
			g.journal.note(r, "origin", "a request of another site's page was refused")
			g.refuse(w, r, &refusal{status: http.StatusForbidden, format: "" +
				"This request came from a page of another site. Open Atelier itself, and try again there."})
			return
		}
		next.ServeHTTP(w, r)
	})
}

// embedded reports whether a page of another origin embeds this. Browsers that do not send the
// header obey Cross-Origin-Resource-Policy.
func embedded(r *http.Request) bool {
	switch r.Header.Get("Sec-Fetch-Site") {
	case "cross-site", "same-site":
		safe := r.Method == http.MethodGet || r.Method == http.MethodHead
		return safe && (r.Header.Get("Sec-Fetch-Mode") != "navigate" || r.Header.Get("Sec-Fetch-Dest") != "document")
	default:
		return false
	}
}

// peer returns the address that connected, or the zero address.
func peer(r *http.Request) netip.Addr {
	at, err := netip.ParseAddrPort(r.RemoteAddr)
	if err != nil {
		return netip.Addr{}
	}
	return at.Addr().Unmap().WithZone("")
}

// within reports whether an address is in one of the networks.
func within(networks []netip.Prefix, a netip.Addr) bool {
	return slices.ContainsFunc(networks, func(p netip.Prefix) bool { return p.Contains(a) })
}

// proxied reports whether a proxy forwards the request for somebody else.
func proxied(header http.Header) bool {
	for _, name := range []string{"Forwarded", "Via", "X-Forwarded-For", "X-Forwarded-Host", "X-Forwarded-Proto", "X-Real-Ip"} {
		if len(header.Values(name)) > 0 {
			return true
		}
	}
	return false
}

// headerName reports whether a name is valid for a header (RFC 9110, section 5.1).
func headerName(s string) bool {
	const allowed = "!#$%&'*+-.^_`|~0123456789abcdefghijklmnopqrstuvwxyz"
	return s != "" && len(s) <= 100 && strings.Trim(strings.ToLower(s), allowed) == ""
}
