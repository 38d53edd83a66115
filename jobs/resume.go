package jobs

import (
	"context"
	"fmt"
	"slices"
	"time"

	"atelier/agent/plan"
	"atelier/jobs/record"
	"atelier/storage"
)

// maxBegun is how often a step is begun by processes that end before it, and do not say
// that they end: one that takes the whole process with it each time is given up.
const maxBegun = 5

// Resume hands over again what the requests that have not ended wait for, and tells how
// many those are. It is for a process that has the State for itself and whose queues ended
// with the process before it: it is called once, before Run, and before anything is handed
// in.
//
// A request keeps what it has left of its time; one whose time ran out while no process
// ran begins it anew. A request that cannot be read is left as it is, and logged.
func (j *Jobs) Resume(ctx context.Context) (requests int, err error) {
	// Nobody else has this State: whoever said that they live are dead.
	if err := j.config.State.DeleteAll(ctx, record.WorkersGroup); err != nil {
		return 0, fmt.Errorf("forget dead processes: %w", err)
	}
	ids, err := j.index.Within(ctx, j.config.Retention)
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
		r, err := j.store.Request(ctx, id)
		switch {
		case ctx.Err() != nil:
			return requests, ctx.Err()
		case err != nil:
			if record.IgnoreUnknown(err) != nil {
				j.log.ErrorContext(ctx, "a request cannot be read, and is not taken up again", "request", id, "error", plan.ForOperator(err))
			}
			continue
		case !slices.ContainsFunc(r.Runs, func(run *record.Run) bool { return !run.Over }):
			continue
		}
		requests++
		if err := j.resume(ctx, r); err != nil {
			return requests, fmt.Errorf("take up request %s: %w", id, err)
		}
		t, err := j.store.Thread(ctx, record.ThreadID(r.Asked.Event.Thread))
		if err != nil {
			return requests, err
		}
		for _, p := range t.Line { // one that was recorded by half is not listed, and would hold up the others
			if !p.Left {
				ids = append(ids, p.Request)
			}
		}
	}
	if s, ok := j.config.State.(storage.Syncer); ok && requests > 0 {
		if err := s.Sync(ctx); err != nil {
			return requests, fmt.Errorf("record what was taken up: %w", err)
		}
	}
	return requests, nil
}

// resume hands over what a request waits for.
func (j *Jobs) resume(ctx context.Context, r *record.Request) error {
	broken, err := j.broken(ctx, r)
	if err != nil {
		return err
	}
	if r, err = j.store.Write(ctx, r.ID, record.Entry{Restarted: true}); err != nil {
		return err
	}
	for _, end := range broken {
		if r, err = j.store.Write(ctx, r.ID, record.Entry{Ended: &end}); err != nil {
			return err
		}
	}
	for _, run := range r.Runs {
		if run.Over {
			continue
		}
		if err := j.takeUp(ctx, r, run); err != nil {
			return err
		}
	}
	j.log.InfoContext(ctx, "request taken up again", "request", r.ID)
	return j.advanceThread(ctx, record.ThreadID(r.Asked.Event.Thread))
}

// release notes that a step has no end because its process ends, and not the other way
// round.
func (j *Jobs) release(ctx context.Context, w task) error {
	if w.Kind != kindAct && w.Kind != kindWrite {
		return nil
	}
	ctx, stop := context.WithTimeout(context.WithoutCancel(ctx), 3*time.Second)
	defer stop()
	_, err := j.store.Logs.Append(ctx, record.RequestLog(w.Request), record.Entry{Released: &record.Started{Generation: w.Run, Step: w.Step, Worker: j.id, Turn: w.Turn}})
	return err
}

// broken are the ends of steps that were begun so often, and never ended, that the process
// may well have died of them.
func (j *Jobs) broken(ctx context.Context, r *record.Request) ([]record.StepEnd, error) {
	entries, err := j.store.Logs.Read(ctx, record.RequestLog(r.ID))
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
		case e.Drafted != nil: // the work on it ended in good order, too
			begun[turn(&e.Drafted.Started)]--
		}
	}
	var ends []record.StepEnd
	for s, n := range begun {
		if g := r.Generation(s.Generation); n >= maxBegun && g != nil && g.Ended[s.Step].IsZero() {
			ends = append(ends, record.StepEnd{Generation: s.Generation, Step: s.Step, Result: plan.Result{
				Status: plan.Failed, Problem: j.say(r, plan.Say("It was begun %d times, and each time I broke down over it.", maxBegun)),
			}})
		}
	}
	return ends, nil
}
