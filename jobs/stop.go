package jobs

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"slices"

	"atelier/adapters"
	"atelier/agent/plan"
	"atelier/jobs/queue"
	"atelier/jobs/record"
)

// stopper stops runs.
type stopper struct {
	store   *record.Store
	index   *record.Index
	limits  *limits
	hints   *queue.Hints
	tasks   *queue.Tasks
	running *queue.Running
	log     *slog.Logger
}

// errNotTheirs means that a person may not stop a request.
var errNotTheirs = errors.New("only the person who asked and admins may stop it")

// asked handles a person's request to stop: the runs of a given request, or else the person's latest active request
// in the thread, or in a channel, its threads included. A person who picked an alternative may stop only that. It
// fails with [errNotTheirs] and returns the thread of the request if the person may stop nothing that is in progress.
func (o *stopper) asked(ctx context.Context, e adapters.Event) (in adapters.Thread, err error) {
	why := record.HaltCancelled
	if e.Cancel.Deleted {
		why = record.HaltDeleted
	}
	stop := record.Halted{Why: why, By: e.By.ID, Name: e.By.Name}
	if e.Cancel.On.IsZero() {
		return in, o.cancelLast(ctx, e, stop)
	}
	of, ok, err := o.store.Recall(ctx, e.Cancel.On)
	if err != nil || !ok {
		return in, err
	}
	r, err := o.store.Request(ctx, of.Request)
	if err != nil {
		return in, record.IgnoreUnknown(err)
	}
	in = r.Asked.Event.Thread
	if m := r.Message(); e.Cancel.Deleted && m != nil && m.Ref.Key() != e.Cancel.On.Key() {
		return in, o.noteDeleted(ctx, r, of.Run, e.Cancel.On)
	}
	for _, id := range r.ActedOnBy { // these are shown on the same message
		further, err := o.store.Request(ctx, id)
		if err == nil && (e.Cancel.Deleted || e.By.Admin || e.By.ID == further.Asked.Event.By.ID) {
			err = ignoreOver(o.cancel(ctx, id, stop))
		}
		if record.IgnoreUnknown(err) != nil {
			return in, err
		}
	}
	switch {
	case e.Cancel.Deleted, e.By.Admin, e.By.ID == r.Asked.Event.By.ID:
		return in, ignoreOver(o.cancel(ctx, r.ID, stop))
	case !o.limits.Allowed(e.By, in), !slices.ContainsFunc(r.Runs, (*record.Run).Working):
		return in, nil
	}
	stopped := false
	for _, run := range r.Runs {
		if run.Working() && run.By == e.By.ID {
			stopped = true
			if err := o.halt(ctx, r.ID, run.N, stop); err != nil {
				return in, err
			}
		}
	}
	if !stopped {
		return in, errNotTheirs
	}
	return in, nil
}

// noteDeleted records that the answer to a run was deleted, if the deleted message is the one that people
// react to.
func (o *stopper) noteDeleted(ctx context.Context, r *record.Request, n int, gone adapters.MessageRef) error {
	run := r.Run(n)
	if run == nil || run.Deleted || run.Sent == nil || run.Sent.Ref.Last().Key() != gone.Key() {
		return nil
	}
	_, err := o.store.Logs.Append(ctx, record.RequestLog(r.ID), record.Entry{Run: n, AnswerDeleted: true})
	return err
}

// ErrOver means that the request has ended already.
var ErrOver = errors.New("already ended")

func ignoreOver(err error) error {
	if errors.Is(err, ErrOver) {
		return nil
	}
	return record.IgnoreUnknown(err)
}

// cancelLast stops the person's latest request, or in another person's request, the run they picked.
func (o *stopper) cancelLast(ctx context.Context, e adapters.Event, stop record.Halted) error {
	requests, err := o.index.Unfinished(ctx, e.By.ID, e.Thread)
	if err != nil || len(requests) == 0 {
		return err
	}
	r := requests[0]
	if r.Asked.Event.By.ID == e.By.ID {
		return ignoreOver(o.cancel(ctx, r.ID, stop))
	}
	for _, run := range slices.Backward(r.Runs) {
		if run.By == e.By.ID && run.Working() {
			return o.halt(ctx, r.ID, run.N, stop)
		}
	}
	return nil
}

