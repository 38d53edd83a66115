package request

import (
	"context"
	"sync"
	"time"

	"atelier/agent/await"
)

// Gate limits how many requests are served concurrently, in total and per person.
type Gate struct {
	all, one int

	left await.Changes // somebody left

	mu     sync.Mutex
	inside map[string]int // by person
	total  int
}

// NewGate returns a gate with the limits in total and per person.
func NewGate(all, one int) *Gate {
	return &Gate{all: all, one: one, inside: map[string]int{}}
}

// Enter waits for a place, at most that long, and reports whether there was one. The caller must call leave.
func (g *Gate) Enter(ctx context.Context, who string, patience time.Duration) (leave func(), ok bool) {
	ctx, stop := context.WithTimeout(ctx, patience)
	defer stop()
	if g.left.Until(ctx, func() bool { return g.enter(who) }) != nil {
		return nil, false
	}
	return sync.OnceFunc(func() { g.leave(who) }), true
}

// enter takes a place if there is one.
func (g *Gate) enter(who string) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.total >= g.all || g.inside[who] >= g.one {
		return false
	}
	g.total++
	g.inside[who]++
	return true
}

func (g *Gate) leave(who string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.total--
	if g.inside[who]--; g.inside[who] == 0 {
		delete(g.inside, who)
	}
	g.left.Notify()
}
