package queue

import (
	"context"
	"log/slog"
	"time"

	"atelier/agent/sleep"

	"atelier/agent/plan"
	"atelier/storage"
)

// Hints notifies other processes of what was written to State. Hints may be lost: the records are
// authoritative.
type Hints struct {
	state storage.State
	log   *slog.Logger
}

// NewHints returns the hints sent through state.
func NewHints(state storage.State, log *slog.Logger) *Hints { return &Hints{state: state, log: log} }

// Publish publishes a hint.
func (h *Hints) Publish(ctx context.Context, topic string, hint []byte) error {
	return h.state.Publish(ctx, topic, hint)
}

// Progress is the topic of hints about requests in an adapter's threads.
func Progress(adapter string) string { return "progress-" + adapter }

// Stops is the topic of hints about stopped runs.
const Stops = "stops"

// Written publishes a hint that a request of an adapter has a new entry.
func (h *Hints) Written(ctx context.Context, adapter, request string) {
	if err := h.Publish(ctx, Progress(adapter), []byte(request)); err != nil {
		h.log.DebugContext(ctx, "cannot publish a hint", "request", request, "error", plan.ForOperator(err))
	}
}

// Follow calls f for the hints of a topic until ctx ends, and resubscribes after failures. A nil hint means
// that some may have been missed.
func (h *Hints) Follow(ctx context.Context, topic string, f func(hint []byte)) {
	for ctx.Err() == nil {
		hints, err := h.state.Subscribe(ctx, topic)
		if err != nil {
			if ctx.Err() == nil {
				h.log.WarnContext(ctx, "cannot subscribe to hints", "error", plan.ForOperator(err))
			}
			if sleep.For(ctx, time.Second) != nil {
				return
			}
			continue
		}
		f(nil)
		for hint := range hints {
			f(hint)
		}
		if sleep.For(ctx, 100*time.Millisecond) != nil { // the storage was closed, or ctx has ended
			return
		}
	}
}
