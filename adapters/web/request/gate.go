package request

import (
	"context"
	"sync"
	"time"
)

// Gate limits how much is served at once, in all and to one person.
type Gate struct {
	all, one int

	mu      sync.Mutex
	inside  map[string]int // by person
	total   int
	changed chan struct{} // closed when somebody leaves
}

func NewGate(all, one int) *Gate {
	return &Gate{all: all, one: one, inside: map[string]int{}, changed: make(chan struct{})}
}

// Enter reports whether somebody may pass, after waiting for at most that time. Whoever passed
// calls leave.
func (g *Gate) Enter(ctx context.Context, who string, patience time.Duration) (leave func(), ok bool) {
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

func (g *Gate) leave(who string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.total--
	if g.inside[who]--; g.inside[who] == 0 {
		delete(g.inside, who)
	}
	close(g.changed)
	g.changed = make(chan struct{})
}
