package endpoint

import (
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"syscall"
	"time"
)

// NewPublicTransport carries calls to a server that is not in the house, for [Config].Transport: it
// refuses to connect to a private address, which the name of the server may stand for, unless listed
// says that it may. Nil lists none. Where the environment names a proxy for the server, that is what
// is dialled, and it looks after the rest.
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

// privateAddressError refuses the address that a public name resolved to.
type privateAddressError struct{ address string }

func (e *privateAddressError) Error() string {
	return fmt.Sprintf("the name stands for a public server but resolves to %s, which is a private address", e.address)
}

// onlyPublic is asked by the dialer once the name is resolved.
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
