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

// ErrOver means that the request has ended already.
var ErrOver = errors.New("already ended")

// asked handles a person's request to stop what a given message shows: a progress message shows its run, and other
// messages show their request and what continues from its results. It fails with [ErrOver] if none of that is in
// progress, and with [errNotTheirs] and the thread of the request if the person may stop none of it.
//
// Without such a message, it stops the person's latest active request in the thread, or in a channel, its threads
// included, and does nothing if there is none.
func (o *stopper) asked(ctx context.Context, e adapters.Event) (in adapters.Thread, err error) {
	why := record.HaltCancelled
	if e.Cancel.Deleted {
		why = record.HaltDeleted
	}
	stop := record.Halted{Why: why, By: e.By.ID, Name: e.By.Name, Message: e.MessageRef()}
	on := e.Cancel.On
	if on.IsZero() {
		return in, o.cancelLast(ctx, e, stop)
	}
	of, ok, err := o.store.Recall(ctx, on)
	if err != nil || !ok {
		return in, err
	}
	r, err := o.store.Request(ctx, of.Request)
	if err != nil {
		return in, record.IgnoreUnknown(err)
	}
	in = r.Asked.Event.Thread
	run := r.Run(of.Run)
	switch asks := r.AsksAt(on); {
	case of.Means != "" && (e.Cancel.Deleted || e.By.ID == of.By):
		return in, o.takeBack(ctx, r, run, of.By, stop)
	case e.Cancel.Deleted && !asks:
		return in, o.noteDeleted(ctx, r, run, on)
	case !asks && run != nil && !run.AnsweredAt(on):
		if err := o.may(e.By, stop, r, run); err != nil {
			return in, err
		}
		return in, o.halt(ctx, r.ID, run.N, stop)
	case e.Cancel.Deleted: // by whomever
		return in, o.haltAll(ctx, r.Asked.Event.By, stop, r)
	}
	return in, o.haltAll(ctx, e.By, stop, r)
}

// haltAll stops the runs that the message of a request shows, as far as the person may.
func (o *stopper) haltAll(ctx context.Context, by adapters.Person, stop record.Halted, r *record.Request) error {
	theirs, refused, err := o.shownBy(ctx, by, stop, r)
	if err != nil {
		return err
	}
	for _, w := range theirs {
		if err := o.halt(ctx, w.of.ID, w.run.N, stop); err != nil {
			return err
		}
	}
	switch {
	case len(theirs) > 0:
		return nil
	case refused && !stop.Silent():
		return errNotTheirs
	}
	return ErrOver
}

// work is a run of a request.
type work struct {
	of  *record.Request
	run *record.Run
}

// shownBy returns the runs of a request, and of the requests that continue from its results, that the person may stop.
// refused is set if there are other runs, which the person may not stop.
func (o *stopper) shownBy(ctx context.Context, by adapters.Person, stop record.Halted, r *record.Request) (theirs []work, refused bool, err error) {
	further, err := o.continuing(ctx, r)
	if err != nil {
		return nil, false, err
	}
	for _, of := range append([]*record.Request{r}, further...) {
		for _, run := range of.Runs {
			switch err := o.may(by, stop, of, run); {
			case err == nil:
				theirs = append(theirs, work{of, run})
			case errors.Is(err, errNotTheirs):
				refused = true
			}
		}
	}
	return theirs, refused, nil
}

// continuing returns the requests that continue from the results of a request. The root of them all lists them.
func (o *stopper) continuing(ctx context.Context, r *record.Request) ([]*record.Request, error) {
	root := r
	if press := r.Asked.Press; press != nil {
		var err error
		if root, err = o.store.Request(ctx, press.Root); err != nil {
			return nil, record.IgnoreUnknown(err)
		}
	}
	var all []*record.Request
	for _, id := range root.ContinuedBy {
		further, err := o.store.Request(ctx, id)
		switch {
		case errors.Is(err, record.ErrUnknown):
		case err != nil:
			return nil, err
		case root == r || further.Asked.Press.Of.Request == r.ID:
			all = append(all, further)
		}
	}
	return all, nil
}

// may returns why a person may not stop a run. The run's asker may, and the request's and admins unless they do it by an edit or a
// deletion, after which the run's asker would be told nothing.
func (o *stopper) may(by adapters.Person, stop record.Halted, r *record.Request, run *record.Run) error {
	switch {
	case !stop.Ends(run):
		return ErrOver
	case by.ID == r.AskerOf(run), !stop.Silent() && (by.Admin || by.ID == r.Asked.Event.By.ID):
		return nil
	case !o.limits.Allowed(by, r.Asked.Event.Thread):
		return ErrOver // for them there is nothing here
	}
	return errNotTheirs
}

// takeBack stops the run that a person's message started in place of a button, unless others want it too.
func (o *stopper) takeBack(ctx context.Context, r *record.Request, run *record.Run, by string, stop record.Halted) error {
	switch {
	case run == nil || !stop.Ends(run):
		return ErrOver
	case slices.ContainsFunc(run.Choosers, func(other string) bool { return other != by }):
		_, err := o.store.Logs.Append(ctx, record.RequestLog(r.ID), record.Entry{TakenBack: &record.TakenBack{Pick: run.Picked, By: by}})
		return err
	}
	return o.halt(ctx, r.ID, run.N, stop)
}

// noteDeleted records that the answer to a run was deleted, if the deleted message is the one that people
// react to. The thread no longer works on its results.
func (o *stopper) noteDeleted(ctx context.Context, r *record.Request, run *record.Run, gone adapters.MessageRef) error {
	if run == nil || run.Deleted || run.Sent == nil || run.Sent.Ref.Key() != gone.Key() {
		return nil
	}
	forget := record.Entry{Deleted: &record.RunRef{Request: r.ID, Run: run.N}}
	if _, err := o.store.Logs.Append(ctx, record.ThreadLog(record.ThreadID(r.Asked.Event.Thread)), forget); err != nil {
		return err
	}
	_, err := o.store.Logs.Append(ctx, record.RequestLog(r.ID), record.Entry{Run: run.N, AnswerDeleted: true})
	return err
}

// ignoreOver returns nil for errors that mean there is nothing to stop, and other errors unchanged.
func ignoreOver(err error) error {
	if errors.Is(err, ErrOver) || errors.Is(err, errNotTheirs) {
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
		if run.By == e.By.ID && run.Active() {
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
		if !h.Ends(run) {
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
		return r.Needs(t.Generation, t.Step)
	case queue.KindFetch:
		return slices.ContainsFunc(r.Runs, (*record.Run).Active)
	case queue.KindPlan:
		run := r.Run(t.Run)
		return run != nil && run.Active()
	case queue.KindCompose: // the answer is rewritten without a model
		run := r.Run(t.Run)
		return run == nil || run.Halted == nil || run.Answer != nil
	default:
		return true // answers are always sent
	}
}
