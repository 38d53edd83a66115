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

// NewGate makes a gate, with the limits in all and per person.
func NewGate(all, one int) *Gate {
	return &Gate{all: all, one: one, inside: map[string]int{}, changed: make(chan struct{})}
}

// Enter reports whether somebody may pass, within that time, until they call leave.
func (g *Gate) Enter(ctx context.Context, who string, patience time.Duration) (leave func(), ok bool) {
	ctx, stop := context.WithTimeout(ctx, patience)
	defer stop()
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
		select {
		case <-changed:
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
