package queue

import (
	"context"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"time"

	"atelier/agent/sleep"

	"atelier/agent/plan"
	"atelier/jobs/record"
	"atelier/storage"
)

// Recovery resumes lost requests: by a patrol while processes run, and at the start of a process
// that does not share State.
type Recovery struct {
	State   storage.State
	Store   *record.Store
	Index   *record.Index
	Tasks   *Tasks
	Workers *Workers
	// Self is the id of this process.
	Self string
	// Due returns the tasks of a run that can run now.
	Due func(ctx context.Context, r *record.Request, run *record.Run) []Task
	// NextInThread begins the next request of a thread.
	NextInThread func(ctx context.Context, thread string) error
	// Say translates a sentence into the language of a request.
	Say func(r *record.Request, m plan.Message) string
	// Deadline is the maximum duration of a run, and Retention how long a request is kept.
	Deadline, Retention time.Duration
	Log                 *slog.Logger
}

const (
	// patrolEvery is the interval of patrols, one process at a time.
	patrolEvery = 5 * time.Minute
	// patrolled is the maximum age of requests that the patrol checks.
	patrolled = 7 * 24 * time.Hour
)

// Patrol resumes lost runs until ctx ends, every five minutes in one of the processes. A run is lost if
// its process died while recording the request, or if the queues lost its tasks.
func (y *Recovery) Patrol(ctx context.Context) {
	over := map[string]int{}
	for ctx.Err() == nil {
		if err := y.PatrolOnce(ctx, over); err != nil && ctx.Err() == nil {
			y.Log.WarnContext(ctx, "cannot look for lost requests", "error", plan.ForOperator(err))
		}
		if sleep.For(ctx, patrolEvery/5) != nil {
			return
		}
	}
}

// PatrolOnce patrols once, if it is this process's turn. Over maps the requests that had ended at the
// last patrol to the sizes of their logs, so that they are not read again.
func (y *Recovery) PatrolOnce(ctx context.Context, over map[string]int) error {
	mine, err := y.State.PutOnce(ctx, record.WorkersGroup+"-patrol/turn", []byte(y.Self), patrolEvery)
	if err != nil || !mine {
		return err
	}
	ids, err := y.Index.Within(ctx, patrolled)
	if err != nil {
		return err
	}
	before := maps.Clone(over)
	clear(over)
	for _, id := range ids {
		size, err := y.lookAfter(ctx, id, before[id])
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case err != nil: // do not hold up the others
			y.Log.WarnContext(ctx, "cannot check a request", "request", id, "error", plan.ForOperator(err))
		case size > 0:
			over[id] = size
		}
	}
	return nil
}

// Resume enqueues the pending tasks of all requests that have not ended, and returns the number of
// requests. It is for a process that does not share State and whose queues were lost with the previous
// process. Call it once, before any task runs or is enqueued.
//
// A request keeps its deadline, unless that passed while no process ran: then it gets a new one. A
// request that cannot be read is logged and left as it is.
func (y *Recovery) Resume(ctx context.Context) (requests int, err error) {
	// No other process uses this State: the workers in it are dead.
	if err := y.Workers.removeAll(ctx); err != nil {
		return 0, err
	}
	ids, err := y.Index.Within(ctx, y.Retention)
	if err != nil {
		return 0, err
	}
	seen := map[string]bool{}
	for len(ids) > 0 {
		id := ids[0]
		if ids = ids[1:]; seen[id] {
			continue
		}
		seen[id] = true
		r, err := y.Store.Request(ctx, id)
		switch {
		case ctx.Err() != nil:
			return requests, ctx.Err()
		case err != nil:
			if record.IgnoreUnknown(err) != nil {
				y.Log.ErrorContext(ctx, "cannot read a request: it is not resumed", "request", id, "error", plan.ForOperator(err))
			}
			continue
		case !slices.ContainsFunc(r.Runs, func(run *record.Run) bool { return !run.Over }):
			continue
		}
		requests++
		if err := y.resume(ctx, r); err != nil {
			return requests, fmt.Errorf("resume request %s: %w", id, err)
		}
		t, err := y.Store.Thread(ctx, record.ThreadID(r.Asked.Event.Thread))
		if err != nil {
			return requests, err
		}
		for _, p := range t.Line { // a half-recorded request is not in the index, but would hold up the others
			if !p.Left {
				ids = append(ids, p.Request)
			}
		}
	}
	if s, ok := y.State.(storage.Syncer); ok && requests > 0 {
		if err := s.Sync(ctx); err != nil {
			return requests, fmt.Errorf("record the resumed requests: %w", err)
		}
	}
	return requests, nil
}

