package download

import (
	"errors"
	"net"
	"net/netip"
	"slices"
	"strconv"
	"strings"
)

// pattern is a host, or all subdomains of one.
type pattern struct {
	host  string // in lower case
	below bool   // the subdomains of host, without host itself
	port  string // "" means any
}

var errPattern = errors.New("expected a host such as files.example.com, *.example.com, 127.0.0.1:8080 or [::1]:8080")

func parsePattern(s string) (pattern, error) {
	p := pattern{host: s}
	if host, port, err := net.SplitHostPort(s); err == nil {
		if n, err := strconv.ParseUint(port, 10, 16); err != nil || n == 0 {
			return pattern{}, errPattern
		}
		p.host, p.port = host, port
	}
	if a, err := netip.ParseAddr(strings.Trim(p.host, "[]")); err == nil {
		p.host = a.String()
		return p, nil
	}
	p.host, p.below = strings.CutPrefix(plain(p.host), "*.")
	if p.host == "" || strings.HasPrefix(p.host, ".") || strings.ContainsFunc(p.host, outsideName) {
		return pattern{}, errPattern
	}
	return p, nil
}

// loopback returns the names of this machine; a local server may use any of them in its URLs.
func loopback() []string { return []string{"localhost", "127.0.0.1", "::1"} }

// withLoopback adds the other names of this machine if one is listed.
func withLoopback(all []pattern) []pattern {
	for _, p := range slices.Clone(all) {
		if p.below || !slices.Contains(loopback(), p.host) {
			continue
		}
		for _, name := range loopback() {
			all = append(all, pattern{host: name, port: p.port})
		}
	}
	return all
}

// match reports whether a host and port match one of the patterns.
func match(all []pattern, host, port string) bool {
	host = plain(host)
	return slices.ContainsFunc(all, func(p pattern) bool {
		sub, below := strings.CutSuffix(host, "."+p.host)
		return (p.port == "" || p.port == port) && (p.below && below && sub != "" || !p.below && host == p.host)
	})
}

// plain normalizes a name for comparison: without a final dot, in lower case.
func plain(host string) string {
	return strings.TrimSuffix(strings.ToLower(host), ".")
}

// outsideName reports whether a character cannot be in a host name.
func outsideName(r rune) bool {
	return (r < 'a' || r > 'z') && (r < '0' || r > '9') && r != '-' && r != '.' && r != '_'
}
