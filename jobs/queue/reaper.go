package queue

import (
	"context"
	"log/slog"
	"maps"
	"time"

	"atelier/agent/sleep"

	"atelier/agent/plan"
)

// Reaper finds tasks whose worker has died, and gives them to another one. asynq does that too,
// but only after one or two minutes.
//
// A task is an orphan if asynq holds it for active and no living process says that it runs it,
// for longer than a process takes to say so. With the usual Beat of 2 s a task of a worker that
// was killed runs again within 17 s, and the time that four looks take: its worker has expired
// after 9 s, a look comes 2 s later at the latest, and the third look after that, 6 s later, is
// the first for which the task was an orphan for longer than 5 s.
type Reaper struct {
	Tasks   *Tasks
	Workers *Workers
	Running *Running
	Beat    time.Duration
	// GiveUp gives a task up.
	GiveUp func(ctx context.Context, t Task, why error) error
	Log    *slog.Logger
}

// Run looks for orphans every beat until ctx ends.
func (r *Reaper) Run(ctx context.Context) {
	orphans := map[string]time.Time{}
	for ctx.Err() == nil {
		if err := r.Once(ctx, orphans); err != nil && ctx.Err() == nil {
			r.Log.WarnContext(ctx, "tasks of dead workers could not be looked for", "error", plan.ForOperator(err))
			// A process that could not say that it lives may live.
			maps.DeleteFunc(orphans, func(_ string, since time.Time) bool { return !since.IsZero() })
		}
		if sleep.For(ctx, r.Beat) != nil {
			return
		}
	}
}

// Once looks once. The orphans are those of the last look, by task id, with the time when they
// were first seen, and the zero time for those that were handled. asynq holds these for active
// until it finds out itself, and forever if it has lost their lease.
func (r *Reaper) Once(ctx context.Context, orphans map[string]time.Time) error {
	active, err := r.Tasks.active()
	if err != nil {
		return err
	}
	workers, err := r.Workers.List(ctx) // after the tasks, so that what ends meanwhile is no orphan
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
				orphans[id] = time.Now() // it is tried again, and does not hold up the others
				r.Log.WarnContext(ctx, "a task of a dead worker could not be handed over", "request", t.Request, "task", id, "error", plan.ForOperator(err))
			}
		}
	}
	return nil
}

// maxAttempts is how many workers may die over a task: the task may be what kills them.
const maxAttempts = 8

// Rerun gives a task to another worker, as a further attempt.
func (r *Reaper) Rerun(ctx context.Context, t Task) error {
	before := t.ID()
	if t.Attempt++; t.Attempt > maxAttempts && t.Kind != KindDeadline {
		return r.GiveUp(ctx, t, &plan.Fault{Sentence: plan.Say("I started this %d times and crashed every time, so I gave up.", t.Attempt)})
	}
	if has, err := r.Tasks.has(t); err == nil && has {
		return nil // it is done already
	}
	r.Log.WarnContext(ctx, "a worker has died: its task runs again", "request", t.Request, "run", t.Run, "stage", string(t.Kind), "task", before)
	return r.Tasks.Enqueue(ctx, t, 0)
}
