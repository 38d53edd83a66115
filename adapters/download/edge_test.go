package download

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"atelier/adapters"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// internet is a fake network: names resolve to a test's addresses, and every address leads to the same server.
type internet struct {
	names map[string][]string

	mu     sync.Mutex
	asked  []string // resolved names
	dialed []string // dialled addresses
}

func (n *internet) lookup(_ context.Context, _, host string) ([]netip.Addr, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.asked = append(n.asked, host)
	var all []netip.Addr
	for _, a := range n.names[host] {
		all = append(all, netip.MustParseAddr(a))
	}
	if all == nil {
		return nil, &net.DNSError{Err: "no such host", Name: host, IsNotFound: true}
	}
	return all, nil
}

// reach returns a client in that network.
func (n *internet) reach(t *testing.T, s *httptest.Server, config Config) *Client {
	t.Helper()
	if config.Proxy == nil {
		config.Proxy = func(*http.Request) (*url.URL, error) { return nil, nil } //nolint:nilnil // net/http's "no proxy"
	}
	c, err := New(config)
	if err != nil {
		t.Fatal(err)
	}
	c.lookup = n.lookup
	c.connect = func(ctx context.Context, network, address string) (net.Conn, error) {
		n.mu.Lock()
		n.dialed = append(n.dialed, address)
		n.mu.Unlock()
		return (&net.Dialer{}).DialContext(ctx, network, s.Listener.Addr().String())
	}
	transport, ok := c.http.Transport.(*http.Transport)
	if !ok {
		t.Fatal("unexpected transport")
	}
	if known, ok := s.Client().Transport.(*http.Transport); ok && known.TLSClientConfig != nil {
		transport.TLSClientConfig = &tls.Config{RootCAs: known.TLSClientConfig.RootCAs, MinVersion: tls.VersionTLS12}
	}
	t.Cleanup(c.http.CloseIdleConnections)
	return c
}

func write(t *testing.T, w io.Writer, text string) {
	t.Helper()
	if _, err := io.WriteString(w, text); err != nil {
		t.Error(err)
	}
}

func flush(t *testing.T, w http.ResponseWriter) {
	t.Helper()
	if err := http.NewResponseController(w).Flush(); err != nil {
		t.Error(err)
	}
}

const public1, public2 = "93.184.216.34", "2606:2800:220:1::1"

func read(t *testing.T, c *Client, address string, header http.Header) (string, error) {
	t.Helper()
	body, err := c.Open(t.Context(), address, header)
	if err != nil {
		return "", err
	}
	b, err := io.ReadAll(body)
	return string(b), errors.Join(err, body.Close())
}

