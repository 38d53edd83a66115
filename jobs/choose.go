package jobs

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"atelier/adapters"
	"atelier/agent/plan"
)

// What people who look for a request are told.
var (
	// ErrUnknown tells that there is no such request, run or way.
	ErrUnknown = errors.New("it is not known here")
	// ErrOver tells that it is too late: the request has ended.
	ErrOver = errors.New("it has ended")
)

// reacted does what a sign on an answer asks for. One on anything else does nothing.
func (j *Jobs) reacted(ctx context.Context, e adapters.Event) error {
	of, ok, err := j.recall(ctx, e.Reaction.On)
	if err != nil || !ok {
		return err
	}
	r, err := j.request(ctx, of.Request)
	if errors.Is(err, ErrUnknown) {
		return nil
	}
	if err != nil {
		return err
	}
	run := r.run(of.Run)
	switch {
	case e.Reaction.Sign == adapters.Again:
		if r.waits() {
			return nil
		}
		again := begun{By: e.By.ID, Event: e.Key()}
		if run != nil && run.choice != nil && r.generations[run.generation].plan != nil { // another way, once more
			again.Of, again.Choice, again.Anew = run.n, run.choice, true
		}
		_, err := j.another(ctx, r, again)
		return err
	case run == nil || run.answer == nil:
		return nil
	case e.Reaction.Sign == adapters.Choose:
		if n := chosen(run.answer, e.Reaction); n >= 0 {
			_, err := j.another(ctx, r, begun{Of: run.n, Choice: run.answer.Offers[n].Choice, By: e.By.ID, Event: e.Key()})
			return err
		}
		return nil
	case e.Reaction.Sign == adapters.Remove:
		return j.remove(ctx, e, r, run)
	}
	return nil
}

// chosen is the index of the offer that a reaction means, -1 if there is none.
func chosen(a *Answer, on *adapters.Reaction) int {
	n := on.Number - 1
	if on.Choice != "" {
		n = slices.IndexFunc(a.Reply.Choices, func(c adapters.Choice) bool { return c.ID == on.Choice })
	}
	if n < 0 || n >= len(a.Offers) {
		return -1
	}
	return n
}

// remove takes an answer back, for the one who asked and for admins.
func (j *Jobs) remove(ctx context.Context, e adapters.Event, r *request, run *run) error {
	deleter, ok := j.adapters[r.asked.Event.Thread.Adapter].(adapters.Deleter)
	if !ok || run.sent == nil || run.sent.Ref.IsZero() || e.By.ID != r.asked.Event.By.ID && !e.By.Admin {
		return nil
	}
	if err := deleter.Delete(ctx, run.sent.Ref); err != nil && !adapters.Final(err) {
		return fmt.Errorf("delete an answer: %w", err)
	}
	return nil
}

// unreacted stops the run that a reaction began, if it has not ended: the one who chose has
// thought better of it.
func (j *Jobs) unreacted(ctx context.Context, e adapters.Event) error {
	of, ok, err := j.recall(ctx, e.Reaction.On)
	if err != nil || !ok || e.Reaction.Sign != adapters.Choose {
		return err
	}
	r, err := j.request(ctx, of.Request)
	if err != nil {
		return ignoreUnknown(err)
	}
	offered := r.run(of.Run)
	if offered == nil || offered.answer == nil {
		return nil
	}
	n := chosen(offered.answer, e.Reaction)
	if n < 0 {
		return nil
	}
	for _, run := range slices.Backward(r.runs) {
		if slices.Equal(run.choice, offered.answer.Offers[n].Choice) {
			if run.by != e.By.ID || !run.working() {
				return nil
			}
			return j.halt(ctx, r.id, run.n, halted{Why: haltCancelled, By: e.By.ID})
		}
	}
	return nil
}

func ignoreUnknown(err error) error {
	if errors.Is(err, ErrUnknown) {
		return nil
	}
	return err
}

// Choose starts another run of a request, which takes that choice of the plan of one of its
// runs, and gives the run's number. What both have in common is not done again.
func (j *Jobs) Choose(ctx context.Context, id string, of int, c plan.Choice, by string) (int, error) {
	r, err := j.request(ctx, id)
	if err != nil {
		return 0, err
	}
	run := r.run(of)
	if run == nil || r.generations[run.generation].plan == nil {
		return 0, fmt.Errorf("run %d: %w", of, ErrUnknown)
	}
	if _, err := plan.NewRoute(r.generations[run.generation].plan, c); err != nil {
		return 0, fmt.Errorf("choose: %w", err)
	}
	return j.another(ctx, r, begun{Of: of, Choice: c, By: by})
}

// Again starts a run of a request that plans and computes everything anew, and gives the
// run's number.
func (j *Jobs) Again(ctx context.Context, id, by string) (int, error) {
	r, err := j.request(ctx, id)
	if err != nil {
		return 0, err
	}
	if r.waits() {
		return 0, fmt.Errorf("the request has not begun: %w", ErrUnknown)
	}
	return j.another(ctx, r, begun{By: by})
}

