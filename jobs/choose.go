package jobs

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"atelier/adapters"
	"atelier/agent/plan"
	"atelier/jobs/queue"
	"atelier/jobs/record"
)

// ErrOver means that it is too late: the request has ended.
var ErrOver = errors.New("it has ended")

// Choose starts another run of a request, which takes that choice of the plan of one of its
// runs, and gives the run's number. What both have in common is not done again.
func (j *Jobs) Choose(ctx context.Context, id string, of int, c plan.Choice, by string) (int, error) {
	r, err := j.store.Request(ctx, id)
	if err != nil {
		return 0, err
	}
	run := r.Run(of)
	if run == nil || r.Generations[run.Generation].Plan == nil {
		return 0, fmt.Errorf("run %d: %w", of, record.ErrUnknown)
	}
	if _, err := plan.NewRoute(r.Generations[run.Generation].Plan, c); err != nil {
		return 0, fmt.Errorf("choose: %w", err)
	}
	return j.another(ctx, r, record.Begun{Pick: record.Pick{Of: of, Choice: c}, By: by})
}

// ChooseGuess starts another run of a request, which plans and does a guess of the question that
// one of its runs asked, and gives the run's number. Guesses count from 1.
func (j *Jobs) ChooseGuess(ctx context.Context, id string, of, guess int, by string) (int, error) {
	r, err := j.store.Request(ctx, id)
	if err != nil {
		return 0, err
	}
	run := r.Run(of)
	if run == nil || run.Answer == nil || guess < 1 || guess > len(run.Answer.Guesses()) {
		return 0, fmt.Errorf("run %d, guess %d: %w", of, guess, record.ErrUnknown)
	}
	return j.another(ctx, r, record.Begun{Pick: run.Pick(guess - 1), By: by})
}

// Again starts a run of a request that plans and computes everything anew, and gives the
// run's number.
func (j *Jobs) Again(ctx context.Context, id, by string) (int, error) {
	r, err := j.store.Request(ctx, id)
	if err != nil {
		return 0, err
	}
	if r.Waits() {
		return 0, fmt.Errorf("the request has not begun: %w", record.ErrUnknown)
	}
	return j.another(ctx, r, record.Begun{By: by})
}

// another starts a further run, beside whatever runs, and gives its number.
func (j *Jobs) another(ctx context.Context, r *record.Request, b record.Begun) (int, error) {
	at, err := j.store.Logs.Append(ctx, record.RequestLog(r.ID), record.Entry{Begun: &b})
	if err != nil {
		return 0, err
	}
	entries, err := j.store.Logs.Read(ctx, record.RequestLog(r.ID))
	if err != nil {
		return 0, err
	}
	before, err := record.FoldRequest(r.ID, entries[:min(at+1, len(entries))])
	if err != nil {
		return 0, err
	}
	n := len(before.Runs)
	for _, run := range before.Runs { // the event may have come before
		if b.Event != "" && run.Event == b.Event {
			n = run.N
		}
	}
	if shared := before.RunOf(b.Pick); b.Once && b.Refused == "" && shared != nil {
		n = shared.N
	}
	if err := j.index.AddAsker(ctx, r.ID, b.By, r.Asked.Event.Thread); err != nil {
		return 0, err
	}
	if b.Guess != "" && b.Of != 0 && b.Refused == "" {
		if err := j.settle(ctx, r, b.Of); err != nil {
			return 0, err
		}
	}
	j.log.InfoContext(ctx, "run begun", "request", r.ID, "run", n)
	after, err := record.FoldRequest(r.ID, entries)
	if err != nil {
		return 0, err
	}
	// Who shares a run that is at work gives it no more time.
	if err := j.store.EnsureTime(ctx, r.ID, n); err != nil {
		return 0, err
	}
	if err := j.tasks.Enqueue(ctx, queue.DeadlineOf(r.ID, n), j.config.Deadline); err != nil {
		return 0, err
	}
	if run := after.Run(n); run != nil && run.Event == b.Event {
		if err := j.holdQuota(ctx, after, run); err != nil {
			return 0, err
		}
	}
	return n, j.advance(ctx, after)
}

// cancelAsked stops what somebody wants to be stopped: the runs of a request, or what that
// person last asked for in the thread and has not ended. In a channel that is in any of its
// threads.
func (j *Jobs) cancelAsked(ctx context.Context, e adapters.Event) error {
	why := record.HaltCancelled
	if e.Cancel.Deleted {
		why = record.HaltDeleted
	}
	stop := record.Halted{Why: why, By: e.By.ID, Name: e.By.Name}
	if e.Cancel.On.IsZero() {
		return j.cancelLast(ctx, e, stop)
	}
	of, ok, err := j.store.Recall(ctx, e.Cancel.On)
	if err != nil || !ok {
		return err
	}
	r, err := j.store.Request(ctx, of.Request)
	if err != nil {
		return record.IgnoreUnknown(err)
	}
	if !e.Cancel.Deleted && !j.quota.Allowed(e.By, r.Asked.Event.Thread) {
		return nil
	}
	return ignoreOver(j.cancel(ctx, r.ID, stop))
}

