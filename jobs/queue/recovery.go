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

// Recovery takes up requests that were lost: by a patrol while processes run, and at the start
// of a process that has the State for itself.
type Recovery struct {
	State   storage.State
	Store   *record.Store
	Index   *record.Index
	Tasks   *Tasks
	Workers *Workers
	// Self is the id of this process.
	Self string
	// Due returns the tasks of a run that can be done now.
	Due func(ctx context.Context, r *record.Request, run *record.Run) []Task
	// NextInThread begins the next request of a thread.
	NextInThread func(ctx context.Context, thread string) error
	// Say says a sentence in the language of a request.
	Say func(r *record.Request, m plan.Message) string
	// Deadline is how long a run may take, and Retention how long a request is kept.
	Deadline, Retention time.Duration
	Log                 *slog.Logger
}

const (
	// patrolEvery is how often one of all processes patrols.
	patrolEvery = 5 * time.Minute
	// patrolled is for how long the patrol looks after a request, from when it was asked.
	patrolled = 7 * 24 * time.Hour
)

// Patrol takes up lost runs, every five minutes by one of all processes: those of a request
// that was recorded by half when its process died, or whose tasks the queues have lost.
func (y *Recovery) Patrol(ctx context.Context) {
	over := map[string]int{}
	for ctx.Err() == nil {
		if err := y.PatrolOnce(ctx, over); err != nil && ctx.Err() == nil {
			y.Log.WarnContext(ctx, "lost requests could not be looked for", "error", plan.ForOperator(err))
		}
		if sleep.For(ctx, patrolEvery/5) != nil {
			return
		}
	}
}

// PatrolOnce patrols once, if it is this process's turn. Over are the requests that had ended
// at the last patrol, with the sizes of their logs: they are not read again.
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
		case err != nil: // it does not hold up the others
			y.Log.WarnContext(ctx, "a request could not be looked after", "request", id, "error", plan.ForOperator(err))
		case size > 0:
			over[id] = size
		}
	}
	return nil
}

// Resume enqueues again what the requests that have not ended wait for, and returns their
// number. It is for a process that has the State for itself and whose queues ended with the
// process before it: it is called once, before any task runs or is enqueued.
//
// A request keeps what is left of its time; if its time ran out while no process ran, it gets
// its full time. A request that cannot be read is left as it is, and logged.
func (y *Recovery) Resume(ctx context.Context) (requests int, err error) {
	// No other process has this State: the workers in it are dead.
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
				y.Log.ErrorContext(ctx, "a request cannot be read, and is not taken up again", "request", id, "error", plan.ForOperator(err))
			}
			continue
		case !slices.ContainsFunc(r.Runs, func(run *record.Run) bool { return !run.Over }):
			continue
		}
		requests++
		if err := y.resume(ctx, r); err != nil {
			return requests, fmt.Errorf("take up request %s: %w", id, err)
		}
		t, err := y.Store.Thread(ctx, record.ThreadID(r.Asked.Event.Thread))
		if err != nil {
			return requests, err
		}
		for _, p := range t.Line { // one that was recorded by half is not listed, and would hold up the others
			if !p.Left {
				ids = append(ids, p.Request)
			}
		}
	}
	if s, ok := y.State.(storage.Syncer); ok && requests > 0 {
		if err := s.Sync(ctx); err != nil {
			return requests, fmt.Errorf("record what was taken up: %w", err)
		}
	}
	return requests, nil
}

// lookAfter takes up the lost runs of a request. It returns the size of the log of a request
// that has ended, as it may have been known before, and 0 of any other.
func (y *Recovery) lookAfter(ctx context.Context, id string, over int) (int, error) {
	if over > 0 {
		more, err := y.State.Read(ctx, record.RequestLog(id), int64(over))
		if err != nil {
			return 0, fmt.Errorf("look for a further run: %w", err)
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

// close closes a run whose time is up, by its deadline. If even its deadline is lost, the run
// never had its time and goes on.
func (y *Recovery) close(ctx context.Context, r *record.Request, run *record.Run) error {
	deadline := DeadlineOf(r.ID, run.N)
	has, err := y.Tasks.has(deadline)
	switch {
	case err != nil:
		return err
	case has:
		return y.Tasks.Revive(ctx, deadline)
	}
	y.Log.WarnContext(ctx, "a run was lost and is taken up again", "request", r.ID, "run", run.N)
	if err := y.takeUp(ctx, r, run); err != nil {
		return err
	}
	thread := record.ThreadID(r.Asked.Event.Thread)
	y.Store.Logs.Drop(record.ThreadLog(thread)) // what was enqueued may be lost
	return y.NextInThread(ctx, thread)
}

// maxBegun is how often a step is begun by processes that die during it. A step that kills its
// process every time is given up.
const maxBegun = 5

// takeUp enqueues again what a run waits for. It keeps what is left of its time, or gets its
// full time.
func (y *Recovery) takeUp(ctx context.Context, r *record.Request, run *record.Run) error {
	if err := y.Store.EnsureTime(ctx, r.ID, run.N); err != nil {
		return err
	}
	// The time may be up at any moment: the deadline looks for itself.
	if err := y.Tasks.Enqueue(ctx, DeadlineOf(r.ID, run.N), min(y.Deadline, time.Minute)); err != nil {
		return err
	}
	tasks := []Task{{Kind: KindSend, Request: r.ID, Run: run.N, Queue: OfAdapter(r.Asked.Event.Thread.Adapter)}}
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

// resume enqueues what a request waits for.
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
	y.Log.InfoContext(ctx, "request taken up again", "request", r.ID)
	return y.NextInThread(ctx, record.ThreadID(r.Asked.Event.Thread))
}

// broken returns failures for the steps that were begun so often without an end that they may
// well have killed their processes.
func (y *Recovery) broken(ctx context.Context, r *record.Request) ([]record.StepEnd, error) {
	entries, err := y.Store.Logs.Read(ctx, record.RequestLog(r.ID))
	if err != nil {
		return nil, err
	}
	begun := map[record.Started]int{} // of each turn: a step that was stopped has not broken down
	turn := func(s *record.Started) record.Started {
		return record.Started{Generation: s.Generation, Step: s.Step, Turn: s.Turn}
	}
	for _, e := range entries {
		switch {
		case e.Started != nil:
			begun[turn(e.Started)]++
		case e.Released != nil:
			begun[turn(e.Released)]--
		case e.Drafted != nil: // the work on it ended properly, too
			begun[turn(&e.Drafted.Started)]--
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
