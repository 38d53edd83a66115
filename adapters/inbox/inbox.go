// Package inbox hands what a platform tells over to the handler as package adapters
// promises it.
//
//   - The events of one thread are handed over one after another, in the order in which
//     they were put; those of different threads at once.
//   - An event for which the handler fails is handed over again at growing intervals, until
//     it is taken or the inbox is closed. Those of its thread that came after it wait.
//   - An event that waits here, or was taken lately, is not handed over again: a platform
//     tells of many things twice. What came long ago, or to another process, may be.
//
// Nothing is kept over the end of the process: an event is to be confirmed to its platform
// when it was taken, and not before.
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
	remembered = 10_000 // events that were taken
)

// Config is what an inbox is made of.
type Config struct {
	Handle adapters.Handler
	Log    *slog.Logger // nil is none
}

// Inbox is where events wait for their turn.
type Inbox struct {
	config Config
	ctx    context.Context //nolint:containedctx // of all that is handed over, until Close
	end    context.CancelFunc
	runs   sync.WaitGroup
	lanes  *lanes.Lanes // by thread

	mu      sync.Mutex
	closed  bool
	waiting map[string]*item // by the event's key
	taken   map[string]bool
	order   []string // of taken, the oldest first, from next on
	next    int
}

// item is an event that waits.
type item struct {
	event adapters.Event
	taken []func()
}

// New makes an inbox. It ends by Close.
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

// Put lets an event wait for its turn. It returns at once; taken, which may be nil, is
// called when the handler has taken the event, now or earlier. After Close nothing is taken.
func (b *Inbox) Put(e adapters.Event, taken func()) {
	if taken == nil {
		taken = func() {}
	}
	if b.put(e, taken) {
		taken()
	}
}

// Close hands over nothing more, ends the context of what is being handed over, and returns
// when the last handler has.
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

// laneOf returns what an event stands in line with: its thread, or the message that it is about
// where the platform does not tell the thread.
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

// work hands an event over, and tells those who wait to hear of it.
func (b *Inbox) work(it *item) {
	if !b.handOver(it) {
		return
	}
	for _, taken := range b.tick(it) {
		taken()
	}
}

// handOver hands an event over until it is taken. It is not where the inbox is closed.
func (b *Inbox) handOver(it *item) bool {
	for wait := firstRetry; b.ctx.Err() == nil; wait = min(2*wait, lastRetry) {
		err := b.config.Handle(b.ctx, it.event)
		if err == nil {
			return true
		}
		if b.ctx.Err() != nil {
			return false
		}
		if errors.Is(err, adapters.ErrInvalid) { // it never will be taken
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

// tick ticks off what was taken, and gives who waits to hear of it.
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