// cancelLast stops what the person of the event last asked for: of somebody else's request
// what they chose.
func (j *Jobs) cancelLast(ctx context.Context, e adapters.Event, stop record.Halted) error {
	requests, err := j.index.Unfinished(ctx, e.By.ID, e.Thread)
	if err != nil || len(requests) == 0 {
		return err
	}
	r := requests[0]
	if r.Asked.Event.By.ID == e.By.ID {
		return ignoreOver(j.cancel(ctx, r.ID, stop))
	}
	for _, run := range slices.Backward(r.Runs) {
		if run.By == e.By.ID && run.Working() {
			return j.halt(ctx, r.ID, run.N, stop)
		}
	}
	return nil
}

func ignoreOver(err error) error {
	if errors.Is(err, ErrOver) {
		return nil
	}
	return record.IgnoreUnknown(err)
}

// Cancel stops every run of a request that has not ended, for the person of that id; "" is
// whoever runs the program. What is done stays done. It fails with [ErrOver] where nothing was
// left to be stopped.
func (j *Jobs) Cancel(ctx context.Context, id, by string) error {
	return j.cancel(ctx, id, record.Halted{Why: record.HaltCancelled, By: by})
}

func (j *Jobs) cancel(ctx context.Context, id string, h record.Halted) error {
	r, err := j.store.Request(ctx, id)
	if err != nil {
		return err
	}
	stopped := false
	for _, run := range r.Runs {
		if !run.Working() && (h.Why != record.HaltDeleted || run.Over || run.Halted != nil) {
			continue
		}
		stopped = true
		if err := j.halt(ctx, id, run.N, h); err != nil {
			return err
		}
	}
	if !stopped {
		return fmt.Errorf("request %s: %w", id, ErrOver)
	}
	return nil
}

// halt ends a run before its time: it is written down, whoever works on it hears of it, and
// it is answered. Whoever does not hear finds it written.
func (j *Jobs) halt(ctx context.Context, id string, n int, h record.Halted) error {
	if _, err := j.store.Logs.Append(ctx, record.RequestLog(id), record.Entry{Run: n, Halted: &h}); err != nil {
		return err
	}
	return j.halted(ctx, id, n, h.Why)
}

// halted tells of a run that was ended before its time.
func (j *Jobs) halted(ctx context.Context, id string, n int, why record.Reason) error {
	hint, err := json.Marshal(record.RunRef{Request: id, Run: n})
	if err != nil {
		return fmt.Errorf("encode a stop: %w", err)
	}
	if err := j.hints.Publish(ctx, queue.Stops, hint); err != nil {
		return fmt.Errorf("tell of a stop: %w", err)
	}
	j.log.InfoContext(ctx, "run stopped", "request", id, "run", n, "why", string(why))
	return j.tasks.Enqueue(ctx, queue.Task{Kind: queue.KindCompose, Request: id, Run: n, Queue: queue.Plan}, 0)
}

// hearStops stops the tasks of this process whose runs were stopped.
func (j *Jobs) hearStops(ctx context.Context) {
	j.hints.Follow(ctx, queue.Stops, func(hint []byte) {
		var of record.RunRef
		requests := []string{}
		if hint == nil { // some were missed: look at everything that runs
			for _, t := range j.running.Of("") {
				requests = append(requests, t.Request)
			}
		} else if err := json.Unmarshal(hint, &of); err == nil {
			requests = append(requests, of.Request)
		}
		slices.Sort(requests)
		for _, id := range slices.Compact(requests) {
			if err := j.stopTasks(ctx, id); err != nil && ctx.Err() == nil {
				j.log.WarnContext(ctx, "a stop could not be looked at", "request", id, "error", plan.ForOperator(err))
			}
		}
	})
}

// stopTasks stops the running tasks of a request that nobody needs any more.
func (j *Jobs) stopTasks(ctx context.Context, id string) error {
	tasks := j.running.Of(id)
	if len(tasks) == 0 {
		return nil
	}
	r, err := j.store.Request(ctx, id)
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
	case queue.KindCompose: // what was being worded is worded anew, without a model
		run := r.Run(t.Run)
		return run == nil || run.Halted == nil || run.Answer != nil
	default:
		return true // the answer is sent in any case
	}
}
