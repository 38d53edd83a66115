package endpoint

import (
	"errors"
	"net"
	"net/netip"
	"testing"
)

func TestOnlyPublicAddressesAreDialled(t *testing.T) {
	t.Parallel()
	for address, public := range map[string]bool{
		"93.184.216.34:443": true, "[2606:2800:220:1::1]:443": true, "127.0.0.1:80": false, "10.1.2.3:80": false, "192.168.1.1:80": false, "172.20.0.1:80": false,
		"169.254.169.254:80": false, "100.64.0.1:80": false, "0.0.0.0:80": false, "[::1]:80": false, "[fe80::1%eth0]:80": false, "[fd00::1]:80": false,
		"[::ffff:127.0.0.1]:80": false, "224.0.0.1:80": false, "nonsense": false,
	} {
		if err := onlyPublic(nil)("tcp", address, nil); (err == nil) != public {
			t.Errorf("%s: %v", address, err)
		}
	}
}

func TestListedAddressIsDialled(t *testing.T) {
	t.Parallel()
	listed := func(a netip.Addr) bool { return a == netip.MustParseAddr("10.1.2.3") }
	for address, ok := range map[string]bool{"10.1.2.3:80": true, "[::ffff:10.1.2.3]:80": true, "10.1.2.4:80": false, "127.0.0.1:80": false} {
		if err := onlyPublic(listed)("tcp", address, nil); (err == nil) != ok {
			t.Errorf("%s: %v", address, err)
		}
	}
}

func TestPublicServerCannotReachInside(t *testing.T) {
	t.Parallel()
	var config net.ListenConfig
	inside, err := config.Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer inside.Close() //nolint:errcheck // nobody is let in
	conn, err := NewPublicTransport("http://localhost", nil).DialContext(t.Context(), "tcp", inside.Addr().String())
	if conn != nil {
		_ = conn.Close() //nolint:errcheck // it should not be there
	}
	if _, refused := errors.AsType[*privateAddressError](err); !refused {
		t.Errorf("got %v", err)
	}
}
