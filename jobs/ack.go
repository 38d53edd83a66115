package jobs

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"atelier/adapters"
	"atelier/jobs/record"
)

// acks show on the message of a request how it stands.
type acks struct {
	adapters map[string]adapters.Adapter
	log      *slog.Logger

	shown sync.WaitGroup
}

// wait waits for the signs that are being shown.
func (c *acks) wait() { c.shown.Wait() }

// show shows a status on the message, if the platform can. The request does not wait for it.
func (c *acks) show(ctx context.Context, e adapters.Event, s adapters.Status) {
	a, ok := c.adapters[e.Thread.Adapter].(adapters.Acknowledger)
	if !ok || e.Message == nil {
		return
	}
	ctx = context.WithoutCancel(ctx)
	c.shown.Go(func() {
		ctx, stop := context.WithTimeout(ctx, 10*time.Second)
		defer stop()
		if err := a.Acknowledge(ctx, e.Message.Ref, s); err != nil && !errors.Is(err, adapters.ErrGone) {
			c.log.WarnContext(ctx, "a sign could not be shown", "request", record.RequestID(e), "status", string(s), "error", record.ForOperator(err))
		}
	})
}
