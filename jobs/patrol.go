package jobs

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"time"

	"github.com/hibiken/asynq"

	"atelier/agent/plan"
	"atelier/jobs/record"
)

const (
	// patrolEvery is how often the patrol goes.
	patrolEvery = 5 * time.Minute
	// patrolled is how long a request is looked after, from when it was asked.
	patrolled = 7 * 24 * time.Hour
)

// patrol takes up what was lost, once in five minutes by one of all processes: a request
// that was recorded by half when its process died, or whose tasks the queues have lost.
func (j *Jobs) patrol(ctx context.Context) {
	over := map[string]int{}
	for ctx.Err() == nil {
		if err := j.patrolOnce(ctx, over); err != nil && ctx.Err() == nil {
			j.log.WarnContext(ctx, "lost requests could not be looked for", "error", plan.ForOperator(err))
		}
		pause(ctx, patrolEvery/5)
	}
}

// patrolOnce goes once, if it is this process's turn. Over are the requests that had ended
// when it last went, with the sizes of their logs: they are not read again.
func (j *Jobs) patrolOnce(ctx context.Context, over map[string]int) error {
	mine, err := j.config.State.PutOnce(ctx, record.WorkersGroup+"-patrol/turn", []byte(j.id), patrolEvery)
	if err != nil || !mine {
		return err
	}
	ids, err := j.index.Within(ctx, patrolled)
	if err != nil {
		return err
	}
	before := maps.Clone(over)
	clear(over)
	for _, id := range ids {
		size, err := j.lookAfter(ctx, id, before[id])
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case err != nil: // it holds up no other one
			j.log.WarnContext(ctx, "a request could not be looked after", "request", id, "error", plan.ForOperator(err))
		case size > 0:
			over[id] = size
		}
	}
	return nil
}

// lookAfter takes up the runs of a request that nobody sees to. It gives the size of the
// log of one that has ended, as it may have been known before, and 0 of any other.
func (j *Jobs) lookAfter(ctx context.Context, id string, over int) (int, error) {
	if over > 0 {
		more, err := j.config.State.Read(ctx, record.RequestLog(id), int64(over))
		if err != nil {
			return 0, fmt.Errorf("look for a further run: %w", err)
		}
		if len(more) == 0 {
			return over, nil
		}
	}
	r, err := j.store.Request(ctx, id)
	if err != nil {
		return 0, record.IgnoreUnknown(err)
	}
	over = len(r.Entries)
	for _, run := range r.Runs {
		if run.Over {
			continue
		}
		over = 0
		hasTime, err := j.store.HasTime(ctx, id, run.N)
		switch {
		case err != nil:
			return 0, err
		case hasTime:
			continue
		}
		if err := j.find(ctx, r, run); err != nil {
			return 0, err
		}
	}
	return over, nil
}

// find sees to it that a run whose time is up is closed. Where not even its deadline is
// left it never had its time, and goes on.
func (j *Jobs) find(ctx context.Context, r *record.Request, run *record.Run) error {
	deadline := task{Kind: kindDeadline, Request: r.ID, Run: run.N, queue: QueuePlan}
	_, err := j.inspector.GetTaskInfo(deadline.queue, deadline.id())
	switch {
	case err == nil:
		return j.revive(ctx, deadline)
	case !errors.Is(err, asynq.ErrTaskNotFound) && !errors.Is(err, asynq.ErrQueueNotFound):
		return fmt.Errorf("look for a deadline: %w", err)
	}
	j.log.WarnContext(ctx, "a run was lost and is taken up again", "request", r.ID, "run", run.N)
	if err := j.takeUp(ctx, r, run); err != nil {
		return err
	}
	thread := record.ThreadID(r.Asked.Event.Thread)
	j.store.Logs.Drop(record.ThreadLog(thread)) // what was handed over may be lost
	return j.advanceThread(ctx, thread)
}

// takeUp hands over anew what a run waits for. It keeps what it has left of its time, or
// begins it anew.
func (j *Jobs) takeUp(ctx context.Context, r *record.Request, run *record.Run) error {
	if err := j.store.EnsureTime(ctx, r.ID, run.N); err != nil {
		return err
	}
	// It may be over at any moment: the deadline looks for itself when.
	deadline := task{Kind: kindDeadline, Request: r.ID, Run: run.N, queue: QueuePlan}
	if err := j.enqueue(ctx, deadline, min(j.config.Deadline, time.Minute)); err != nil {
		return err
	}
	tasks := []task{{Kind: kindSend, Request: r.ID, Run: run.N, queue: gatewayQueue(r.Asked.Event.Thread.Adapter)}}
	if run.Answer == nil {
		tasks = j.due(ctx, r, run)
	}
	for _, t := range tasks {
		if err := j.revive(ctx, t); err != nil {
			return err
		}
	}
	return nil
}
