package api

import (
	"context"
	"sync"
	"time"
)

const (
	// After a rejection, a method is called at intervals. The interval triples after each further
	// rejection, up to what Slack's narrower tiers allow, and shrinks a little after each call that
	// is accepted, until it is dropped.
	fastest, slowest, unlimited = 20 * time.Millisecond, 1200 * time.Millisecond, 4 * time.Millisecond
	faster                      = 0.95
	// forgotten is how long after the last rejection the pace is dropped.
	forgotten = time.Minute
	// slow is the interval from which on calls that have their turn also wait for a further pause. Below it,
	// rejections may be momentary, and waiting for each would take longer than they last.
	slow = 100 * time.Millisecond
	// settled is how long after a pause without refusals the cause counts as momentary.
	settled = time.Second
	// maxPaced is the maximum number of remembered methods.
	maxPaced = 10_000
)

// paces limit how fast rejected methods are called. Calls that wait for the end of a pause continue one after
// another.
type paces struct {
	mu sync.Mutex
	of map[string]*pace
}

// pace is the pace of one method.
type pace struct {
	every time.Duration
	until time.Time // end of the pause that Slack asked for
	next  time.Time // when the next call may go
}

// turn takes the next turn of a method, and returns how long to wait for it. It takes none if that is too late for
// the context, or longer than most.
func (p *paces) turn(ctx context.Context, method string, most time.Duration) (time.Duration, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	b := p.known(method)
	if b == nil {
		return 0, true
	}
	now := time.Now()
	at := now
	for _, other := range []time.Time{b.until, b.next} {
		if other.After(at) {
			at = other
		}
	}
	pause := at.Sub(now)
	if end, ok := ctx.Deadline(); pause > most || ok && end.Before(at) {
		return pause, false
	}
	b.next = at.Add(b.every)
	return pause, true
}

// known returns a method's pace, or nil.
func (p *paces) known(method string) *pace {
	b := p.of[method]
	if b != nil && time.Since(b.until) > forgotten {
		delete(p.of, method)
		return nil
	}
	return b
}

// isPaced reports whether a method was rejected recently.
func (p *paces) isPaced(method string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.known(method) != nil
}

// isBlocked reports whether a method is in a pause after repeated rejections.
func (p *paces) isBlocked(method string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	b := p.known(method)
	return b != nil && b.every >= slow && time.Now().Before(b.until)
}

// refused records that a call was rejected. Calls begun before the end of a pause belong to it.
func (p *paces) refused(method string, begun time.Time, pause time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.of == nil {
		p.of = map[string]*pace{}
	}
	if len(p.of) >= maxPaced {
		clear(p.of)
	}
	b, now := p.of[method], time.Now()
	switch {
	case b == nil:
		b = &pace{every: fastest}
		p.of[method] = b
	case begun.After(b.until):
		b.every = min(3*b.every, slowest)
	}
	if until := now.Add(pause); until.After(b.until) {
		b.until = until
		if b.next.Before(until) {
			b.next = until
		}
	}
}

// accepted records that a call was not rejected.
func (p *paces) accepted(method string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	b := p.of[method]
	if b == nil {
		return
	}
	if b.every = time.Duration(float64(b.every) * faster); b.every < unlimited && time.Since(b.until) > settled {
		delete(p.of, method)
	}
}
