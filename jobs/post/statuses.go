package post

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"atelier/adapters"
	"atelier/jobs/record"
)

// Statuses shows the status of a request on messages, and tells people who press a button why it has no effect.
type Statuses struct {
	Adapters map[string]adapters.Adapter
	Log      *slog.Logger

	shown sync.WaitGroup
}

// Wait waits until everything pending is shown.
func (s *Statuses) Wait() { s.shown.Wait() }

// Can reports whether the platform can show a status on a message.
func (s *Statuses) Can(e adapters.Event) bool {
	_, ok := s.Adapters[e.Thread.Adapter].(adapters.Acknowledger)
	return ok && e.Message != nil
}

// Whisper tells the person who pressed a button something that nobody else sees. It does not block. If that fails or the
// platform cannot, it calls otherwise, which may be nil.
func (s *Statuses) Whisper(ctx context.Context, pressed adapters.Event, in adapters.Thread, text string, otherwise func(ctx context.Context) error) {
	s.begin(ctx, func(ctx context.Context) {
		err := adapters.ErrGone
		if w, ok := s.Adapters[in.Adapter].(adapters.Whisperer); ok {
			err = w.Whisper(ctx, pressed, in, text)
		}
		if err != nil && !errors.Is(err, adapters.ErrGone) {
			s.Log.WarnContext(ctx, "cannot tell one person", "event", pressed.Key(), "error", record.ForOperator(err))
		}
		if err == nil || otherwise == nil {
			return
		}
		if err := otherwise(ctx); err != nil {
			s.Log.WarnContext(ctx, "a press stays without a word", "event", pressed.Key(), "error", record.ForOperator(err))
		}
	})
}

// Show shows a status on a message, if there is one and the platform can. It does not block.
func (s *Statuses) Show(ctx context.Context, on adapters.MessageRef, status adapters.Status) {
	a, ok := s.Adapters[on.Adapter].(adapters.Acknowledger)
	if !ok || on.IsZero() {
		return
	}
	s.begin(ctx, func(ctx context.Context) {
		if err := a.Acknowledge(ctx, on, status); err != nil && !errors.Is(err, adapters.ErrGone) {
			s.Log.WarnContext(ctx, "cannot show a status", "message", on.Key(), "status", string(status), "error", record.ForOperator(err))
		}
	})
}

// begin calls a function in the background.
func (s *Statuses) begin(ctx context.Context, f func(ctx context.Context)) {
	ctx = context.WithoutCancel(ctx)
	s.shown.Go(func() {
		ctx, stop := context.WithTimeout(ctx, 10*time.Second)
		defer stop()
		f(ctx)
	})
}
