package receive

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"atelier/agent/sleep"

	"atelier/adapters"
	"atelier/adapters/discord/api"
	"atelier/adapters/discord/convert"
	"atelier/adapters/discord/lookup"
	"atelier/adapters/discord/post"
	"atelier/adapters/inbox"
	"atelier/adapters/lanes"
	"atelier/adapters/outbox"
)

const (
	// maxWaiting is how many events may wait for their turn or the handler. Beyond it, the connection is closed
	// until half of them are left; Discord keeps new ones.
	maxWaiting = 10_000
	// saveTimeout is how long saving the watermark may take at the end of Run.
	saveTimeout = 5 * time.Second
)

// Config configures receiving.
type Config struct {
	API       *api.Client
	Identity  *lookup.Identity
	Places    *lookup.Places
	Guests    *lookup.Guests
	Responder *post.Responder
	Phrases   adapters.Phrases
	State     outbox.State
	Log       *slog.Logger
	Now       func() time.Time
}

// Run passes the events that connect receives to the handler, until connect returns.
func Run(ctx context.Context, c Config, handle adapters.Handler, connect func(context.Context, *Events) error) error {
	if ctx.Err() != nil {
		return nil
	}
	in, err := inbox.New(inbox.Config{Handle: handle, Log: c.Log})
	if err != nil {
		return fmt.Errorf("discord: %w", err)
	}
	mark := newWatermark(c.State, c.Log)
	if err := mark.load(ctx, c.API.Backoff); err != nil {
		in.Close()
		return nil // the context has ended
	}
	s := &session{
		Config: c, inbox: in, people: &lookup.People{API: c.API, Places: c.Places, Now: c.Now},
		texts: &lookup.Messages{API: c.API, Identity: c.Identity, Places: c.Places},
	}
	s.lanes = lanes.NewLanes(&s.work)
	s.ctx, s.stop = context.WithCancel(context.WithoutCancel(ctx))
	err = connect(ctx, newEvents(s, mark))
	s.stop()
	s.work.Wait()
	in.Close()
	ctx, stop := context.WithTimeout(context.WithoutCancel(ctx), saveTimeout)
	defer stop()
	mark.save(ctx, c.Identity.Known())
	return err
}

// session is one Run, with its queue and its lookups.
type session struct {
	Config

	people *lookup.People
	texts  *lookup.Messages

	inbox   *inbox.Inbox
	ctx     context.Context //nolint:containedctx // of the background work, until Run ends
	stop    context.CancelFunc
	work    sync.WaitGroup
	lanes   *lanes.Lanes // by channel; threads share their channel's lane
	waiting atomic.Int64
}

// IsFull reports whether too many events wait.
func (s *session) IsFull() bool { return s.waiting.Load() >= maxWaiting }

// AwaitRoom waits until at most half of the events are left.
func (s *session) AwaitRoom(ctx context.Context) error {
	for s.waiting.Load() > maxWaiting/2 {
		if err := sleep.For(ctx, 100*time.Millisecond); err != nil {
			return err
		}
	}
	return ctx.Err()
}

// inOrder runs work in the background after earlier work of the same channel.
func (s *session) inOrder(channel string, do func()) {
	s.waiting.Add(1)
	s.lanes.Put(s.Places.Lane(channel), func() {
		defer s.waiting.Add(-1)
		if s.ctx.Err() == nil {
			do()
		}
	})
}

// put queues an event for the handler. Taken is called when the handler has accepted it, and may be nil.
func (s *session) put(e adapters.Event, taken func()) {
	if taken == nil {
		taken = func() {}
	}
	e.Adapter = convert.Name
	if e.At.IsZero() {
		e.At = s.Now()
	}
	if err := e.Validate(); err != nil {
		s.Log.Warn("an event is not valid", "error", err)
		taken()
		return
	}
	s.waiting.Add(1)
	s.inbox.Put(e, func() {
		s.waiting.Add(-1)
		taken()
	})
}
