package jobs

import (
	"context"
	"time"

	"atelier/agent/plan"
)

// follow hears the hints of a topic until ctx ends, and subscribes again where that
// failed. A nil hint tells that some may have been missed.
func (j *Jobs) follow(ctx context.Context, topic string, f func(hint []byte)) {
	for ctx.Err() == nil {
		hints, err := j.config.State.Subscribe(ctx, topic)
		if err != nil {
			if ctx.Err() == nil {
				j.log.WarnContext(ctx, "hints cannot be heard", "error", plan.ForOperator(err))
			}
			pause(ctx, time.Second)
			continue
		}
		f(nil)
		for hint := range hints {
			f(hint)
		}
		pause(ctx, 100*time.Millisecond) // the storage was closed, or ctx has ended
	}
}

// pause waits that long, or until ctx ends.
func pause(ctx context.Context, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
	case <-timer.C:
	}
}
