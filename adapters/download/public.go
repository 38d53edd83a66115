package download

import (
	"net/netip"
	"slices"
)

// reserved are what the two registries of special-purpose addresses (RFC 6890, as IANA keeps
// them in November 2026) take out of the addresses that public asks about.
var reserved = prefixes(
	"0.0.0.0/8", "100.64.0.0/10", "192.0.0.0/24", "192.0.2.0/24", "192.88.99.0/24", "198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24", "240.0.0.0/4",
	"2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20", // Teredo and 6to4 are among them, which lead to an IPv4 address
)

// global are the IPv6 addresses that are given out for the internet (RFC 4291, 2.4): those
// that are mapped to IPv4 or translated (NAT64), local ones and what is not in use are not.
var global = netip.MustParsePrefix("2000::/3")

// public tells whether an address is one of the public internet.
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
