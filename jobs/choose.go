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
	return j.another(ctx, r, begun{taken: taken{Of: of, Choice: c}, By: by})
}

// ChooseGuess starts another run of a request, which plans and does a guess of the question that
// one of its runs asked, and gives the run's number. Guesses count from 1.
func (j *Jobs) ChooseGuess(ctx context.Context, id string, of, guess int, by string) (int, error) {
	r, err := j.request(ctx, id)
	if err != nil {
		return 0, err
	}
	run := r.run(of)
	if run == nil || run.answer == nil || guess < 1 || guess > len(run.answer.guesses()) {
		return 0, fmt.Errorf("run %d, guess %d: %w", of, guess, ErrUnknown)
	}
	return j.another(ctx, r, begun{taken: run.offered(guess - 1), By: by})
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
	if shared := before.made(b.taken); b.Once && b.Refused == "" && shared != nil {
		n = shared.n
	}
	if err := j.noteAsker(ctx, r.id, b.By, r.asked.Event.Thread); err != nil {
		return 0, err
	}
	if b.Guess != "" && b.Of != 0 && b.Refused == "" {
		if err := j.settle(ctx, r, b.Of); err != nil {
			return 0, err
		}
	}
	j.log.InfoContext(ctx, "run begun", "request", r.id, "run", n)
	after, err := foldRequest(r.id, entries)
	if err != nil {
		return 0, err
	}
	// Who shares a run that is at work gives it no more time.
	if _, err := j.config.State.PutOnce(ctx, requestTime(r.id, n), []byte{'r'}, j.config.Deadline); err != nil {
		return 0, fmt.Errorf("set the deadline: %w", err)
	}
	if err := j.enqueue(ctx, task{Kind: kindDeadline, Request: r.id, Run: n, queue: QueuePlan}, j.config.Deadline); err != nil {
		return 0, err
	}
	if run := after.run(n); run != nil && run.event == b.Event {
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
	why := haltCancelled
	if e.Cancel.Deleted {
		why = haltDeleted
	}
	stop := halted{Why: why, By: e.By.ID, Name: e.By.Name}
	if e.Cancel.On.IsZero() {
		return j.cancelLast(ctx, e, stop)
	}
	of, ok, err := j.recall(ctx, e.Cancel.On)
	if err != nil || !ok {
		return err
	}
	r, err := j.request(ctx, of.Request)
	if err != nil {
		return ignoreUnknown(err)
	}
	if !e.Cancel.Deleted && !j.quota.Allowed(e.By, r.asked.Event.Thread) {
		return nil
	}
	return ignoreOver(j.cancel(ctx, r.id, stop))
}

// cancelLast stops what the person of the event last asked for: of somebody else's request
// what they chose.
func (j *Jobs) cancelLast(ctx context.Context, e adapters.Event, stop halted) error {
	requests, err := j.unfinished(ctx, e.By.ID, e.Thread)
	if err != nil || len(requests) == 0 {
		return err
	}
	r := requests[0]
	if r.asked.Event.By.ID == e.By.ID {
		return ignoreOver(j.cancel(ctx, r.id, stop))
	}
	for _, run := range slices.Backward(r.runs) {
		if run.by == e.By.ID && run.working() {
			return j.halt(ctx, r.id, run.n, stop)
		}
	}
	return nil
}

func ignoreOver(err error) error {
	if errors.Is(err, ErrOver) {
		return nil
	}
	return ignoreUnknown(err)
}

// Cancel stops every run of a request that has not ended, for the person of that id; "" is
// whoever runs the program. What is done stays done. It fails with [ErrOver] where nothing was
// left to be stopped.
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
	return j.halted(ctx, id, n, h.Why)
}

// halted tells of a run that was ended before its time.
func (j *Jobs) halted(ctx context.Context, id string, n int, why Reason) error {
	hint, err := json.Marshal(answered{id, n})
	if err != nil {
		return fmt.Errorf("encode a stop: %w", err)
	}
	if err := j.config.State.Publish(ctx, stopsTopic, hint); err != nil {
		return fmt.Errorf("tell of a stop: %w", err)
	}
	j.log.InfoContext(ctx, "run stopped", "request", id, "run", n, "why", string(why))
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
	case kindAct, kindWrite:
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
