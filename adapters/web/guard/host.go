package guard

import (
	"net/http"
	"net/netip"
	"strings"
)

// host is what a Host header names.
type host struct {
	name string     // in lower case, without the dot at its end; an IP address as it is written shortest
	addr netip.Addr // where it is an IP address
}

// local tells whether the name is one of this machine to its own browsers.
func (h host) local() bool { return h.name == "localhost" || h.addr.IsLoopback() }

// hostname reads a host with or without a port. Browsers send names in ASCII and
// addresses in their usual form: what is written otherwise is none.
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

// known tells whether the channel is served under that host. An IP address is nobody's
// name that could be made to lead here, so any is taken where people must say who they are.
func (g *Guard) known(h host) bool {
	if h.local() {
		return true
	}
	return g.hosts[h.name] || !g.open && h.addr.IsValid()
}

// secure tells whether the request came by https, as far as that is known.
func (g *Guard) secure(h host) bool { return g.https && h.name == g.public }

// policy is what the pages of the channel may load and do. Nothing runs that is not a
// file of the channel's own.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob:; media-src 'self' blob:; " +
	"connect-src 'self'; frame-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"

// harden tells the browser what the answer may do.
func (g *Guard) harden(header http.Header, h host) {
	header.Set("Content-Security-Policy", policy)
	header.Set("X-Content-Type-Options", "nosniff")
	header.Set("Referrer-Policy", "same-origin")
	header.Set("Cross-Origin-Resource-Policy", "same-origin")
	header.Set("Permissions-Policy", "camera=(), geolocation=(), microphone=(self), payment=(), usb=()")
	header.Set("Cache-Control", "no-store")
	if g.secure(h) || h.local() { // elsewhere browsers complain of it, and pass it over
		header.Set("Cross-Origin-Opener-Policy", "same-origin")
	}
	if g.secure(h) {
		header.Set("Strict-Transport-Security", "max-age=31536000")
	}
}

// ownOrigin refuses what another origin's page sends, or loads as a part of itself. It may
// lead here.
func (g *Guard) ownOrigin(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if err := g.origins.Check(r); err != nil || embedded(r) {
			g.journal.note(r, "origin", "a request of another site's page was refused")
			g.refuse(w, r, &refusal{status: http.StatusForbidden, format: "" +
				"This was asked by a page of another site. Open Atelier itself, and try again there."})
			return
		}
		next.ServeHTTP(w, r)
	})
}

// embedded tells whether another origin's page, not the person, asks. Browsers that do not
// say so are held off by Cross-Origin-Resource-Policy.
func embedded(r *http.Request) bool {
	switch r.Header.Get("Sec-Fetch-Site") {
	case "cross-site", "same-site":
		safe := r.Method == http.MethodGet || r.Method == http.MethodHead
		return safe && (r.Header.Get("Sec-Fetch-Mode") != "navigate" || r.Header.Get("Sec-Fetch-Dest") != "document")
	default:
		return false
	}
}
