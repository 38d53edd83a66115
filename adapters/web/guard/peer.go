package guard

import (
	"net/http"
	"net/netip"
	"slices"
	"strings"
)

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

// headerName reports whether a name is valid for a header (RFC 9110, section 5.1).
func headerName(s string) bool {
	const allowed = "!#$%&'*+-.^_`|~0123456789abcdefghijklmnopqrstuvwxyz"
	return s != "" && len(s) <= 100 && strings.Trim(strings.ToLower(s), allowed) == ""
}