func TestAllowedFiles(t *testing.T) {
	t.Parallel()
	s := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		write(t, w, r.Host+" "+r.Header.Get("Authorization"))
	}))
	t.Cleanup(s.Close)
	for name, c := range map[string]struct {
		address string
		dns     []string // of example.com
		allow   []string
		want    string // the content, "" if it is refused
		dialed  string
		kind    error
	}{
		"a host":                         {"https://example.com/a", []string{public1}, nil, "example.com Bearer t", public1 + ":443", nil},
		"its port":                       {"https://example.com:443/a", []string{public1}, nil, "example.com:443 Bearer t", public1 + ":443", nil},
		"in capitals":                    {"https://EXAMPLE.com/a", []string{public1}, nil, "EXAMPLE.com Bearer t", public1 + ":443", nil},
		"by IPv6":                        {"https://example.com/a", []string{public2}, nil, "example.com Bearer t", "[" + public2 + "]:443", nil},
		"the public one of its two":      {"https://example.com/a", []string{"10.0.0.1", public1}, nil, "example.com Bearer t", public1 + ":443", nil},
		"as IPv6 writes IPv4":            {"https://example.com/a", []string{"::ffff:" + public1}, nil, "example.com Bearer t", public1 + ":443", nil},
		"http":                           {"http://example.com/a", []string{public1}, nil, "", "", adapters.ErrForbidden},
		"another port":                   {"https://example.com:8443/a", []string{public1}, nil, "", "", adapters.ErrForbidden},
		"another host":                   {"https://example.org/a", []string{public1}, nil, "", "", adapters.ErrForbidden},
		"one that ends alike":            {"https://notexample.com/a", []string{public1}, nil, "", "", adapters.ErrForbidden},
		"one before it":                  {"https://example.com.evil.test/a", []string{public1}, nil, "", "", adapters.ErrForbidden},
		"a person before it":             {"https://example.com@evil.test/a", []string{public1}, nil, "", "", adapters.ErrForbidden},
		"a password":                     {"https://a:b@example.com/a", []string{public1}, nil, "", "", adapters.ErrForbidden},
		"a letter that folds to another": {"https://example.c\u006fm\u3002evil.test/a", []string{public1}, nil, "", "", adapters.ErrForbidden},
		"a file":                         {"file:///etc/passwd", nil, nil, "", "", adapters.ErrForbidden},
		"data":                           {"data:text/plain,a", nil, nil, "", "", adapters.ErrForbidden},
		"no address":                     {"%zz\n", nil, nil, "", "", adapters.ErrForbidden},
		"an address by number":           {"https://" + public1 + "/a", nil, nil, "", "", adapters.ErrForbidden},
		"at home":                        {"https://example.com/a", []string{"127.0.0.1"}, nil, "", "", adapters.ErrForbidden},
		"at home as IPv6 writes it":      {"https://example.com/a", []string{"::ffff:127.0.0.1"}, nil, "", "", adapters.ErrForbidden},
		"in the house":                   {"https://example.com/a", []string{"192.168.1.1", "fd00::1"}, nil, "", "", adapters.ErrForbidden},
		"where clouds keep keys":         {"https://example.com/a", []string{"169.254.169.254"}, nil, "", "", adapters.ErrForbidden},
		"translated":                     {"https://example.com/a", []string{"64:ff9b::7f00:1"}, nil, "", "", adapters.ErrForbidden},
		"allowed with its port":          {"https://example.com:8443/a", []string{"127.0.0.1"}, []string{"example.com:8443"}, "example.com:8443 Bearer t", "example.com:8443", nil},
		"allowed with another port":      {"https://example.com:8444/a", []string{"127.0.0.1"}, []string{"example.com:8443"}, "", "", adapters.ErrForbidden},
		"allowed with all ports":         {"https://127.0.0.1:77/a", nil, []string{"127.0.0.1"}, "127.0.0.1:77 Bearer t", "127.0.0.1:77", nil},
		"allowed by IPv6":                {"https://[::1]:77/a", nil, []string{"[::1]:77"}, "[::1]:77 Bearer t", "[::1]:77", nil},
		"by another name of this host":   {"https://[::1]:77/a", nil, []string{"127.0.0.1"}, "[::1]:77 Bearer t", "[::1]:77", nil},
		"by its name, at its port":       {"https://127.0.0.1:77/a", nil, []string{"localhost:77"}, "127.0.0.1:77 Bearer t", "127.0.0.1:77", nil},
		"by its name, at another port":   {"https://127.0.0.1:78/a", nil, []string{"localhost:77"}, "", "", adapters.ErrForbidden},
		"this host, where no one named":  {"https://localhost/a", nil, []string{"example.org"}, "", "", adapters.ErrForbidden},
		"a name that nobody knows":       {"https://example.com/a", nil, nil, "", "", nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			net := &internet{names: map[string][]string{"example.com": c.dns, "EXAMPLE.com": c.dns, "evil.test": {public1}, "example.org": {public1}}}
			got, err := read(t, net.reach(t, s, Config{Hosts: []string{"example.com", "*.example.com"}, Allow: c.allow}), c.address, http.Header{"Authorization": {"Bearer t"}})
			if got != c.want || strings.Join(net.dialed, " ") != c.dialed {
				t.Errorf("read %q (%v) from %q, want %q from %q", got, err, net.dialed, c.want, c.dialed)
			}
			if len(net.asked) > 1 {
				t.Errorf("resolved %q, more than once", net.asked)
			}
			checkFault(t, err, c.want == "", c.kind)
		})
	}
}

// checkFault checks the sentence for people, and the text for the log.
func checkFault(t *testing.T, err error, want bool, kind error) {
	t.Helper()
	if !want {
		if err != nil {
			t.Errorf("failed with %v", err)
		}
		return
	}
	fault, ok := errors.AsType[*adapters.Fault](err)
	if !ok || fault.Text() == "" {
		t.Fatalf("%v has no sentence for people", err)
	}
	if fault.Kind != kind { //nolint:errorlint // the kind is not wrapped
		t.Errorf("a fault of kind %v, want %v", fault.Kind, kind)
	}
	if strings.Contains(err.Error(), "signed") || strings.Contains(err.Error(), "Bearer") {
		t.Errorf("%q contains a secret", err)
	}
}

func TestRedirects(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		hops []string // in order; the last one answers
		want string
		kind error
	}{
		"within the host":           {[]string{"https://example.com/1", "/2"}, "Bearer t", nil},
		"to another of its hosts":   {[]string{"https://example.com/1", "https://cdn.example.com/2"}, "", nil},
		"away and back":             {[]string{"https://example.com/1", "https://cdn.example.com/2", "https://example.com/3"}, "", nil},
		"five":                      {[]string{"https://example.com/1", "/2", "/3", "/4", "/5", "/6"}, "Bearer t", nil},
		"six":                       {[]string{"https://example.com/1", "/2", "/3", "/4", "/5", "/6", "/7"}, "", adapters.ErrForbidden},
		"to nowhere":                {[]string{"https://example.com/1", "https://evil.test/signed"}, "", adapters.ErrForbidden},
		"to http":                   {[]string{"https://example.com/1", "http://example.com/2"}, "", adapters.ErrForbidden},
		"to http that is allowed":   {[]string{"https://example.com/1", "http://allowed.test/2"}, "", adapters.ErrForbidden},
		"into the house":            {[]string{"https://example.com/1", "https://home.example.com/2"}, "", adapters.ErrForbidden},
		"to what is no address":     {[]string{"https://example.com/1", "https://example.com:signed/%zz"}, "", nil},
		"to a program on this host": {[]string{"https://example.com/1", "https://127.0.0.1:6379/"}, "", adapters.ErrForbidden},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var hop int
			s := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if r.Header.Get("Referer") != "" {
					t.Error("the previous URL is sent as the Referer")
				}
				if hop++; hop < len(c.hops) {
					w.Header().Set("Location", c.hops[hop])
					w.WriteHeader(http.StatusFound)
					return
				}
				write(t, w, "the file "+r.Header.Get("Authorization"))
			}))
			t.Cleanup(s.Close)
			net := &internet{names: map[string][]string{
				"example.com": {public1}, "cdn.example.com": {public2}, "home.example.com": {"10.1.2.3"}, "evil.test": {public1}, "allowed.test": {public1},
			}}
			client := net.reach(t, s, Config{Hosts: []string{"example.com", "*.example.com"}, Allow: []string{"allowed.test"}})
			got, err := read(t, client, c.hops[0], http.Header{"Authorization": {"Bearer t"}})
			refused := c.kind != nil || name == "to what is no address"
			if !refused && got != "the file "+c.want {
				t.Errorf("read %q (%v), want %q", got, err, c.want)
			}
			checkFault(t, err, refused, c.kind)
		})
	}
}

