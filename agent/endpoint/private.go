package endpoint

import (
	"fmt"
	"net"
	"net/http"
	"net/netip"

	"strings"
	"syscall"
	"time"

	"atelier/agent/lazyregexp"
)

// Private reports whether what is sent to the server stays in the house, by its name: a
// loopback, private or link-local address, a name without a dot (of a container, of a
// service), localhost, and names under .local (RFC 6762), .internal, .home.arpa
// (RFC 8375) and .localhost (RFC 6761). An address under 100.64.0.0/10 counts as well:
// it is routed in the network of a provider or a VPN only (RFC 6598).
func (e *Endpoint) Private() bool { return privateName(e.base.Hostname()) }

func privateName(host string) bool {
	if a, err := netip.ParseAddr(host); err == nil {
		return privateAddr(a)
	}
	host = strings.TrimSuffix(strings.ToLower(host), ".")
	if !strings.Contains(host, ".") {
		return !numeric.MatchString(host)
	}
	for _, s := range []string{".localhost", ".local", ".internal", ".home.arpa"} {
		if strings.HasSuffix(host, s) {
			return true
		}
	}
	return false
}

// numeric are the names that some resolvers take for an address (inet_aton).
var numeric = lazyregexp.New(`^(0x[0-9a-f]*|[0-9]*)$`)

var shared = netip.MustParsePrefix("100.64.0.0/10")

func privateAddr(a netip.Addr) bool {
	a = a.Unmap().WithZone("")
	return a.IsLoopback() || a.IsPrivate() || a.IsLinkLocalUnicast() || a.IsUnspecified() || shared.Contains(a)
}

// publicAddressError refuses the address that a private name resolved to.
type publicAddressError struct{ address string }

func (e *publicAddressError) Error() string {
	return fmt.Sprintf("the name stands for a private server but resolves to %s, which is not a private address", e.address)
}

// newTransport carries the tries to one server. A private one is reached without a
// proxy, which would be another host, and at private addresses only.
func newTransport(private bool) *http.Transport {
	dialer := &net.Dialer{Timeout: 30 * time.Second, KeepAlive: 30 * time.Second}
	t := &http.Transport{
		Proxy:               http.ProxyFromEnvironment,
		DialContext:         dialer.DialContext,
		ForceAttemptHTTP2:   true,
		TLSHandshakeTimeout: 10 * time.Second,
		IdleConnTimeout:     90 * time.Second,
		MaxIdleConnsPerHost: 8, // the actions of a plan run side by side
	}
	if private {
		t.Proxy = nil
		dialer.Control = onlyPrivate
	}
	return t
}

// onlyPrivate is asked by the dialer once the name is resolved.
func onlyPrivate(_, address string, _ syscall.RawConn) error {
	if a, err := netip.ParseAddrPort(address); err != nil || !privateAddr(a.Addr()) {
		return &publicAddressError{address: address}
	}
	return nil
}