// another starts a further run, beside whatever runs, and gives its number.
func (j *Jobs) another(ctx context.Context, r *request, b begun) (int, error) {
	at, err := j.logs.append(ctx, requestLog(r.id), entry{At: j.config.Now(), Begun: &b})
	if err != nil {
		return 0, err
	}
	entries, err := j.logs.read(ctx, requestLog(r.id))
	if err != nil {
		return 0, err
	}
	before, err := foldRequest(r.id, entries[:min(at+1, len(entries))])
	if err != nil {
		return 0, err
	}
	n := len(before.runs)
	for _, run := range before.runs { // the event may have come before
		if b.Event != "" && run.event == b.Event {
			n = run.n
		}
	}
	j.log.InfoContext(ctx, "run begun", "request", r.id, "run", n)
	after, err := foldRequest(r.id, entries)
	if err != nil {
		return 0, err
	}
	if err := j.config.State.Put(ctx, requestTime(r.id, n), []byte{'r'}, j.config.Deadline); err != nil {
		return 0, fmt.Errorf("set the deadline: %w", err)
	}
	if err := j.enqueue(ctx, task{Kind: kindDeadline, Request: r.id, Run: n, queue: QueuePlan}, j.config.Deadline); err != nil {
		return 0, err
	}
	return n, j.advance(ctx, after)
}

// cancelAsked stops what somebody wants to be stopped: the runs of a request, or what that
// person last asked for in the thread.
func (j *Jobs) cancelAsked(ctx context.Context, e adapters.Event) error {
	why := haltCancelled
	if e.Cancel.Deleted {
		why = haltDeleted
	}
	if e.Cancel.On.IsZero() {
		t, err := j.thread(ctx, ThreadID(e.Thread), -1)
		if err != nil {
			return err
		}
		for _, p := range slices.Backward(t.line) {
			if p.by == e.By.ID {
				return ignoreOver(j.cancel(ctx, p.request, halted{Why: why, By: e.By.ID}))
			}
		}
		return nil
	}
	of, ok, err := j.recall(ctx, e.Cancel.On)
	if err != nil || !ok {
		return err
	}
	return ignoreOver(j.cancel(ctx, of.Request, halted{Why: why, By: e.By.ID}))
}

func ignoreOver(err error) error {
	if errors.Is(err, ErrOver) {
		return nil
	}
	return ignoreUnknown(err)
}

// Cancel stops every run of a request that has not ended. What is done stays done. It
// fails with [ErrOver] where nothing was left to be stopped.
func (j *Jobs) Cancel(ctx context.Context, id, by string) error {
	return j.cancel(ctx, id, halted{Why: haltCancelled, By: by})
}

func (j *Jobs) cancel(ctx context.Context, id string, h halted) error {
	r, err := j.request(ctx, id)
	if err != nil {
		return err
	}
	stopped := false
	for _, run := range r.runs {
		if !run.working() && (h.Why != haltDeleted || run.over || run.halted != nil) {
			continue
		}
		stopped = true
		if err := j.halt(ctx, id, run.n, h); err != nil {
			return err
		}
	}
	if !stopped {
		return fmt.Errorf("request %s: %w", id, ErrOver)
	}
	return nil
}

// stopsTopic is where all processes hear what is to be stopped.
const stopsTopic = "stops"

// halt ends a run before its time: it is written down, whoever works on it hears of it, and
// it is answered. Whoever does not hear finds it written.
func (j *Jobs) halt(ctx context.Context, id string, n int, h halted) error {
	if _, err := j.logs.append(ctx, requestLog(id), entry{At: j.config.Now(), Run: n, Halted: &h}); err != nil {
		return err
	}
	hint, err := json.Marshal(answered{id, n})
	if err != nil {
		return fmt.Errorf("encode a stop: %w", err)
	}
	if err := j.config.State.Publish(ctx, stopsTopic, hint); err != nil {
		return fmt.Errorf("tell of a stop: %w", err)
	}
	j.log.InfoContext(ctx, "run stopped", "request", id, "run", n, "why", string(h.Why))
	return j.enqueue(ctx, task{Kind: kindCompose, Request: id, Run: n, queue: QueuePlan}, 0)
}

// hearStops stops the tasks of this process whose runs were stopped.
func (j *Jobs) hearStops(ctx context.Context) {
	j.follow(ctx, stopsTopic, func(hint []byte) {
		var of answered
		requests := []string{}
		if hint == nil { // some were missed: look at everything that runs
			for _, t := range j.active.of("") {
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
	tasks := j.active.of(id)
	if len(tasks) == 0 {
		return nil
	}
	r, err := j.request(ctx, id)
	if ignoreUnknown(err) != nil {
		return err
	}
	for _, t := range tasks {
		if err != nil || !r.wants(t.task) { // forgotten, or stopped
			t.stop(errStopped)
		}
	}
	return nil
}

// wants tells whether a task is still worth doing.
func (r *request) wants(t task) bool {
	switch t.Kind {
	case kindAct:
		return r.needs(t.Run, t.Step)
	case kindFetch:
		return slices.ContainsFunc(r.runs, (*run).working)
	case kindPlan:
		run := r.run(t.Run)
		return run != nil && run.working()
	case kindCompose: // what was being worded is worded anew, without a model
		run := r.run(t.Run)
		return run == nil || run.halted == nil || run.answer != nil
	default:
		return true // the answer is sent in any case
	}
}
