package endpoint

import (
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"syscall"
	"time"

	"atelier/agent/lazyregexp"
)

// Private reports whether the server is on a private network, judging by its name: a loopback,
// private or link-local address, a name without a dot (of a container or service), localhost, and
// names under .local (RFC 6762), .internal, .home.arpa (RFC 8375) and .localhost (RFC 6761).
// Addresses in 100.64.0.0/10 count too: they are routed only within a provider's network or a VPN
// (RFC 6598).
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

// numeric matches names that some resolvers take for an address (inet_aton).
var numeric = lazyregexp.New(`^(0x[0-9a-f]*|[0-9]*)$`)

var shared = netip.MustParsePrefix("100.64.0.0/10")

func privateAddr(a netip.Addr) bool {
	a = a.Unmap().WithZone("")
	return a.IsLoopback() || a.IsPrivate() || a.IsLinkLocalUnicast() || a.IsUnspecified() || shared.Contains(a)
}

// publicAddressError is returned if a private name resolves to a public address.
type publicAddressError struct{ address string }

func (e *publicAddressError) Error() string {
	return "a private server's name resolves to the public address " + e.address
}

// newTransport returns a transport for one server. A private server is reached without a proxy,
// which would be another host, and only at private addresses.
func newTransport(private bool) *http.Transport {
	dialer := &net.Dialer{Timeout: 30 * time.Second, KeepAlive: 30 * time.Second}
	t := &http.Transport{
		Proxy:               http.ProxyFromEnvironment,
		DialContext:         dialer.DialContext,
		ForceAttemptHTTP2:   true,
		TLSHandshakeTimeout: 10 * time.Second,
		IdleConnTimeout:     90 * time.Second,
		MaxIdleConnsPerHost: 8, // a plan's actions run in parallel
	}
	if private {
		t.Proxy = nil
		dialer.Control = onlyPrivate
	}
	return t
}

// onlyPrivate is called by the dialer after the name is resolved.
func onlyPrivate(_, address string, _ syscall.RawConn) error {
	if a, err := netip.ParseAddrPort(address); err != nil || !privateAddr(a.Addr()) {
		return &publicAddressError{address: address}
	}
	return nil
}

// NewPublicTransport returns a transport for a public server, for [Config].Transport. It refuses to
// connect to a private address, to which the server's name may resolve, unless listed allows it;
// nil allows none. If the environment configures a proxy for the server, only the proxy is dialled,
// and these checks are left to it.
func NewPublicTransport(address string, listed func(netip.Addr) bool) *http.Transport {
	dialer := &net.Dialer{Timeout: 10 * time.Second, KeepAlive: 30 * time.Second, Control: onlyPublic(listed)}
	if to, err := url.Parse(address); err == nil {
		if proxy, err := http.ProxyFromEnvironment(&http.Request{URL: to}); err != nil || proxy != nil {
			dialer.Control = nil
		}
	}
	return &http.Transport{
		Proxy: http.ProxyFromEnvironment, DialContext: dialer.DialContext, ForceAttemptHTTP2: true,
		TLSHandshakeTimeout: 10 * time.Second, IdleConnTimeout: 90 * time.Second,
	}
}

// privateAddressError is returned if a public name resolves to a private address.
type privateAddressError struct{ address string }

func (e *privateAddressError) Error() string {
	return "a public server's name resolves to the private address " + e.address
}

// onlyPublic returns a check that the dialer calls after the name is resolved.
func onlyPublic(listed func(netip.Addr) bool) func(network, address string, _ syscall.RawConn) error {
	return func(_, address string, _ syscall.RawConn) error {
		to, err := netip.ParseAddrPort(address)
		if err != nil {
			return &privateAddressError{address: address}
		}
		a := to.Addr().Unmap().WithZone("")
		if (!a.IsGlobalUnicast() || a.IsPrivate() || shared.Contains(a)) && (listed == nil || !listed(a)) {
			return &privateAddressError{address: address}
		}
		return nil
	}
}
