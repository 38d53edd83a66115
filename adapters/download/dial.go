package download

import (
	"context"
	"fmt"
	"net"
	"net/netip"
	"time"
)

// lookup resolves a name; network is "ip".
type lookup func(ctx context.Context, network, host string) ([]netip.Addr, error)

// connect dials a host and port.
type connect func(ctx context.Context, network, address string) (net.Conn, error)

// dial connects to a proxy or to an allowed host.
func (c *Client) dial(ctx context.Context, network, address string) (net.Conn, error) {
	host, at, err := net.SplitHostPort(address)
	if err != nil {
		return nil, Elsewhere()
	}
	if _, ok := c.proxies.Load(address); ok || match(c.allow, host, at) {
		return c.connect(ctx, network, address)
	}
	if !match(c.hosts, host, at) {
		return nil, Elsewhere()
	}
	addresses, err := c.lookup(ctx, "ip", host)
	if err != nil {
		return nil, fmt.Errorf("resolve a platform's host: %w", err)
	}
	failed := error(private())
	for _, a := range addresses {
		a = a.Unmap() // the resolver returns IPv4 addresses in either form
		if !public(a) {
			continue
		}
		conn, err := c.connect(ctx, network, net.JoinHostPort(a.String(), at))
		if err == nil {
			return conn, nil
		}
		failed = err
	}
	return nil, failed
}

// dialMoving is dial for connections with an idle timeout.
func (c *Client) dialMoving(ctx context.Context, network, address string) (net.Conn, error) {
	conn, err := c.dial(ctx, network, address)
	if err != nil {
		return nil, err
	}
	return &moving{Conn: conn, stall: c.stall}, nil
}

// moving is a connection that fails if nothing is read or written for some time.
type moving struct {
	net.Conn

	stall time.Duration
}

func (m *moving) Read(b []byte) (int, error) {
	if err := m.SetReadDeadline(time.Now().Add(m.stall)); err != nil {
		return 0, err //nolint:wrapcheck // the reader inspects the connection's own errors
	}
	return m.Conn.Read(b) //nolint:wrapcheck // the same
}

// Write also extends the deadline of a waiting Read, since the answer may take time.
func (m *moving) Write(b []byte) (int, error) {
	if err := m.SetDeadline(time.Now().Add(m.stall)); err != nil {
		return 0, err //nolint:wrapcheck // the same
	}
	return m.Conn.Write(b) //nolint:wrapcheck // the same
}
