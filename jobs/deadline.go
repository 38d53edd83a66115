package jobs

import (
	"context"
	"errors"
	"fmt"
	"time"

	"atelier/jobs/queue"
	"atelier/jobs/record"
)

// deadlines closes runs that exceed their deadline.
type deadlines struct {
	store    *record.Store
	tasks    *queue.Tasks
	flow     *flow
	composer *composer
	stopper  *stopper
	deadline time.Duration
}

// run closes a run that exceeds its deadline, so that every message gets an answer even if its tasks
// are lost.
func (x *deadlines) run(ctx context.Context, w queue.Task) error {
	r, err := x.store.Request(ctx, w.Request)
	if errors.Is(err, record.ErrUnknown) {
		return nil // the thread was forgotten
	}
	if err != nil {
		return err
	}
	run := r.Run(w.Run)
	if run == nil || run.Over {
		return nil
	}
	later := queue.Wait(min(max(x.deadline/20, 100*time.Millisecond), time.Minute), fmt.Errorf("the deadline of run %d", w.Run))
	hasTime, err := x.store.HasTime(ctx, r.ID, run.N)
	switch {
	case err != nil:
		return err
	case hasTime:
		return later
	}
	waits := false
	if run.N == 1 { // only a first run waits for its turn
		if waits, err = x.waits(ctx, r); err != nil {
			return err
		}
	}
	switch {
	case waits: // for an earlier request, which has its own deadline
		err = x.flow.nextInThread(ctx, record.ThreadID(r.Asked.Event.Thread))
	case run.Working():
		err = x.stopper.halt(ctx, r.ID, run.N, record.Halted{Why: record.HaltOverdue})
	case run.Answer == nil:
		a, e := x.composer.word(ctx, r, run) // the run is halted, so no model is called
		if e == nil {
			e = x.composer.write(ctx, r, run.N, a)
		}
		err = e
	default: // only sending is left, which is retried until the platform is back
		err = x.tasks.Revive(ctx, queue.Task{Kind: queue.KindSend, Request: r.ID, Run: run.N, Queue: queue.OfAdapter(r.Asked.Event.Thread.Adapter)})
	}
	if err != nil {
		return err
	}
	return later
}

// waits reports whether the request still waits for its turn in its thread.
func (x *deadlines) waits(ctx context.Context, r *record.Request) (bool, error) {
	if r.Given != nil || r.Asked.Aside() || !r.Runs[0].Working() {
		return false, nil
	}
	t, err := x.store.Thread(ctx, record.ThreadID(r.Asked.Event.Thread))
	if err != nil {
		return false, err
	}
	head := t.Head()
	return head != "" && head != r.ID, nil
}
