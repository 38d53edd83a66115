package hftask

import (
	"context"
	"errors"
	"sync"
	"time"

	"atelier/agent/endpoint"
)

const (
	// failureBelieved is how long a failure to learn something of a model is believed.
	failureBelieved = 30 * time.Second
	// maxAsked is how many models are asked after at a time.
	maxAsked = 4
	// maxRemembered is of how many models is remembered what was told.
	maxRemembered = 1000
)

// kept is what was learnt at one moment.
type kept[T any] struct {
	at    time.Time
	value T
	err   error
}

func (k kept[T]) fresh(now time.Time, life time.Duration) bool {
	return !k.at.IsZero() && now.Sub(k.at) < life
}

// turn lets one at a time; who waits goes when ctx ends.
type turn chan struct{}

func newTurn() turn { return make(turn, 1) }

func (t turn) take(ctx context.Context) error {
	select {
	case t <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (t turn) end() { <-t }

// book holds what a server tells of each model, which it is asked once a model. Models do
// not wait for each other, but a server that did not answer once is asked after none for
// a while: each of them would take the same time.
type book[T any] struct {
	ask   func(ctx context.Context, model string) (T, error)
	life  time.Duration // how long what was told is believed
	clock func() time.Time
	room  chan struct{}

	mu     sync.Mutex
	pages  map[string]*page[T]
	silent kept[struct{}] // since when the server does not answer
}

// page is that of one model.
type page[T any] struct {
	turn turn
	last kept[T] // under the turn
	told *T      // the last that was told, under the mutex of the book
}

func newBook[T any](life time.Duration, clock func() time.Time, ask func(context.Context, string) (T, error)) *book[T] {
	return &book[T]{ask: ask, life: life, clock: clock, room: make(chan struct{}, maxAsked), pages: map[string]*page[T]{}}
}

// look is what the server tells of a model.
func (b *book[T]) look(ctx context.Context, model string) (T, error) {
	var none T
	p := b.page(model)
	if err := p.turn.take(ctx); err != nil {
		return none, err
	}
	defer p.turn.end()
	life := b.life
	if p.last.err != nil {
		life = failureBelieved
	}
	if p.last.fresh(b.clock(), life) {
		return p.last.value, p.last.err
	}
	select {
	case b.room <- struct{}{}:
		defer func() { <-b.room }()
	case <-ctx.Done():
		return none, ctx.Err()
	}
	b.mu.Lock()
	silent := b.silent
	b.mu.Unlock()
	if silent.err != nil && silent.fresh(b.clock(), failureBelieved) {
		return none, silent.err
	}
	value, err := b.ask(ctx, model)
	if ctx.Err() != nil {
		return none, ctx.Err() // nobody answered, and nobody is to blame
	}
	p.last = kept[T]{b.clock(), value, err}
	b.mu.Lock()
	defer b.mu.Unlock()
	switch {
	case err == nil:
		p.told, b.silent = &value, kept[struct{}]{}
	case unanswered(err):
		b.silent = kept[struct{}]{at: p.last.at, err: err}
	}
	return value, err
}

// remembered is what the server told last of a model, however long ago.
func (b *book[T]) remembered(model string) (T, bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if p, ok := b.pages[model]; ok && p.told != nil {
		return *p.told, true
	}
	var none T
	return none, false
}

// page is that of a model. There is room for so many.
func (b *book[T]) page(model string) *page[T] {
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
		p = &page[T]{turn: newTurn()}
		b.pages[model] = p
	}
	return p
}

// unanswered tells whether an error is that there was no answer at all.
func unanswered(err error) bool {
	e, ok := errors.AsType[*endpoint.Error](err)
	return errors.Is(err, context.DeadlineExceeded) || ok && (e.Kind == endpoint.TimedOut || e.Kind == endpoint.Down && e.Status == 0)
}