// cancel stops every active run of a request. It fails with [ErrOver] if there is none.
func (o *stopper) cancel(ctx context.Context, id string, h record.Halted) error {
	r, err := o.store.Request(ctx, id)
	if err != nil {
		return err
	}
	stopped := false
	for _, run := range r.Runs {
		if !run.Working() && (!h.Silent() || run.Over || run.Halted != nil) {
			continue
		}
		stopped = true
		if err := o.halt(ctx, id, run.N, h); err != nil {
			return err
		}
	}
	if !stopped {
		return fmt.Errorf("request %s: %w", id, ErrOver)
	}
	return nil
}

// halt stops a run: it records the halt, notifies the processes that work on it, and enqueues the answer. A
// process that misses the hint finds the halt in the record.
func (o *stopper) halt(ctx context.Context, id string, n int, h record.Halted) error {
	if _, err := o.store.Logs.Append(ctx, record.RequestLog(id), record.Entry{Run: n, Halted: &h}); err != nil {
		return err
	}
	return o.announce(ctx, id, n, h.Why)
}

// announce notifies the processes that work on a halted run, and enqueues its answer.
func (o *stopper) announce(ctx context.Context, id string, n int, why record.Reason) error {
	hint, err := json.Marshal(record.RunRef{Request: id, Run: n})
	if err != nil {
		return fmt.Errorf("encode a stop: %w", err)
	}
	if err := o.hints.Publish(ctx, queue.Stops, hint); err != nil {
		return fmt.Errorf("publish a stop: %w", err)
	}
	o.log.InfoContext(ctx, "run stopped", "request", id, "run", n, "why", string(why))
	return o.tasks.Enqueue(ctx, queue.Task{Kind: queue.KindCompose, Request: id, Run: n, Queue: queue.Plan}, 0)
}

// follow stops the tasks of this process whose runs were stopped.
func (o *stopper) follow(ctx context.Context) {
	o.hints.Follow(ctx, queue.Stops, func(hint []byte) {
		var of record.RunRef
		requests := []string{}
		if hint == nil { // hints were missed: check everything that runs
			for _, t := range o.running.Of("") {
				requests = append(requests, t.Request)
			}
		} else if err := json.Unmarshal(hint, &of); err == nil {
			requests = append(requests, of.Request)
		}
		slices.Sort(requests)
		for _, id := range slices.Compact(requests) {
			if err := o.stopTasks(ctx, id); err != nil && ctx.Err() == nil {
				o.log.WarnContext(ctx, "cannot check for a stop", "request", id, "error", plan.ForOperator(err))
			}
		}
	})
}

// stopTasks stops the running tasks of a request that no run needs any longer.
func (o *stopper) stopTasks(ctx context.Context, id string) error {
	tasks := o.running.Of(id)
	if len(tasks) == 0 {
		return nil
	}
	r, err := o.store.Request(ctx, id)
	if record.IgnoreUnknown(err) != nil {
		return err
	}
	for _, t := range tasks {
		if err != nil || !wanted(r, t.Task) { // forgotten, or stopped
			t.Stop(errStopped)
		}
	}
	return nil
}

// wanted reports whether a task of a request is still worth doing.
func wanted(r *record.Request, t queue.Task) bool {
	switch t.Kind {
	case queue.KindAct, queue.KindWrite:
		return r.Needs(t.Run, t.Step)
	case queue.KindFetch:
		return slices.ContainsFunc(r.Runs, (*record.Run).Working)
	case queue.KindPlan:
		run := r.Run(t.Run)
		return run != nil && run.Working()
	case queue.KindCompose: // the answer is rewritten without a model
		run := r.Run(t.Run)
		return run == nil || run.Halted == nil || run.Answer != nil
	default:
		return true // answers are always sent
	}
}
