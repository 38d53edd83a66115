package download

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/gorilla/websocket"

	"atelier/adapters"
)

func TestAllowedCalls(t *testing.T) {
	t.Parallel()
	s := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/away":
			http.Redirect(w, r, "https://cdn.example.com/", http.StatusTemporaryRedirect)
		case "/round":
			http.Redirect(w, r, "/", http.StatusTemporaryRedirect)
		default:
			b, err := io.ReadAll(r.Body)
			if err != nil {
				t.Error(err)
			}
			write(t, w, r.Method+" "+string(b))
		}
	}))
	t.Cleanup(s.Close)
	net := &internet{names: map[string][]string{"example.com": {public1}, "cdn.example.com": {public1}, "home.example.com": {"10.0.0.1"}}}
	calls := net.reach(t, s, Config{Hosts: []string{"example.com", "*.example.com"}}).HTTP()
	for address, want := range map[string]string{
		"https://example.com/":      "POST token=t",
		"https://example.com/round": "POST token=t",
		"https://example.com/away":  "", // the body would be sent too
		"https://home.example.com/": "",
		"https://example.org/":      "",
		"http://example.com/":       "",
	} {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, address, strings.NewReader("token=t"))
		if err != nil {
			t.Fatal(err)
		}
		answer, err := calls.Do(r)
		if err != nil {
			if !errors.Is(err, adapters.ErrForbidden) || want != "" {
				t.Errorf("%s: %v", address, err)
			}
			if got := Detail(err).Error(); strings.Contains(got, address) {
				t.Errorf("%q contains the URL", got)
			}
			continue
		}
		b, err := io.ReadAll(answer.Body)
		if err := errors.Join(err, answer.Body.Close()); err != nil || string(b) != want {
			t.Errorf("%s: %q (%v), want %q", address, b, err, want)
		}
	}
}

func TestAllowedSockets(t *testing.T) {
	t.Parallel()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/full" {
			http.Error(w, r.URL.String(), http.StatusTooManyRequests)
			return
		}
		conn, err := (&websocket.Upgrader{}).Upgrade(w, r, nil)
		if err != nil {
			t.Error(err)
			return
		}
		if err := errors.Join(conn.WriteMessage(websocket.TextMessage, []byte("hello")), conn.Close()); err != nil {
			t.Error(err)
		}
	}))
	t.Cleanup(s.Close)
	net := &internet{names: map[string][]string{"home.example.com": {"10.0.0.1"}}}
	c := net.reach(t, s, Config{Hosts: []string{"*.example.com"}, Allow: []string{"127.0.0.1"}})
	at := "ws" + strings.TrimPrefix(s.URL, "http")
	conn, err := c.Socket(t.Context(), at, nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, b, err := conn.ReadMessage(); err != nil || string(b) != "hello" {
		t.Errorf("received %q (%v)", b, err)
	}
	if err := conn.Close(); err != nil {
		t.Error(err)
	}
	_, err = c.Socket(t.Context(), at+"/full?ticket=1", nil)
	if told := Detail(err).Error(); !strings.Contains(told, "429") || strings.Contains(told, "ticket") {
		t.Errorf("the error for a rejected handshake is %q", told)
	}
	dialled := len(net.dialed)
	for _, address := range []string{"ws://example.com/", "ws://gateway.example.com/", "wss://example.org/", "wss://home.example.com/"} {
		if _, err := c.Socket(t.Context(), address, nil); !errors.Is(err, adapters.ErrForbidden) {
			t.Errorf("%s: %v", address, err)
		}
	}
	if len(net.dialed) != dialled {
		t.Errorf("dialled %q", net.dialed)
	}
}

func TestDetailKeepsSentinels(t *testing.T) {
	t.Parallel()
	own := Elsewhere()
	const address = "https://example.com/signed"
	for name, c := range map[string]struct{ err, want error }{
		"a refusal":        {own, own},
		"the end":          {context.Canceled, context.Canceled},
		"too late":         {context.DeadlineExceeded, context.DeadlineExceeded},
		"a cut":            {io.ErrUnexpectedEOF, io.ErrUnexpectedEOF},
		"a cut at its end": {io.EOF, io.ErrUnexpectedEOF},
		"what it wrote":    {errors.New("malformed: " + address), errAnswer},
	} {
		got := Detail(&url.Error{Op: "Get", URL: address, Err: c.err})
		if !errors.Is(got, c.want) || strings.Contains(got.Error(), "signed") {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
}

func TestInvalidProxy(t *testing.T) {
	t.Parallel()
	s := httptest.NewServer(http.NotFoundHandler())
	t.Cleanup(s.Close)
	c := (&internet{}).reach(t, s, Config{Allow: []string{"files.test"}, Proxy: func(*http.Request) (*url.URL, error) {
		return nil, errors.New("http://ann:signed@proxy is no address")
	}})
	_, err := read(t, c, "http://files.test/", nil)
	checkFault(t, err, true, adapters.ErrRefused)
}

// TestRefusingProxy checks that the error names the proxy, so that nobody looks for the fault at the platform.
func TestRefusingProxy(t *testing.T) {
	t.Parallel()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusForbidden) }))
	t.Cleanup(s.Close)
	proxy, err := url.Parse(s.URL)
	if err != nil {
		t.Fatal(err)
	}
	proxy.User = url.UserPassword("ann", "signed")
	c, err := New(Config{Hosts: []string{"files.test"}, Proxy: func(*http.Request) (*url.URL, error) { return proxy, nil }})
	if err != nil {
		t.Fatal(err)
	}
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "https://files.test/a?b", nil)
	if err != nil {
		t.Fatal(err)
	}
	_, err = c.HTTP().Do(request) //nolint:bodyclose // there is no body
	if want := "the proxy " + proxy.Host + " answers with 403"; err == nil || Detail(err).Error() != want {
		t.Errorf("got %v", Detail(err))
	}
}
