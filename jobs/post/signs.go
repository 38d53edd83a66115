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

// Signs shows the status of a request on messages.
type Signs struct {
	Adapters map[string]adapters.Adapter
	Log      *slog.Logger

	shown sync.WaitGroup
}

// Wait waits until all pending signs are shown.
func (c *Signs) Wait() { c.shown.Wait() }

// Can reports whether the platform can show a status on a message.
func (c *Signs) Can(e adapters.Event) bool {
	_, ok := c.Adapters[e.Thread.Adapter].(adapters.Acknowledger)
	return ok && e.Message != nil
}

// Show shows a status on a message, if there is one and the platform can. It does not block.
func (c *Signs) Show(ctx context.Context, on adapters.MessageRef, s adapters.Status) {
	a, ok := c.Adapters[on.Adapter].(adapters.Acknowledger)
	if !ok || on.IsZero() {
		return
	}
	ctx = context.WithoutCancel(ctx)
	c.shown.Go(func() {
		ctx, stop := context.WithTimeout(ctx, 10*time.Second)
		defer stop()
		if err := a.Acknowledge(ctx, on, s); err != nil && !errors.Is(err, adapters.ErrGone) {
			c.Log.WarnContext(ctx, "cannot show a sign", "message", on.Key(), "status", string(s), "error", record.ForOperator(err))
		}
	})
}
