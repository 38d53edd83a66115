package weather

import (
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"syscall"
	"time"
)

// newPublic carries calls to a server outside of the house, and to no other. Where the
// environment names a proxy for it, that is what is dialled, and it looks after the rest.
func newPublic(address string) *http.Transport {
	dialer := &net.Dialer{Timeout: 10 * time.Second, KeepAlive: 30 * time.Second, Control: onlyPublic}
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

// shared is the space of addresses within a provider's network (RFC 6598).
var shared = netip.MustParsePrefix("100.64.0.0/10")

// onlyPublic is asked by the dialer once the name is resolved.
func onlyPublic(_, address string, _ syscall.RawConn) error {
	to, err := netip.ParseAddrPort(address)
	if err != nil {
		return &privateAddressError{address: address}
	}
	a := to.Addr().Unmap().WithZone("")
	if !a.IsGlobalUnicast() || a.IsPrivate() || shared.Contains(a) {
		return &privateAddressError{address: address}
	}
	return nil
}
