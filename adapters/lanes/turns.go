// Package lanes serializes work by key within this process: sending under a key, posting to a channel. With Turns the
// caller waits, until its context ends; with Lanes it does not.
package lanes

import (
	"context"
	"sync"
)

// Turns is a keyed lock. The zero value is ready to use. Unused keys take no memory.
type Turns struct {
	mu   sync.Mutex
	held map[string]*hold
}

// hold is a key that is locked or waited for.
type hold struct {
	turn chan struct{} // full while the key is locked
	n    int           // number of holders and waiters
}

// Take locks a key, or fails when the context ends. The caller must call leave once.
func (t *Turns) Take(ctx context.Context, key string) (leave func(), err error) {
	t.mu.Lock()
	if t.held == nil {
		t.held = map[string]*hold{}
	}
	h := t.held[key]
	if h == nil {
		h = &hold{turn: make(chan struct{}, 1)}
		t.held[key] = h
	}
	h.n++
	t.mu.Unlock()
	if err := ctx.Err(); err != nil {
		t.leave(key, h)
		return nil, err
	}
	select {
	case h.turn <- struct{}{}:
		return func() { <-h.turn; t.leave(key, h) }, nil
	case <-ctx.Done():
		t.leave(key, h)
		return nil, ctx.Err()
	}
}

func (t *Turns) leave(key string, h *hold) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if h.n--; h.n == 0 {
		delete(t.held, key)
	}
}
