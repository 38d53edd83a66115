package toolbox

import (
	"context"
	"sync"
	"time"
)

// Watch keeps what is known of the candidates fresh until ctx ends, so that nobody who
// asks for it waits for a probe: each is probed again when it is due, and no server waits
// for another. A process that serves calls it once, in a goroutine of its own; without it
// candidates are probed when somebody asks, as they are until its first round is over.
func (t *Toolbox) Watch(ctx context.Context) {
	if _, err := t.probeAll(ctx); err != nil {
		return
	}
	t.watched.Store(true)
	defer t.watched.Store(false)
	var all sync.WaitGroup
	for _, p := range t.probers {
		all.Go(func() { t.watch(ctx, p) })
	}
	all.Wait()
}

// watch keeps what is known of one server's candidates fresh.
func (t *Toolbox) watch(ctx context.Context, p *prober) {
	for ctx.Err() == nil {
		next := time.NewTimer(max(t.due(p).Sub(t.clock()), time.Second))
		select {
		case <-ctx.Done():
		case <-next.C:
			_ = t.round(ctx, p) //nolint:errcheck // it fails only when ctx ends
		}
		next.Stop()
	}
}
