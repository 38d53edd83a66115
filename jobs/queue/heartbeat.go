package queue

import (
	"context"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"time"

	"atelier/agent/sleep"

	"atelier/agent/plan"
)

// Heartbeat publishes every Beat that this process is alive, its tools and its running tasks.
type Heartbeat struct {
	Workers *Workers
	Running *Running
	// Tools are the tools that this process can run now. Nil if it runs none.
	Tools func(ctx context.Context) (map[string][]plan.Candidate, error)
	Beat  time.Duration
	Log   *slog.Logger
}

// Run publishes the worker until ctx ends. It waits only for State, and at most until the next beat:
// slow or failing tools do not make the process look dead.
func (h *Heartbeat) Run(ctx context.Context, me Worker) {
	found := make(chan map[string][]plan.Candidate)
	var background sync.WaitGroup
	defer background.Wait()
	if h.Tools != nil {
		background.Go(func() { h.watchTools(ctx, found) })
	}
	next := time.NewTicker(h.Beat)
	defer next.Stop()
	for ctx.Err() == nil {
		if err := h.publish(ctx, me); err != nil && ctx.Err() == nil {
			h.Log.WarnContext(ctx, "cannot publish the heartbeat of this process", "error", plan.ForOperator(err))
		}
		select {
		case <-ctx.Done():
		case me.Tools = <-found:
		case <-next.C:
		}
	}
}

// watchTools sends the tools that this process can run whenever they change. If checking them fails, the
// last known ones stay.
func (h *Heartbeat) watchTools(ctx context.Context, found chan<- map[string][]plan.Candidate) {
	var sent map[string][]plan.Candidate
	for ctx.Err() == nil {
		tools, err := h.Tools(ctx)
		switch {
		case ctx.Err() != nil:
		case err != nil:
			h.Log.WarnContext(ctx, "cannot check the tools of this process", "error", plan.ForOperator(err))
		case !maps.EqualFunc(tools, sent, slices.Equal):
			sent = tools
			select {
			case <-ctx.Done():
			case found <- tools:
			}
		}
		if sleep.For(ctx, h.Beat) != nil {
			return
		}
	}
}

func (h *Heartbeat) publish(ctx context.Context, me Worker) error {
	ctx, stop := context.WithTimeout(ctx, h.Beat)
	defer stop()
	me.Tasks = h.Running.IDs()
	return h.Workers.put(ctx, me)
}
