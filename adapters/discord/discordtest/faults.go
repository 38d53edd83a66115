package discordtest

import (
	"net/http"
	"slices"
	"strconv"
	"time"
)

// Faults make calls of the REST interface fail.
type Faults struct {
	*shared
	next   []*trouble
	losing []*trouble
	stall  chan struct{}
}

// trouble fails the next calls of some routes.
type trouble struct {
	left   int
	on     []Route // nil is all
	answer *answer
}

func (t *trouble) hits(route Route) bool {
	return t.left > 0 && (len(t.on) == 0 || slices.Contains(t.on, route))
}

// next returns the first trouble of a route, which it counts; nil for none.
func next(all *[]*trouble, route Route) *trouble {
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

// RateLimit refuses the next n calls of these routes (of all if none is given) with 429.
func (f *Faults) RateLimit(n int, retryAfter time.Duration, global bool, on ...Route) {
	f.trouble(n, on, limited(retryAfter, global))
}

// FailNext answers the next n calls with a status, and does nothing.
func (f *Faults) FailNext(n, status int, on ...Route) {
	if status >= http.StatusInternalServerError && status != http.StatusInternalServerError {
		f.trouble(n, on, &answer{status: status, page: true, encoded: []byte(page)})
		return
	}
	message := strconv.Itoa(status) + ": " + http.StatusText(status)
	f.trouble(n, on, refuse(&refusal{status: status, message: message}))
}

// RefuseForm answers the next n calls with 400 and 50035: a field of the form is wrong.
func (f *Faults) RefuseForm(n int, field, code string, on ...Route) {
	f.trouble(n, on, refuse(badForm(field, code, "That is not as it should be.")))
}

// RefuseNext answers the next n calls with a status and one of Discord's JSON error codes.
func (f *Faults) RefuseNext(n, status, code int, on ...Route) {
	f.trouble(n, on, refuse(&refusal{status: status, code: code, message: "That is refused."}))
}

// LoseAnswers executes the next n calls of these routes (of [PostMessage] if none is given), but breaks the
// connection before responding. Rejected calls do not count.
func (f *Faults) LoseAnswers(n int, on ...Route) {
	if len(on) == 0 {
		on = []Route{PostMessage}
	}
	f.do(func() { f.losing = append(f.losing, &trouble{left: n, on: on}) })
}

// Stall blocks all calls until the server shuts down. The channel receives a value for each blocked call.
func (f *Faults) Stall() <-chan struct{} {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.stall == nil {
		f.stall = make(chan struct{}, 1024)
	}
	return f.stall
}

func (f *Faults) take(route Route) *answer {
	if t := next(&f.next, route); t != nil {
		return t.answer
	}
	return nil
}

func (f *Faults) loses(route Route) bool { return next(&f.losing, route) != nil }

func (f *Faults) trouble(n int, on []Route, a *answer) {
	f.do(func() { f.next = append(f.next, &trouble{left: n, on: on, answer: a}) })
}

// stalled waits for the end while calls are held, and reports whether they are.
func (f *Faults) stalled(r *http.Request) bool {
	f.mu.Lock()
	stall := f.stall
	f.mu.Unlock()
	if stall == nil {
		return false
	}
	select {
	case stall <- struct{}{}:
	default:
	}
	select {
	case <-f.done:
	case <-r.Context().Done():
	}
	return true
}
