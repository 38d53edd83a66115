package jobs

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"time"

	"github.com/hibiken/asynq"

	"atelier/agent/plan"
)

// reap finds tasks whose worker has died, and gives them to another one. asynq does that
// too, by itself, but only after one or two minutes.
//
// A task is an orphan if asynq holds it for active and no living process says that it runs
// it, for longer than a process takes to say so. With the usual Beat of 2 s a task of a
// worker that was killed runs again within 17 s, and the time that four looks take: its
// worker is not heard of any more after 9 s (expires), a look comes 2 s later at the
// latest, and the third look after that, 6 s later, is the first for which the task was an
// orphan for longer than 5 s.
func (j *Jobs) reap(ctx context.Context) {
	orphans := map[string]time.Time{}
	for ctx.Err() == nil {
		if err := j.reapOnce(ctx, orphans); err != nil && ctx.Err() == nil {
			j.log.WarnContext(ctx, "tasks of dead workers could not be looked for", "error", plan.ForOperator(err))
			// Whoever could not say that it lives may live.
			maps.DeleteFunc(orphans, func(_ string, since time.Time) bool { return !since.IsZero() })
		}
		pause(ctx, j.config.Beat)
	}
}

// reapOnce looks once. The orphans are those of the last look, by the id of the task: since
// when they have been some, and zero for those that were seen to. asynq holds these for
// active until it finds out itself, and for ever where it has lost their lease.
func (j *Jobs) reapOnce(ctx context.Context, orphans map[string]time.Time) error {
	names, err := j.queues()
	if err != nil {
		return err
	}
	active := map[string]task{}
	for _, name := range names {
		tasks, err := j.activeTasks(name)
		if err != nil {
			return err
		}
		maps.Copy(active, tasks)
	}
	workers, err := j.Workers(ctx) // after the tasks, so that what ends meanwhile is no orphan
	if err != nil {
		return err
	}
	for _, w := range workers {
		for _, id := range w.Tasks {
			delete(active, id)
		}
	}
	for _, id := range j.active.ids() {
		delete(active, id)
	}
	maps.DeleteFunc(orphans, func(id string, _ time.Time) bool { _, still := active[id]; return !still })
	for id, t := range active {
		since, seen := orphans[id]
		switch {
		case !seen:
			orphans[id] = time.Now()
		case since.IsZero() || time.Since(since) <= j.config.Beat*5/2:
		default:
			orphans[id] = time.Time{}
			if err := j.rerun(ctx, t); err != nil {
				orphans[id] = time.Now() // it is tried again, and holds up no other one
				j.log.WarnContext(ctx, "a task of a dead worker could not be handed over", "request", t.Request, "task", id, "error", plan.ForOperator(err))
			}
		}
	}
	return nil
}

// activeTasks are the tasks that asynq holds for active, by id. Those of another version are
// left to asynq and to the processes of that.
func (j *Jobs) activeTasks(queue string) (map[string]task, error) {
	const page = 500
	all := map[string]task{}
	for n := 1; ; n++ {
		infos, err := j.inspector.ListActiveTasks(queue, asynq.PageSize(page), asynq.Page(n))
		if errors.Is(err, asynq.ErrQueueNotFound) {
			return all, nil
		}
		if err != nil {
			return nil, fmt.Errorf("list the active tasks: %w", err)
		}
		for _, i := range infos {
			t, err := decodeTask(asynq.NewTask(i.Type, i.Payload), i.ID, queue)
			if err == nil && t.id() == i.ID {
				all[i.ID] = t
			}
		}
		if len(infos) < page {
			return all, nil
		}
	}
}

// maxAttempts is how many workers may die over a task: it may be what they die of.
const maxAttempts = 8

// rerun gives a task to another worker, as a further attempt.
func (j *Jobs) rerun(ctx context.Context, t task) error {
	before := t.id()
	if t.Attempt++; t.Attempt > maxAttempts && t.Kind != kindDeadline {
		return j.giveUp(ctx, t, &plan.Fault{Sentence: plan.Say("It was begun %d times, and each time I broke down over it.", t.Attempt)})
	}
	if _, err := j.inspector.GetTaskInfo(t.queue, t.id()); err == nil {
		return nil // somebody has done it already
	}
	j.log.WarnContext(ctx, "a worker has died: its task runs again", "request", t.Request, "run", t.Run, "stage", string(t.Kind), "task", before)
	return j.enqueue(ctx, t, 0)
}

// superseded tells whether a further attempt of the task was begun, because its worker was
// taken for dead: then that one does it.
func (j *Jobs) superseded(t task) bool {
	t.Attempt++
	_, err := j.inspector.GetTaskInfo(t.queue, t.id())
	return err == nil
}
