package jobs

import (
	"context"
	"errors"
	"fmt"
	"time"

	"atelier/storage"
)

// deadline closes a run that has not ended in time, so that every message gets an answer
// whatever became of its tasks. The time is that of State's server, which keeps a value as
// long as the run may take: a clock of a worker that jumps closes nothing.
func (j *Jobs) deadline(ctx context.Context, w task) error {
	r, err := j.request(ctx, w.Request)
	if errors.Is(err, ErrUnknown) {
		return nil // it was forgotten
	}
	if err != nil {
		return err
	}
	run := r.run(w.Run)
	if run == nil || run.over {
		return nil
	}
	later := &waitError{after: min(max(j.config.Deadline/20, 100*time.Millisecond), time.Minute), err: fmt.Errorf("the deadline of run %d", w.Run)}
	_, err = j.config.State.Get(ctx, requestTime(r.id, run.n))
	switch {
	case err == nil:
		return later
	case !errors.Is(err, storage.ErrNotFound):
		return fmt.Errorf("look at the time: %w", err)
	}
	waits := false
	if run.n == 1 { // further runs wait for no turn
		if waits, err = j.waits(ctx, r); err != nil {
			return err
		}
	}
	switch {
	case waits: // for one before it, which has a deadline of its own
		err = j.advanceThread(ctx, ThreadID(r.asked.Event.Thread))
	case run.working():
		err = j.halt(ctx, r.id, run.n, halted{Why: haltOverdue})
	case run.answer == nil:
		a, e := j.word(ctx, r, run) // it was halted: no model is asked
		if e == nil {
			e = j.answer(ctx, r, run.n, a)
		}
		err = e
	default: // it is only to be sent, which is tried as long as the platform is away
		err = j.revive(ctx, task{Kind: kindSend, Request: r.id, Run: run.n, queue: gatewayQueue(r.asked.Event.Thread.Adapter)})
	}
	if err != nil {
		return err
	}
	return later
}

// waits tells whether it is not yet the request's turn in its thread.
func (j *Jobs) waits(ctx context.Context, r *request) (bool, error) {
	if r.given != nil || r.asked.aside() || !r.runs[0].working() {
		return false, nil
	}
	t, err := j.thread(ctx, ThreadID(r.asked.Event.Thread), -1)
	if err != nil {
		return false, err
	}
	head := t.head()
	return head != "" && head != r.id, nil
}
