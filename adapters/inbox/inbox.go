// Package inbox delivers a platform's events to the handler, with the guarantees of package adapters:
//
//   - The events of a thread are delivered one after another, in the order in which they were put; those of different
//     threads are delivered concurrently.
//   - An event that the handler fails to accept is delivered again, with backoff, until it is accepted or the inbox is
//     closed. Later events of its thread wait.
//   - An event that is waiting, or was accepted lately, is not delivered again, since platforms repeat events. One that
//     was accepted long ago, or by another process, may be.
//
// Nothing outlives the process: confirm an event to its platform only once it was accepted.
package inbox

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"atelier/agent/sleep"

	"atelier/adapters"
	"atelier/adapters/lanes"
)

const (
	firstRetry = 200 * time.Millisecond
	lastRetry  = time.Minute
	remembered = 10_000 // accepted events
)

// Config configures an Inbox.
type Config struct {
	Handle adapters.Handler
	Log    *slog.Logger // nil means none
}

// Inbox queues events by thread.
type Inbox struct {
	config Config
	ctx    context.Context //nolint:containedctx // of all deliveries, until Close
	end    context.CancelFunc
	runs   sync.WaitGroup
	lanes  *lanes.Lanes // by thread

	mu      sync.Mutex
	closed  bool
	waiting map[string]*item // by the event's key
	taken   map[string]bool
	order   []string // the keys of taken, oldest first, starting at next
	next    int
}

// item is a waiting event.
type item struct {
	event adapters.Event
	taken []func()
}

// New returns an inbox, which must be closed.
func New(c Config) (*Inbox, error) {
	if c.Handle == nil {
		return nil, errors.New("inbox: a handler is required")
	}
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	ctx, end := context.WithCancel(context.Background())
	b := &Inbox{
		config: c, ctx: ctx, end: end, order: make([]string, remembered),
		waiting: map[string]*item{}, taken: map[string]bool{},
	}
	b.lanes = lanes.NewLanes(&b.runs)
	return b, nil
}

// Put queues an event and returns at once. Taken, which may be nil, is called when the handler has accepted the event,
// now or earlier. After Close no event is accepted.
func (b *Inbox) Put(e adapters.Event, taken func()) {
	if taken == nil {
		taken = func() {}
	}
	if b.put(e, taken) {
		taken()
	}
}

// Close stops deliveries, ends the context of running ones, and returns after the last handler.
func (b *Inbox) Close() {
	b.mu.Lock()
	b.closed = true
	b.mu.Unlock()
	b.end()
	b.runs.Wait()
}

func (b *Inbox) put(e adapters.Event, taken func()) (already bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	key := e.Key()
	switch {
	case b.taken[key]:
		return true
	case b.closed:
		return false
	case b.waiting[key] != nil:
		b.waiting[key].taken = append(b.waiting[key].taken, taken)
		return false
	}
	it := &item{event: e, taken: []func(){taken}}
	b.waiting[key] = it
	b.lanes.Put(laneOf(e), func() { b.work(it) })
	return false
}

// laneOf returns the key by which events are ordered: the thread, or the message if the thread is unknown.
func laneOf(e adapters.Event) string {
	switch {
	case e.Thread != (adapters.Thread{}):
		return e.Thread.Key()
	case e.Reaction != nil:
		return e.Reaction.On.Key()
	case e.Cancel != nil:
		return e.Cancel.On.Key()
	}
	return e.Key()
}

// work delivers an event, and calls the waiting callbacks.
func (b *Inbox) work(it *item) {
	if !b.handOver(it) {
		return
	}
	for _, taken := range b.tick(it) {
		taken()
	}
}

// handOver delivers an event until it is accepted. It returns false if the inbox is closed.
func (b *Inbox) handOver(it *item) bool {
	for wait := firstRetry; b.ctx.Err() == nil; wait = min(2*wait, lastRetry) {
		err := b.config.Handle(b.ctx, it.event)
		if err == nil {
			return true
		}
		if b.ctx.Err() != nil {
			return false
		}
		if errors.Is(err, adapters.ErrInvalid) { // it will never be accepted
			b.config.Log.ErrorContext(b.ctx, "an event that is not valid was dropped", "event", it.event, "error", err)
			return true
		}
		b.config.Log.WarnContext(b.ctx, "an event was not taken", "event", it.event, "again", wait, "error", err)
		if sleep.For(b.ctx, wait) != nil {
			return false
		}
	}
	return false
}

// tick marks an event as accepted, and returns the waiting callbacks.
func (b *Inbox) tick(it *item) []func() {
	b.mu.Lock()
	defer b.mu.Unlock()
	key := it.event.Key()
	delete(b.waiting, key)
	delete(b.taken, b.order[b.next])
	b.order[b.next], b.next = key, (b.next+1)%remembered
	b.taken[key] = true
	return it.taken
}
