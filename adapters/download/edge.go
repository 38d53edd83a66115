// Package download is how the adapters of chat platforms reach the outside: files of the
// platform's hosts and no others, and the platform's interface.
//
// Promises:
//   - A request goes to a host that is named: by the platform (Hosts: https alone, at its
//     own port) or by who runs the program (Allow). Every redirect is looked at again, at
//     most five are followed, none of them from https to http, and what was sent in headers
//     is left out from the first one on that leaves the host.
//   - A name is resolved once, and the address that was looked at is the one that is dialled.
//     For Hosts it is one of the public internet: no private, loopback, link-local, shared,
//     multicast, reserved or translated one. Allow may name any.
//   - A proxy of the environment is honoured. The names are held all the same, the addresses
//     then are the proxy's to look at, and its own may be private.
//   - A body that is cut short is an error, and so is a connection on which nothing moves for
//     a minute. How much a body may hold is for its reader to count.
//   - No error of [Client.Open] holds an address or a header. Those of [Client.HTTP] are
//     net/http's own, with the address: see [Detail].
package download

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"slices"
	"sync"
	"time"

	"github.com/gorilla/websocket"
)

const (
	dialling     = 10 * time.Second
	handshake    = 20 * time.Second
	stalled      = time.Minute
	maxRedirects = 5
	maxHeader    = 64 << 10 // bytes
	// A frame is written whole: Slack does not put parts together.
	socketBuffer = 32 << 10
)

// Config says where a client may go.
type Config struct {
	// Hosts are the platform's: "files.slack.com", or "*.slack.com" for all below it.
	Hosts []string
	// Allow are the hosts that a setting named, in the same form, each with a port or for
	// all its ports. They may be private or loopback, and reached by http. One of the names
	// of this machine, localhost, 127.0.0.1 and [::1], stands for all three.
	Allow []string
	// Proxy tells by which proxy a request goes; nil asks the environment.
	Proxy func(*http.Request) (*url.URL, error)
}

// Client reaches the hosts that are allowed. It is safe for concurrent use.
type Client struct {
	hosts, allow []pattern
	proxy        func(*http.Request) (*url.URL, error)
	proxies      sync.Map // host:port of those that the proxy function named
	lookup       lookup
	connect      connect
	stall        time.Duration
	http         *http.Client
}

// New makes a client. It dials nothing.
func New(c Config) (*Client, error) {
	client := &Client{proxy: c.Proxy, lookup: net.DefaultResolver.LookupNetIP, connect: (&net.Dialer{Timeout: dialling}).DialContext, stall: stalled}
	if client.proxy == nil {
		client.proxy = http.ProxyFromEnvironment
	}
	for _, named := range []struct {
		from []string
		to   *[]pattern
	}{{c.Hosts, &client.hosts}, {c.Allow, &client.allow}} {
		for _, host := range named.from {
			p, err := parsePattern(host)
			if err != nil {
				return nil, fmt.Errorf("invalid host: %w", err)
			}
			*named.to = append(*named.to, p)
		}
	}
	client.allow = withLoopback(client.allow)
	client.http = &http.Client{
		CheckRedirect: redirected,
		Transport: &http.Transport{
			Proxy:       client.route,
			DialContext: client.dialMoving,

			OnProxyConnectResponse: passed,
			// A connection of its own for each download: no HTTP/2.
			TLSHandshakeTimeout:    handshake,
			ResponseHeaderTimeout:  stalled,
			IdleConnTimeout:        stalled / 2,
			MaxIdleConnsPerHost:    8, // requests run side by side
			MaxResponseHeaderBytes: maxHeader,
		},
	}
	return client, nil
}

// HTTP is for calls of the platform's interface. It bounds no call as a whole: that is for
// the call's context.
func (c *Client) HTTP() *http.Client { return c.http }

// Socket opens one of the platform's WebSockets. It may be silent for any time. A handshake
// that the server refuses is a [*Refused].
func (c *Client) Socket(ctx context.Context, address string, header http.Header) (*websocket.Conn, error) {
	dialer := websocket.Dialer{Proxy: c.route, NetDialContext: c.dial, HandshakeTimeout: handshake, WriteBufferSize: socketBuffer}
	conn, answer, err := dialer.DialContext(ctx, address, header)
	if answer == nil {
		return conn, err //nolint:wrapcheck // Detail reads it
	}
	if errors.Is(err, websocket.ErrBadHandshake) {
		err = &Refused{Status: answer.StatusCode}
	}
	return conn, errors.Join(err, answer.Body.Close())
}

// Refused tells that a server did not let a WebSocket begin.
type Refused struct{ Status int } //nolint:errname // it is named for what befell the socket

func (r *Refused) Error() string {
	return fmt.Sprintf("the handshake of the WebSocket was answered with %d", r.Status)
}

// Allows reports whether an address is on an allowed host.
func (c *Client) Allows(u *url.URL) bool {
	host, at := u.Hostname(), port(u)
	switch u.Scheme {
	case "https":
		return match(c.allow, host, at) || match(c.hosts, host, at) && at == "443"
	case "http":
		return match(c.allow, host, at)
	default:
		return false
	}
}

// route refuses a request to where it may not go, and else tells by which proxy it goes.
// Both kinds of connection ask it first.
func (c *Client) route(r *http.Request) (*url.URL, error) {
	if r.URL.User != nil || !c.Allows(r.URL) {
		return nil, elsewhere()
	}
	proxy, err := c.proxy(r)
	if err != nil {
		return nil, misdirected()
	}
	if proxy != nil {
		c.proxies.Store(net.JoinHostPort(proxy.Hostname(), port(proxy)), true)
	}
	return proxy, nil
}

// port returns the one that an address is reached at.
func port(u *url.URL) string {
	if p := u.Port(); p != "" {
		return p
	}
	switch u.Scheme {
	case "https", "wss":
		return "443"
	case "socks5", "socks5h":
		return "1080"
	default:
		return "80"
	}
}

// redirected looks at each redirect, before route does.
func redirected(r *http.Request, via []*http.Request) error {
	first, last := via[0].URL, via[len(via)-1].URL
	if len(via) > maxRedirects || last.Scheme == "https" && r.URL.Scheme != "https" {
		return elsewhere()
	}
	r.Header.Del("Referer") // it would hand a signed address on
	if slices.ContainsFunc(slices.Concat(via[1:], []*http.Request{r}), func(hop *http.Request) bool { return hop.URL.Host != first.Host }) {
		if r.Body != nil && r.Body != http.NoBody { // which may hold the token
			return elsewhere()
		}
		clear(r.Header)
	}
	return nil
}
