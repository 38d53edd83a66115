package endpoint

import (
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"syscall"
	"time"
)

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
