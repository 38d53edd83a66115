package queue

import (
	"context"
	"log/slog"
	"maps"
	"time"

	"atelier/agent/sleep"

	"atelier/agent/plan"
)

// Reaper finds tasks whose worker has died and passes them to another one. asynq does that too, but only
// after one or two minutes.
//
// A task is an orphan if asynq considers it active, but no live process has published it for longer than
// publishing takes. With the default Beat of 2 s, the task of a killed worker runs again within 17 s plus
// the time of four scans: the worker expires after 9 s, the next scan follows within 2 s, and the third
// scan after that, 6 s later, is the first to find the task orphaned for more than 5 s.
type Reaper struct {
	Tasks   *Tasks
	Workers *Workers
	Running *Running
	Beat    time.Duration
	// GiveUp gives up a task.
	GiveUp func(ctx context.Context, t Task, why error) error
	Log    *slog.Logger
}

// Run scans for orphans every beat until ctx ends.
func (r *Reaper) Run(ctx context.Context) {
	orphans := map[string]time.Time{}
	for ctx.Err() == nil {
		if err := r.Once(ctx, orphans); err != nil && ctx.Err() == nil {
			r.Log.WarnContext(ctx, "cannot look for tasks of dead workers", "error", plan.ForOperator(err))
			// Without State, live processes cannot send heartbeats either.
			maps.DeleteFunc(orphans, func(_ string, since time.Time) bool { return !since.IsZero() })
		}
		if sleep.For(ctx, r.Beat) != nil {
			return
		}
	}
}

// Once scans once. Orphans are those of the last scan, by task id, with the time when they were first
// seen. The time is zero for those that were handled: asynq considers them active until it notices
// itself, and forever if it has lost their lease.
func (r *Reaper) Once(ctx context.Context, orphans map[string]time.Time) error {
	active, err := r.Tasks.active()
	if err != nil {
		return err
	}
	workers, err := r.Workers.List(ctx) // read after the tasks, so that a task that ends meanwhile is no orphan
	if err != nil {
		return err
	}
	for _, w := range workers {
		for _, id := range w.Tasks {
			delete(active, id)
		}
	}
	for _, id := range r.Running.IDs() {
		delete(active, id)
	}
	maps.DeleteFunc(orphans, func(id string, _ time.Time) bool { _, still := active[id]; return !still })
	for id, t := range active {
		since, seen := orphans[id]
		switch {
		case !seen:
			orphans[id] = time.Now()
		case since.IsZero() || time.Since(since) <= r.Beat*5/2:
		default:
			orphans[id] = time.Time{}
			if err := r.Rerun(ctx, t); err != nil {
				orphans[id] = time.Now() // retried later, without holding up the others
				r.Log.WarnContext(ctx, "cannot pass on a task of a dead worker", "request", t.Request, "task", id, "error", plan.ForOperator(err))
			}
		}
	}
	return nil
}

// maxAttempts is how many workers may die while running a task, since the task may be the cause.
const maxAttempts = 8

// Rerun passes a task to another worker, as a further attempt.
func (r *Reaper) Rerun(ctx context.Context, t Task) error {
	before := t.ID()
	if t.Attempt++; t.Attempt > maxAttempts && t.Kind != KindDeadline {
		return r.GiveUp(ctx, t, &plan.Fault{Sentence: plan.Say("I started this %d times and crashed every time, so I gave up.", t.Attempt)})
	}
	if has, err := r.Tasks.has(t); err == nil && has {
		return nil // it is done already
	}
	r.Log.WarnContext(ctx, "a worker died: its task runs again",
		"request", t.Request, "run", t.Run, "generation", t.Generation, "stage", string(t.Kind), "task", before)
	return r.Tasks.Enqueue(ctx, t, 0)
}
