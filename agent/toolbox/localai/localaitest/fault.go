package localaitest

import (
	"net/http"
	"slices"
	"strings"
)

// Fault is a kind of fault.
type Fault string

// The faults.
const (
	Down      Fault = "down"       // the connection closes without an answer
	Failing   Fault = "failing"    // 500, as when a model cannot be loaded
	Slow      Fault = "slow"       // no answer until the client leaves, or Mend
	Busy      Fault = "busy"       // 429
	Loading   Fault = "loading"    // 503: the model is loading
	Page      Fault = "page"       // 200 with a web page
	Senseless Fault = "senseless"  // 200 with JSON of another form
	WrongKind Fault = "wrong kind" // a file of the wrong kind
	Endless   Fault = "endless"    // an endless answer
	Cut       Fault = "cut"        // a truncated answer
	Redirect  Fault = "redirect"   // a redirect to another server
	Expired   Fault = "expired"    // 401: the key has expired
	Elsewhere Fault = "elsewhere"  // a link to a file on another server
)

// All returns the faults that the server is to blame for and that occur at once.
func All() []Fault {
	return []Fault{Down, Failing, Busy, Loading, Page, Senseless, Endless, Cut, Redirect, Expired}
}

// broken is a fault of some paths.
type broken struct {
	fault Fault
	paths []string
	free  chan struct{}
}

// Break sets a fault for the given paths, or for all POST requests if there are none. The latest fault of a
// path applies.
func (s *Server) Break(f Fault, paths ...string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.broken = append(s.broken, broken{f, paths, make(chan struct{})})
}

// Mend removes all faults and releases held calls.
func (s *Server) Mend() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, b := range s.broken {
		close(b.free)
	}
	s.broken = nil
}

// Held receives a value for each call held by Slow.
func (s *Server) Held() <-chan struct{} { return s.held }

// fault returns the fault of a call.
func (s *Server) fault(r *http.Request) (broken, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, b := range slices.Backward(s.broken) {
		if len(b.paths) == 0 && r.Method == http.MethodPost || slices.Contains(b.paths, r.URL.Path) {
			return b, true
		}
	}
	return broken{}, false
}

// fails answers a call as its fault demands. It reports false if a regular answer must follow.
func (s *Server) fails(w http.ResponseWriter, r *http.Request) bool {
	b, ok := s.fault(r)
	if !ok {
		return false
	}
	switch b.fault {
	case Down:
		panic(http.ErrAbortHandler)
	case Failing:
		fail(w, http.StatusInternalServerError, "could not load model - all backends returned error")
	case Slow:
		return s.hold(r, b)
	case Busy:
		w.Header().Set("Retry-After", "7")
		fail(w, http.StatusTooManyRequests, "too many requests")
	case Loading:
		send(w, http.StatusServiceUnavailable, map[string]any{
			"error":   map[string]any{"code": 503, "message": "the model is still loading", "type": "model_loading"},
			"loading": map[string]any{"model": "m", "state": "staging", "progress": 0.4},
		})
	case Page:
		write(w, "text/html; charset=utf-8", []byte("<!DOCTYPE html><html><body>Welcome</body></html>"))
	case Senseless:
		send(w, http.StatusOK, map[string]any{"unexpected": []int{1, 2}})
	case Endless:
		s.endless(w, r)
	case Cut:
		cut(w)
	case Redirect:
		http.Redirect(w, r, "http://192.0.2.1:9/elsewhere", http.StatusTemporaryRedirect)
	case Expired:
		fail(w, http.StatusUnauthorized, "invalid api key")
	case WrongKind, Elsewhere: // answer applies them
		return false
	}
	return true
}

// hold holds a call. It returns false when the call is released, so that it is answered.
func (s *Server) hold(r *http.Request, b broken) bool {
	s.held <- struct{}{}
	select {
	case <-b.free:
		return false
	case <-r.Context().Done():
	case <-s.closed:
	}
	panic(http.ErrAbortHandler)
}

// endless writes until the client leaves.
func (s *Server) endless(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	chunk := []byte(strings.Repeat(" ", 1<<16))
	for r.Context().Err() == nil {
		select {
		case <-s.closed:
			return
		default:
		}
		if _, err := w.Write(chunk); err != nil {
			return
		}
	}
}

// cut sends less than its Content-Length.
func cut(w http.ResponseWriter) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Content-Length", "1000")
	if _, err := w.Write([]byte(`{"detections":[{"x":1,`)); err == nil {
		_ = http.NewResponseController(w).Flush() //nolint:errcheck // send the start before aborting
	}
	panic(http.ErrAbortHandler)
}
