package web

import (
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"

	"atelier/adapters/web/browsertest"
	"atelier/adapters/web/request"
)

// TestBusyServerInBrowser checks that a file that a busy server rejects is uploaded again automatically.
func TestBusyServerInBrowser(t *testing.T) {
	t.Parallel()
	c := newChannel(t, newMemory(), newFiles())
	inner := c.Handler()
	var refused atomic.Int32
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if IsUpload(r) && refused.Add(1) <= 2 {
			w.Header().Set("Retry-After", "1")
			request.WriteJSON(w, http.StatusTooManyRequests, map[string]string{"error": "Too many files."})
			return
		}
		inner.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	t.Cleanup(c.Close)
	p := browsertest.Start(t).Page(t, browsertest.Look{})
	p.Expect("429")
	p.Open(server.URL + "/")
	drop(p, "photo.txt")
	p.Wait(`document.querySelector(".chip .chip-state")?.textContent === "3 B"`)
	if n := refused.Load(); n != 3 {
		t.Errorf("it was sent %d times", n)
	}
}