// lookAfter resumes the lost runs of a request. If the request has ended, it returns the size of its log,
// otherwise 0. Over is the size returned before.
func (y *Recovery) lookAfter(ctx context.Context, id string, over int) (int, error) {
	if over > 0 {
		more, err := y.State.Read(ctx, record.RequestLog(id), int64(over))
		if err != nil {
			return 0, fmt.Errorf("look for another run: %w", err)
		}
		if len(more) == 0 {
			return over, nil
		}
	}
	r, err := y.Store.Request(ctx, id)
	if err != nil {
		return 0, record.IgnoreUnknown(err)
	}
	over = len(r.Entries)
	for _, run := range r.Runs {
		if run.Over {
			continue
		}
		over = 0
		hasTime, err := y.Store.HasTime(ctx, id, run.N)
		if err == nil && !hasTime {
			err = y.close(ctx, r, run)
		}
		if err != nil {
			return 0, err
		}
	}
	return over, nil
}

// close closes a run that exceeded its deadline through the deadline's task. If that task is lost too, the
// run gets a new deadline and continues.
func (y *Recovery) close(ctx context.Context, r *record.Request, run *record.Run) error {
	deadline := DeadlineOf(r.ID, run.N)
	has, err := y.Tasks.has(deadline)
	switch {
	case err != nil:
		return err
	case has:
		return y.Tasks.Revive(ctx, deadline)
	}
	y.Log.WarnContext(ctx, "a lost run is resumed", "request", r.ID, "run", run.N)
	if err := y.takeUp(ctx, r, run); err != nil {
		return err
	}
	thread := record.ThreadID(r.Asked.Event.Thread)
	y.Store.Logs.Drop(record.ThreadLog(thread)) // forget which tasks were enqueued: they may be lost
	return y.NextInThread(ctx, thread)
}

// maxBegun is how many processes may die while running a step before the step is given up.
const maxBegun = 5

// takeUp enqueues the pending tasks of a run. The run keeps its deadline, or gets a new one if that has
// passed.
func (y *Recovery) takeUp(ctx context.Context, r *record.Request, run *record.Run) error {
	if err := y.Store.EnsureTime(ctx, r.ID, run.N); err != nil {
		return err
	}
	// The task checks the deadline itself, which may pass at any moment.
	if err := y.Tasks.Enqueue(ctx, DeadlineOf(r.ID, run.N), min(y.Deadline, time.Minute)); err != nil {
		return err
	}
	tasks := []Task{SendOf(r.ID, run.N, r.Asked.Event.Thread.Adapter)}
	if run.Answer == nil {
		tasks = y.Due(ctx, r, run)
	}
	for _, t := range tasks {
		if err := y.Tasks.Revive(ctx, t); err != nil {
			return err
		}
	}
	return nil
}

// resume enqueues the pending tasks of a request.
func (y *Recovery) resume(ctx context.Context, r *record.Request) error {
	broken, err := y.broken(ctx, r)
	if err != nil {
		return err
	}
	if r, err = y.Store.Write(ctx, r.ID, record.Entry{Restarted: true}); err != nil {
		return err
	}
	for _, end := range broken {
		if r, err = y.Store.Write(ctx, r.ID, record.Entry{Ended: &end}); err != nil {
			return err
		}
	}
	for _, run := range r.Runs {
		if run.Over {
			continue
		}
		if err := y.takeUp(ctx, r, run); err != nil {
			return err
		}
	}
	y.Log.InfoContext(ctx, "request resumed", "request", r.ID)
	return y.NextInThread(ctx, record.ThreadID(r.Asked.Event.Thread))
}

// broken returns failures for steps that were started so often without ending that they have probably
// killed their processes.
func (y *Recovery) broken(ctx context.Context, r *record.Request) ([]record.StepEnd, error) {
	entries, err := y.Store.Logs.Read(ctx, record.RequestLog(r.ID))
	if err != nil {
		return nil, err
	}
	begun := map[record.StepTurn]int{} // per turn, since stopped steps did not crash
	turn := func(s *record.StepTurn) record.StepTurn {
		return record.StepTurn{Generation: s.Generation, Step: s.Step, Turn: s.Turn}
	}
	for _, e := range entries {
		switch {
		case e.Started != nil:
			begun[turn(e.Started)]++
		case e.Released != nil:
			begun[turn(e.Released)]--
		case e.Drafted != nil: // this attempt did not crash either
			begun[turn(&e.Drafted.StepTurn)]--
		}
	}
	var ends []record.StepEnd
	for s, n := range begun {
		if g := r.Generation(s.Generation); n >= maxBegun && g != nil && g.Ended[s.Step].IsZero() {
			problem := y.Say(r, plan.Say("I started this %d times and crashed every time, so I gave up.", maxBegun))
			ends = append(ends, record.StepEnd{Generation: s.Generation, Step: s.Step, Result: plan.Result{Status: plan.Failed, Problem: problem}})
		}
	}
	return ends, nil
}
