package web

import (
	"context"
	"net/http"
	"strings"
	"sync"
	"time"
)

// latch is a lock that is not waited for longer than a context lasts.
type latch chan struct{}

func newLatch() latch { return make(latch, 1) }

func (l latch) lock(ctx context.Context) error {
	select {
	case l <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (l latch) unlock() { <-l }

// gate lets a number of people through at once, and of one person a smaller one.
type gate struct {
	all, one int

	mu      sync.Mutex
	inside  map[string]int // by person
	total   int
	changed chan struct{} // closed when somebody leaves
}

func newGate(all, one int) *gate {
	return &gate{all: all, one: one, inside: map[string]int{}, changed: make(chan struct{})}
}

// enter tells whether somebody may pass, after waiting no longer than that. Who may calls
// leave.
func (g *gate) enter(ctx context.Context, who string, patience time.Duration) (leave func(), ok bool) {
	var late <-chan time.Time
	for {
		g.mu.Lock()
		if g.total < g.all && g.inside[who] < g.one {
			g.total++
			g.inside[who]++
			g.mu.Unlock()
			return sync.OnceFunc(func() { g.leave(who) }), true
		}
		changed := g.changed
		g.mu.Unlock()
		if patience <= 0 {
			return nil, false
		}
		if late == nil {
			timer := time.NewTimer(patience)
			defer timer.Stop()
			late = timer.C
		}
		select {
		case <-changed:
		case <-late:
			return nil, false
		case <-ctx.Done():
			return nil, false
		}
	}
}

func (g *gate) leave(who string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.total--
	if g.inside[who]--; g.inside[who] == 0 {
		delete(g.inside, who)
	}
	close(g.changed)
	g.changed = make(chan struct{})
}

// IsUpload tells whether a request uploads a file. How many of them there are at once is
// limited here, so that no other limit is needed: people choose a hundred files at a time.
func IsUpload(r *http.Request) bool {
	return r.Method == http.MethodPost && strings.HasPrefix(r.URL.Path, "/t/") && strings.HasSuffix(r.URL.Path, "/files")
}
