package download

import (
	"net/netip"
	"slices"
)

// reserved are the blocks of IANA's two registries of special-purpose addresses (RFC 6890, as of November 2026) that
// the checks in public would otherwise accept.
var reserved = prefixes(
	"0.0.0.0/8", "100.64.0.0/10", "192.0.0.0/24", "192.0.2.0/24", "192.88.99.0/24", "198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24", "240.0.0.0/4",
	"2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20", // including Teredo and 6to4, which lead to an IPv4 address
)

// global are the IPv6 addresses that are allocated for the internet (RFC 4291, 2.4), without those mapped to IPv4,
// translated (NAT64), local, or unused.
var global = netip.MustParsePrefix("2000::/3")

// public reports whether an address is on the public internet.
func public(a netip.Addr) bool {
	if !a.IsGlobalUnicast() || a.IsPrivate() || a.Zone() != "" || a.Is6() && !global.Contains(a) {
		return false
	}
	return !slices.ContainsFunc(reserved, func(p netip.Prefix) bool { return p.Contains(a) })
}

func prefixes(all ...string) []netip.Prefix {
	parsed := make([]netip.Prefix, len(all))
	for i, p := range all {
		parsed[i] = netip.MustParsePrefix(p)
	}
	return parsed
}
