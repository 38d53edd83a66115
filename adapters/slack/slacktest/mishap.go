package slacktest

import (
	"io"
	"maps"
	"net/http"
	"slices"
	"time"
)

// fault is what befalls the next calls.
type fault struct {
	left        int
	limit, lose bool
	after       time.Duration
	failure     Failure
}

// boundFault is a fault of one method, or of any.
type boundFault struct {
	fault
	method string
}

// stalled are the calls of a method that wait.
type stalled struct {
	method  string
	release chan struct{}
}

// mishap is what befalls one call.
type mishap struct {
	stall  chan struct{}
	failed *Failure
	after  time.Duration
	lose   bool
}

func (s *Server) addFault(method string, f fault) {
	s.change(func() {
		if f.left > 0 {
			s.faults = append(s.faults, &boundFault{f, method})
		}
	})
}

// hit takes the next fault of a method.
func (s *Server) hit(method string) mishap {
	var m mishap
	for _, stall := range s.stalls {
		if stall.method == "" || stall.method == method {
			m.stall = stall.release
		}
	}
	for i, f := range s.faults {
		if f.method != "" && f.method != method {
			continue
		}
		if f.left--; f.left == 0 {
			s.faults = slices.Delete(s.faults, i, i+1)
		}
		switch {
		case f.lose:
			m.lose = true
		case f.limit:
			m.failed, m.after = &Failure{Status: http.StatusTooManyRequests, Error: "ratelimited"}, f.after
		default:
			failed := f.failure
			if failed.Status == 0 {
				failed.Status = http.StatusInternalServerError
				if failed.Error != "" {
					failed.Status = http.StatusOK
				}
			}
			m.failed = &failed
		}
		return m
	}
	return m
}

// write answers with the failure.
func (f *Failure) write(w http.ResponseWriter, retryAfter time.Duration) {
	if f.Status == http.StatusTooManyRequests {
		w.Header().Set("Retry-After", seconds(retryAfter))
	}
	if f.Error == "" {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		w.WriteHeader(f.Status)
		_, _ = io.WriteString(w, "<!DOCTYPE html><html><title>Slack</title><h1>Something went wrong.</h1></html>") //nolint:errcheck // the client has gone
		return
	}
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.WriteHeader(f.Status)
	answer := object{"ok": false, "error": f.Error}
	if len(f.Messages) > 0 {
		answer["response_metadata"] = object{"messages": f.Messages}
	}
	_, _ = w.Write(encode(answer)) //nolint:errcheck // the client has gone
}

func (s *Server) stall(method string) (release func()) {
	st := &stalled{method: method, release: make(chan struct{})}
	s.change(func() { s.stalls = append(s.stalls, st) })
	return func() {
		s.change(func() {
			if i := slices.Index(s.stalls, st); i >= 0 {
				s.stalls = slices.Delete(s.stalls, i, i+1)
				close(st.release)
			}
		})
	}
}

// bucket lets some calls through, and more as time goes by.
type bucket struct {
	left float64
	at   time.Time
}

// take1 takes one call out of a method's bucket; above 0 it is how long to wait.
func (s *Server) take1(key string, perMin float64) time.Duration {
	tiers := s.o.Tiers
	if s.o.Narrow && (key == "conversations.history" || key == "conversations.replies") {
		perMin, tiers = 1, max(tiers, 1)
	}
	if tiers <= 0 {
		return 0
	}
	rate := perMin * tiers / 60
	burst := max(1, perMin/10) // Slack tolerates bursts and does not say which
	now := time.Now()
	b := s.buckets[key]
	if b == nil {
		b = &bucket{left: burst, at: now}
		s.buckets[key] = b
	}
	b.left = min(burst, b.left+now.Sub(b.at).Seconds()*rate)
	b.at = now
	if b.left < 1 {
		return max(time.Millisecond, time.Duration((1-b.left)/rate*float64(time.Second)))
	}
	b.left--
	return 0
}

func (s *Server) callCounts() map[string]int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return maps.Clone(s.calls)
}

func (s *Server) callsOf(method string) []Call {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.DeleteFunc(slices.Clone(s.lately), func(c Call) bool { return c.Method != method })
}
