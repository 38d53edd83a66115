package discord

import (
	"context"
	"sync"
)

// locks let one at a time do something under a key.
type locks struct {
	mu   sync.Mutex
	held map[string]*hold
}

// hold is a key that somebody holds or waits for.
type hold struct {
	turn chan struct{} // holds one who may go on
	n    int           // how many hold it or wait
}

// lock waits for a key, or for the context's end.
func (l *locks) lock(ctx context.Context, key string) (unlock func(), err error) {
	l.mu.Lock()
	if l.held == nil {
		l.held = map[string]*hold{}
	}
	h := l.held[key]
	if h == nil {
		h = &hold{turn: make(chan struct{}, 1)}
		l.held[key] = h
	}
	h.n++
	l.mu.Unlock()
	leave := func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		if h.n--; h.n == 0 {
			delete(l.held, key)
		}
	}
	if err := ctx.Err(); err != nil {
		leave()
		return nil, err
	}
	select {
	case h.turn <- struct{}{}:
		return func() { <-h.turn; leave() }, nil
	case <-ctx.Done():
		leave()
		return nil, ctx.Err()
	}
}
