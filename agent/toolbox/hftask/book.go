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
	// failureBelieved is how long a failure to learn something of a model is believed.
	failureBelieved = 30 * time.Second
	// maxAsked is how many models are asked after at a time.
	maxAsked = 4
	// maxRemembered is of how many models is remembered what was told.
	maxRemembered = 1000
)

// book holds what a server tells of each model, which it is asked once a model. Models do
// not wait for each other, but a server that did not answer once is asked after none for
// a while: each of them would take the same time.
type book[T any] struct {
	ask   func(ctx context.Context, model string) (T, error)
	life  time.Duration // how long what was told is believed
	clock func() time.Time
	room  chan struct{} // holds one element for each model that is asked after

	mu     sync.Mutex
	pages  map[string]*memo.Memo[T] // by model
	silent silence
}

// silence is that the server did not answer at all, at a time.
type silence struct {
	at time.Time
	error
}

// Unwrap returns what went wrong.
func (s silence) Unwrap() error { return s.error }

func newBook[T any](life time.Duration, clock func() time.Time, ask func(context.Context, string) (T, error)) *book[T] {
	return &book[T]{ask: ask, life: life, clock: clock, room: make(chan struct{}, maxAsked), pages: map[string]*memo.Memo[T]{}}
}

// look is what the server tells of a model.
func (b *book[T]) look(ctx context.Context, model string) (T, error) { return b.page(model).Get(ctx) }

// remembered is what the server told last of a model, however long ago.
func (b *book[T]) remembered(model string) (T, bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if p, ok := b.pages[model]; ok {
		return p.Last()
	}
	var none T
	return none, false
}

// page is that of a model. There is room for so many.
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

// believed is how long an answer about a model counts. That the server was not asked at all is no
// answer.
func (b *book[T]) believed(err error) time.Duration {
	if _, ok := errors.AsType[silence](err); ok {
		return 0
	}
	if err != nil {
		return failureBelieved
	}
	return b.life
}

// fill asks the server about a model, unless it does not answer at the moment.
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
	if silent.error != nil && b.clock().Sub(silent.at) < failureBelieved {
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

// unanswered reports whether an error is that there was no answer at all.
func unanswered(err error) bool {
	e, ok := errors.AsType[*endpoint.Error](err)
	return errors.Is(err, context.DeadlineExceeded) || ok && (e.Kind == endpoint.TimedOut || e.Kind == endpoint.Down && e.Status == 0)
}
