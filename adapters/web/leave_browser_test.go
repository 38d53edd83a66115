package web

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"atelier/adapters/web/browsertest"
	"atelier/adapters/web/guard"
)

// endSessions ends the sessions of everybody who is logged in.
func (m *memory) endSessions() {
	m.mu.Lock()
	defer m.mu.Unlock()
	for key := range m.lists {
		if strings.HasPrefix(key, "web-session-") {
			delete(m.lists, key)
		}
	}
}

// doored is a channel behind a password, with its login page.
func doored(t *testing.T, state *memory, password string) *httptest.Server {
	t.Helper()
	g, err := guard.New(guard.Config{Password: password, State: state})
	if err != nil {
		t.Fatal(err)
	}
	c := newChannel(t, state, newFiles(), func(c *Config) { c.Guard, c.Who, c.CanLeave = g.Protect, guard.Who, guard.CanLeave })
	mux := http.NewServeMux()
	for _, path := range []string{"/login", "/login/", "/logout"} {
		mux.Handle(path, g.Handler())
	}
	mux.Handle("/", c.Handler())
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	t.Cleanup(c.Close)
	return server
}

// TestLeaving checks that a draft survives the end of a session, but not logging out, and that a page whose
// session has ended leads to the login.
func TestLeaving(t *testing.T) {
	t.Parallel()
	const password = "open sesame"
	state := newMemory()
	server := doored(t, state, password)
	p := browsertest.Start(t).Page(t, browsertest.Look{})
	// Responses rejected for lack of a session, and interrupted streams, are recorded.
	for _, fault := range []string{"401", "ERR_INCOMPLETE_CHUNKED_ENCODING", "[object Event]"} {
		p.Expect(fault)
	}
	login := func() {
		t.Helper()
		p.Wait(`location.pathname === "/login" && document.readyState === "complete" && document.getElementById("password")`)
		p.Script(fmt.Sprintf(`(() => { document.getElementById("name").value = "Ana"; document.getElementById("password").value = %q; document.querySelector("form").submit(); })()`, password))
		p.Wait(`location.pathname !== "/login" && document.readyState === "complete" && document.getElementById("text")`)
	}
	says := func(text string) { p.Wait(fmt.Sprintf(`document.getElementById("text").value === %q`, text)) }
	p.Open(server.URL + "/")
	login()
	write(p, "a secret wish")
	state.endSessions()
	drop(p, "photo.png") // its upload is refused
	login()
	says("a secret wish")
	p.Script(`document.querySelector('form[action="/logout"] button').click()`)
	login()
	says("")
	if kept := browsertest.Eval[int](p, `Object.keys(sessionStorage).filter((k) => sessionStorage.getItem(k).includes("secret")).length`); kept > 0 {
		t.Error("the draft is kept")
	}

	write(p, "hello")
	enter(p, "")
	p.Wait(`location.pathname.startsWith("/t/") && document.querySelector("#messages article")`)
	state.endSessions()
	server.CloseClientConnections() // as the stream ends then
	p.Wait(`location.pathname === "/login"`)
}
