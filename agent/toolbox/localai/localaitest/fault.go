package localaitest

import (
	"net/http"
	"slices"
	"strings"
)

// Fault is what goes wrong.
type Fault string

// The faults.
const (
	Down      Fault = "down"       // the connection breaks off without an answer
	Failing   Fault = "failing"    // 500, as when a model cannot be loaded
	Slow      Fault = "slow"       // no answer until the client goes, or Release
	Busy      Fault = "busy"       // 429
	Loading   Fault = "loading"    // 503: the model is on its way
	Page      Fault = "page"       // a web page with 200
	Senseless Fault = "senseless"  // JSON with 200 that is of another form
	WrongKind Fault = "wrong kind" // a file, but of another kind than was asked for
	Endless   Fault = "endless"    // an answer without end
	Cut       Fault = "cut"        // an answer that breaks off
	Redirect  Fault = "redirect"   // to another server
	Expired   Fault = "expired"    // 401: the key is no longer good
	Elsewhere Fault = "elsewhere"  // the file is said to lie on another server
)

// All are the faults that are the server's, and come at once.
func All() []Fault {
	return []Fault{Down, Failing, Busy, Loading, Page, Senseless, Endless, Cut, Redirect, Expired}
}

// broken is a fault of some paths.
type broken struct {
	fault Fault
	paths []string
	free  chan struct{}
}

// Break sets what goes wrong with the calls of these paths, or of all paths that have
// work done where there are none. The later one counts.
func (s *Server) Break(f Fault, paths ...string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.broken = append(s.broken, broken{f, paths, make(chan struct{})})
}

// Mend ends all faults, and lets go those that are held.
func (s *Server) Mend() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, b := range s.broken {
		close(b.free)
	}
	s.broken = nil
}

// Held gets a value for each call that is being held by Slow.
func (s *Server) Held() <-chan struct{} { return s.held }

// fault is what goes wrong with a call.
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

// fails answers a call as its fault wants, if it has one that does not wait for an answer.
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
	case WrongKind, Elsewhere: // of the answer
		return false
	}
	return true
}

// hold keeps a call waiting, and reports whether it is over then.
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

// endless writes until the client has had enough.
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

// cut promises more than comes.
func cut(w http.ResponseWriter) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Content-Length", "1000")
	if _, err := w.Write([]byte(`{"detections":[{"x":1,`)); err == nil {
		_ = http.NewResponseController(w).Flush() //nolint:errcheck // what there is must arrive before the end does
	}
	panic(http.ErrAbortHandler)
}
