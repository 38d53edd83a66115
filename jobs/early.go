package jobs

import (
	"context"
	"time"

	"atelier/adapters"
	"atelier/jobs/record"
)

// early holds events about a new message until the message is recorded. People can press the buttons of an answer before
// the process that posts it has recorded it.
type early struct {
	store    *record.Store
	adapters map[string]adapters.Adapter
	now      func() time.Time
	handle   func(ctx context.Context, e adapters.Event) error
}

// event handles an event about a message, now or when the message is recorded.
func (y *early) event(ctx context.Context, e adapters.Event) error {
	var on adapters.MessageRef
	switch {
	case e.Reaction != nil:
		on = e.Reaction.On
	case e.Cancel != nil:
		on = e.Cancel.On
	}
	if on.IsZero() {
		return y.handle(ctx, e)
	}
	_, known, err := y.store.Recall(ctx, on)
	if err == nil && !known && y.recent(on) {
		if err = y.store.HoldBack(ctx, on, e); err == nil {
			_, known, err = y.store.Recall(ctx, on) // it may have been recorded before the event was held back
		}
	}
	if err != nil || !known {
		return err
	}
	return y.handle(ctx, e)
}

// recent reports whether a message may still be recorded: it is new, or nobody knows how old it is.
func (y *early) recent(on adapters.MessageRef) bool {
	dater, ok := y.adapters[on.Adapter].(adapters.Dater)
	if !ok {
		return true
	}
	posted, ok := dater.PostedAt(on)
	return !ok || y.now().Sub(posted) < record.HeldFor
}

// release handles the events held for a message once it is recorded. Handling an event twice has no further effect.
func (y *early) release(ctx context.Context, ref adapters.MessageRef) error {
	events, err := y.store.HeldBack(ctx, ref)
	if err != nil || len(events) == 0 {
		return err
	}
	for _, e := range events {
		if err := y.handle(ctx, e); err != nil {
			return err
		}
	}
	return y.store.DropHeldBack(ctx, ref)
}
