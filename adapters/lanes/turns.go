// Package lanes lets one at a time do something under a key, within this process: send under
// a key, post to a channel. With Turns the caller waits, until its context ends; with Lanes
// it goes on.
package lanes

import (
	"context"
	"sync"
)

// Turns are taken by key. The zero value is ready; nothing is kept of a key that nobody
// holds or waits for.
type Turns struct {
	mu   sync.Mutex
	held map[string]*hold
}

// hold is a key that somebody holds or waits for.
type hold struct {
	turn chan struct{} // holds one who may go on
	n    int           // how many hold it or wait
}

// Take waits for a key, or for the context's end. Who has it gives it up by leave, once.
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