func TestFaultKinds(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		status int
		token  bool
		kind   error
	}{
		"deleted":          {404, true, adapters.ErrGone},
		"gone":             {410, true, adapters.ErrGone},
		"expired":          {403, false, adapters.ErrGone},
		"not ours to read": {403, true, adapters.ErrForbidden},
		"no token":         {401, false, adapters.ErrForbidden},
		"too many":         {429, false, adapters.ErrRateLimited},
		"not now":          {503, false, nil},
		"late":             {408, false, nil},
		"half of it":       {206, false, nil},
		"nothing":          {204, false, nil},
		"nowhere":          {304, false, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Retry-After", "7.5")
				w.WriteHeader(c.status)
			}))
			t.Cleanup(s.Close)
			var header http.Header
			if c.token {
				header = http.Header{"Authorization": {"Bearer t"}}
			}
			_, err := read(t, (&internet{}).reach(t, s, Config{Allow: []string{"127.0.0.1"}}), s.URL+"/signed", header)
			checkFault(t, err, true, c.kind)
			if want := 7500 * time.Millisecond; c.status == 429 && adapters.Wait(err) != want {
				t.Errorf("wait %v, want %v", adapters.Wait(err), want)
			}
		})
	}
}

func TestTruncatedAndStalledFiles(t *testing.T) {
	t.Parallel()
	for name, serve := range map[string]func(t *testing.T, w http.ResponseWriter, end <-chan struct{}){
		"cut": func(t *testing.T, w http.ResponseWriter, _ <-chan struct{}) {
			t.Helper()
			w.Header().Set("Content-Length", "1000")
			write(t, w, "half of it")
		},
		"cut between its chunks": func(t *testing.T, w http.ResponseWriter, _ <-chan struct{}) {
			t.Helper()
			write(t, w, "half of it")
			flush(t, w)
			panic(http.ErrAbortHandler)
		},
		"stalled": func(t *testing.T, w http.ResponseWriter, end <-chan struct{}) {
			t.Helper()
			write(t, w, "half of it")
			flush(t, w)
			<-end
		},
		"silent": func(_ *testing.T, _ http.ResponseWriter, end <-chan struct{}) { <-end },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			end := make(chan struct{})
			s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { serve(t, w, end) }))
			t.Cleanup(s.Close)
			defer close(end)
			client := (&internet{}).reach(t, s, Config{Allow: []string{"127.0.0.1"}})
			if strings.HasPrefix(name, "s") { // the others end by themselves
				client.stall = 20 * time.Millisecond
			}
			_, err := read(t, client, s.URL, nil)
			checkFault(t, err, true, nil)
			if adapters.Final(err) {
				t.Errorf("%v is final, want a temporary fault", err)
			}
		})
	}
}

func TestPrivateProxy(t *testing.T) {
	t.Parallel()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		write(t, w, r.Method+" "+r.URL.String()) // a request to a proxy has the whole URL
	}))
	t.Cleanup(s.Close)
	proxy, err := url.Parse("http://proxy.internal:3128")
	if err != nil {
		t.Fatal(err)
	}
	net := &internet{}
	c := net.reach(t, s, Config{Allow: []string{"files.test"}, Proxy: func(*http.Request) (*url.URL, error) { return proxy, nil }})
	if got, err := read(t, c, "http://files.test/a", nil); got != "GET http://files.test/a" {
		t.Errorf("read %q (%v)", got, err)
	}
	_, err = read(t, c, "http://proxy.internal:3128/a", nil)
	checkFault(t, err, true, adapters.ErrForbidden)
	_, err = read(t, c, "https://evil.test/a", nil)
	checkFault(t, err, true, adapters.ErrForbidden)
	if len(net.asked) > 0 || strings.Join(net.dialed, " ") != "proxy.internal:3128" {
		t.Errorf("resolved %q, dialled %q", net.asked, net.dialed)
	}
}
