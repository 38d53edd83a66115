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

// Signs show on the message of a request how it stands.
type Signs struct {
	Adapters map[string]adapters.Adapter
	Log      *slog.Logger

	shown sync.WaitGroup
}

// Wait waits for the signs that are being shown.
func (c *Signs) Wait() { c.shown.Wait() }

// Can reports whether the platform shows how a message stands.
func (c *Signs) Can(e adapters.Event) bool {
	_, ok := c.Adapters[e.Thread.Adapter].(adapters.Acknowledger)
	return ok && e.Message != nil
}

// Show shows a status on the message, if the platform can. The request does not wait for it.
func (c *Signs) Show(ctx context.Context, e adapters.Event, s adapters.Status) {
	a, ok := c.Adapters[e.Thread.Adapter].(adapters.Acknowledger)
	if !ok || e.Message == nil {
		return
	}
	ctx = context.WithoutCancel(ctx)
	c.shown.Go(func() {
		ctx, stop := context.WithTimeout(ctx, 10*time.Second)
		defer stop()
		if err := a.Acknowledge(ctx, e.Message.Ref, s); err != nil && !errors.Is(err, adapters.ErrGone) {
			c.Log.WarnContext(ctx, "a sign could not be shown", "request", record.RequestID(e), "status", string(s), "error", record.ForOperator(err))
		}
	})
}
