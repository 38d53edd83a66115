package toolbox

import (
	"context"
	"time"

	"atelier/agent/plan"
)

// Watch keeps what is known of the candidates fresh until ctx ends, so that nobody who
// asks for it waits for a probe: each is probed again when it is due. A process that
// serves calls it once, in a goroutine of its own; without it candidates are probed when
// somebody asks.
func (t *Toolbox) Watch(ctx context.Context) {
	defer t.watched.Store(false)
	for ctx.Err() == nil {
		p, err := t.probeDue(ctx)
		if err != nil {
			if ctx.Err() == nil {
				t.log.WarnContext(ctx, "the tools could not be probed", "error", plan.ForOperator(err))
			}
			continue
		}
		t.watched.Store(true)
		next := time.NewTimer(max(p.next.Sub(t.clock()), time.Second))
		select {
		case <-ctx.Done():
		case <-next.C:
		}
		next.Stop()
	}
}
