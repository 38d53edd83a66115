package hftask

import (
	"context"
	"errors"
	"sync"
	"time"

	"atelier/agent/endpoint"
	"atelier/agent/memo"
)

const (
	// failureLife is how long a failed lookup is cached.
	failureLife = 30 * time.Second
	// maxLookups is how many models are looked up at a time.
	maxLookups = 4
	// maxRemembered is how many models the cache holds.
	maxRemembered = 1000
)

// book caches what a server says about each model. Lookups of different models run concurrently. After a
// timeout, all lookups fail at once for a while: each would time out too.
type book[T any] struct {
	ask   func(ctx context.Context, model string) (T, error)
	life  time.Duration // how long an answer is cached
	clock func() time.Time
	room  chan struct{} // one element for each running lookup

	mu     sync.Mutex
	pages  map[string]*memo.Memo[T] // by model
	silent silence
}

// silence records that the server did not answer at all, and when.
type silence struct {
	at time.Time
	error
}

// Unwrap returns the error of the unanswered request.
func (s silence) Unwrap() error { return s.error }

func newBook[T any](life time.Duration, clock func() time.Time, ask func(context.Context, string) (T, error)) *book[T] {
	return &book[T]{ask: ask, life: life, clock: clock, room: make(chan struct{}, maxLookups), pages: map[string]*memo.Memo[T]{}}
}

// look returns what the server says about a model, from the cache if it is recent.
func (b *book[T]) look(ctx context.Context, model string) (T, error) { return b.page(model).Get(ctx) }

// remembered returns the last answer about a model, however old.
func (b *book[T]) remembered(model string) (T, bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if p, ok := b.pages[model]; ok {
		return p.Last()
	}
	var none T
	return none, false
}

// page returns the cache entry of a model. A full cache drops another entry.
func (b *book[T]) page(model string) *memo.Memo[T] {
	b.mu.Lock()
	defer b.mu.Unlock()
	p, ok := b.pages[model]
	if !ok {
		for other := range b.pages {
			if len(b.pages) < maxRemembered {
				break
			}
			delete(b.pages, other)
		}
		ask := func(ctx context.Context) (T, error) { return b.fill(ctx, model) }
		p = memo.New(memo.Config[T]{Ask: ask, Life: b.believed, Clock: b.clock})
		b.pages[model] = p
	}
	return p
}

// believed returns how long the outcome of a lookup is cached. A lookup that was skipped because the server
// does not answer is not cached.
func (b *book[T]) believed(err error) time.Duration {
	if _, ok := errors.AsType[silence](err); ok {
		return 0
	}
	if err != nil {
		return failureLife
	}
	return b.life
}

// fill asks the server about a model, unless the server recently did not answer.
func (b *book[T]) fill(ctx context.Context, model string) (T, error) {
	var none T
	select {
	case b.room <- struct{}{}:
		defer func() { <-b.room }()
	case <-ctx.Done():
		return none, ctx.Err()
	}
	b.mu.Lock()
	silent := b.silent
	b.mu.Unlock()
	if silent.error != nil && b.clock().Sub(silent.at) < failureLife {
		return none, silent
	}
	value, err := b.ask(ctx, model)
	if ctx.Err() != nil {
		return none, ctx.Err()
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	switch {
	case err == nil:
		b.silent = silence{}
	case unanswered(err):
		b.silent = silence{b.clock(), err}
	}
	return value, err
}

// unanswered reports whether err means that the server did not answer at all.
func unanswered(err error) bool {
	e, ok := errors.AsType[*endpoint.Error](err)
	return errors.Is(err, context.DeadlineExceeded) || ok && (e.Kind == endpoint.TimedOut || e.Kind == endpoint.Down && e.Status == 0)
}
