package discordtest

import (
	"net/http"
	"slices"
	"strconv"
	"time"
)

// faults are what goes wrong with calls, and how many there were.
type faults struct {
	calls  map[Route]int
	next   []*trouble
	losing []*trouble
	stall  chan struct{}
}

func newFaults() faults {
	return faults{calls: map[Route]int{}}
}

// trouble befalls the next calls of some routes.
type trouble struct {
	left   int
	on     []Route // none is all
	answer *answer
}

func (t *trouble) hits(route Route) bool {
	return t.left > 0 && (len(t.on) == 0 || slices.Contains(t.on, route))
}

// take finds the first trouble that befalls a route, and counts it.
func take(all *[]*trouble, route Route) *trouble {
	i := slices.IndexFunc(*all, func(t *trouble) bool { return t.hits(route) })
	if i < 0 {
		return nil
	}
	t := (*all)[i]
	if t.left--; t.left == 0 {
		*all = slices.Delete(*all, i, i+1)
	}
	return t
}

func (s *Server) fault(route Route) *answer {
	if t := take(&s.next, route); t != nil {
		return t.answer
	}
	return nil
}

func (s *Server) loses(route Route) bool { return take(&s.losing, route) != nil }

// Calls counts the calls that came in by one of these routes, whatever was answered; without
// any all are counted.
func (s *Server) Calls(on ...Route) (n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for route, calls := range s.calls {
		if len(on) == 0 || slices.Contains(on, route) {
			n += calls
		}
	}
	return n
}

// RateLimit refuses the next n calls by these routes, without any of all, with 429.
func (s *Server) RateLimit(n int, retryAfter time.Duration, global bool, on ...Route) {
	s.trouble(n, on, limited(retryAfter, global))
}

func limited(retryAfter time.Duration, global bool) *answer {
	seconds := retryAfter.Seconds()
	a := &answer{
		status: http.StatusTooManyRequests,
		header: map[string]string{
			"Retry-After": strconv.Itoa(int(max(1, seconds+0.999))), "X-RateLimit-Scope": "user", "Via": "1.1 google",
			"X-RateLimit-Reset-After": strconv.FormatFloat(seconds, 'f', 3, 64), "X-RateLimit-Remaining": "0",
		},
		encoded: encode(object{"message": "You are being rate limited.", "retry_after": seconds, "global": global, "code": 0}),
	}
	if global {
		a.header["X-RateLimit-Global"], a.header["X-RateLimit-Scope"] = "true", "global"
	}
	return a
}

// FailNext answers the next n with a status, and does nothing.
func (s *Server) FailNext(n, status int, on ...Route) {
	if status >= http.StatusInternalServerError && status != http.StatusInternalServerError {
		s.trouble(n, on, &answer{status: status, page: true, encoded: []byte(page)})
		return
	}
	message := strconv.Itoa(status) + ": " + http.StatusText(status)
	s.trouble(n, on, refuse(&refusal{status: status, message: message}))
}

// RefuseForm answers the next n with 400 and the code 50035, since a field of the form is wrong.
func (s *Server) RefuseForm(n int, field, code string, on ...Route) {
	s.trouble(n, on, refuse(badForm(field, code, "That is not as it should be.")))
}

// RefuseNext answers the next n with a status and one of Discord's JSON error codes.
func (s *Server) RefuseNext(n, status, code int, on ...Route) {
	s.trouble(n, on, refuse(&refusal{status: status, code: code, message: "That is refused."}))
}

func (s *Server) trouble(n int, on []Route, a *answer) {
	s.do(func() { s.next = append(s.next, &trouble{left: n, on: on, answer: a}) })
}

// LoseAnswers lets the next n calls by these routes, without any of [PostMessage], be done
// and their connection break before the answer. Calls that are refused do not count.
func (s *Server) LoseAnswers(n int, on ...Route) {
	if len(on) == 0 {
		on = []Route{PostMessage}
	}
	s.do(func() { s.losing = append(s.losing, &trouble{left: n, on: on}) })
}

// Stall lets no call be answered or done until the server ends. The channel tells of each.
func (s *Server) Stall() <-chan struct{} {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.stall == nil {
		s.stall = make(chan struct{}, 1024)
	}
	return s.stall
}

// stalled waits for the end where nothing is to be answered.
func (s *Server) stalled(r *http.Request) bool {
	s.mu.Lock()
	stall := s.stall
	s.mu.Unlock()
	if stall == nil {
		return false
	}
	select {
	case stall <- struct{}{}:
	default:
	}
	select {
	case <-s.done:
	case <-r.Context().Done():
	}
	return true
}
