// Package download is a guarded client for HTTP and web sockets. The chat adapters reach their platform's API and
// files through it, and the bot opens links in requests.
//
// Guarantees:
//   - Requests go only to hosts of the platform (Hosts: https only, at its default port) or of the operator's settings
//     (Allow). Every redirect is checked again. At most five are followed, none from https to http, and headers are
//     dropped at the first redirect to another host.
//   - A name is resolved once, and the checked address is the one that is dialled. For Hosts it must be on the public
//     internet: not private, loopback, link-local, shared, multicast, reserved or translated. For Allow it may be any.
//   - A proxy in the environment is used. Names are still checked; addresses are then up to the proxy, which may itself
//     have a private address.
//   - A truncated body is an error, and so is a connection that is idle for a minute. The reader of a body must limit
//     its size.
//   - Errors of [Client.Open] contain neither URLs nor headers. Those of [Client.HTTP] are net/http's own, with the
//     URL: see [Detail].
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
	// A frame is written whole, since Slack does not reassemble fragments.
	socketBuffer = 32 << 10
)

// Config names the hosts that a client may reach.
type Config struct {
	// Hosts are the platform's hosts: "files.slack.com", or "*.slack.com" for all subdomains.
	Hosts []string
	// Allow are the hosts of a setting, in the same form, each with a port or for all ports. They may be private or
	// loopback, and are also reachable by http. Each of localhost, 127.0.0.1 and [::1] allows all three.
	Allow []string
	// Proxy returns the proxy for a request; nil uses the environment.
	Proxy func(*http.Request) (*url.URL, error)
}

// Client reaches only the allowed hosts. It is safe for concurrent use.
type Client struct {
	hosts, allow []pattern
	proxy        func(*http.Request) (*url.URL, error)
	proxies      sync.Map // host:port of the proxies that the proxy function returned
	lookup       lookup
	connect      connect
	stall        time.Duration
	http         *http.Client
}

// New returns a client. It does not dial.
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
			// Each download has its own connection: no HTTP/2.
			TLSHandshakeTimeout:    handshake,
			ResponseHeaderTimeout:  stalled,
			IdleConnTimeout:        stalled / 2,
			MaxIdleConnsPerHost:    8, // concurrent requests
			MaxResponseHeaderBytes: maxHeader,
		},
	}
	return client, nil
}

// HTTP returns a client for the platform's API. It has no timeout for a whole call; use the context for that.
func (c *Client) HTTP() *http.Client { return c.http }

// Socket opens a WebSocket of the platform, which has no idle timeout. A rejected handshake is a [*Refused].
func (c *Client) Socket(ctx context.Context, address string, header http.Header) (*websocket.Conn, error) {
	dialer := websocket.Dialer{Proxy: c.route, NetDialContext: c.dial, HandshakeTimeout: handshake, WriteBufferSize: socketBuffer}
	conn, answer, err := dialer.DialContext(ctx, address, header)
	if answer == nil {
		return conn, err //nolint:wrapcheck // for Detail
	}
	if errors.Is(err, websocket.ErrBadHandshake) {
		err = &Refused{Status: answer.StatusCode}
	}
	return conn, errors.Join(err, answer.Body.Close())
}

// Refused is the error for a rejected WebSocket handshake.
type Refused struct{ Status int } //nolint:errname // named after what happened to the socket

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

// route rejects a request to a forbidden host, or returns its proxy. Both kinds of connection call it first.
func (c *Client) route(r *http.Request) (*url.URL, error) {
	if r.URL.User != nil || !c.Allows(r.URL) {
		return nil, Elsewhere()
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

// port returns the port of a URL, explicit or default.
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

// redirected checks each redirect, before route does.
func redirected(r *http.Request, via []*http.Request) error {
	first, last := via[0].URL, via[len(via)-1].URL
	if len(via) > maxRedirects || last.Scheme == "https" && r.URL.Scheme != "https" {
		return Elsewhere()
	}
	r.Header.Del("Referer") // it would pass on a signed URL
	if slices.ContainsFunc(slices.Concat(via[1:], []*http.Request{r}), func(hop *http.Request) bool { return hop.URL.Host != first.Host }) {
		if r.Body != nil && r.Body != http.NoBody { // which may hold the token
			return Elsewhere()
		}
		clear(r.Header)
	}
	return nil
}
