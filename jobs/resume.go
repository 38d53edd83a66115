package jobs

import (
	"context"
	"fmt"
	"slices"
	"time"

	"atelier/agent/plan"
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
	if err := j.config.State.DeleteAll(ctx, workersGroup); err != nil {
		return 0, fmt.Errorf("forget dead processes: %w", err)
	}
	ids, err := j.listed(ctx, j.config.Retention)
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
		r, err := j.request(ctx, id)
		switch {
		case ctx.Err() != nil:
			return requests, ctx.Err()
		case err != nil:
			if ignoreUnknown(err) != nil {
				j.log.ErrorContext(ctx, "a request cannot be read, and is not taken up again", "request", id, "error", plan.ForOperator(err))
			}
			continue
		case !slices.ContainsFunc(r.runs, func(run *run) bool { return !run.over }):
			continue
		}
		requests++
		if err := j.resume(ctx, r); err != nil {
			return requests, fmt.Errorf("take up request %s: %w", id, err)
		}
		t, err := j.thread(ctx, ThreadID(r.asked.Event.Thread), -1)
		if err != nil {
			return requests, err
		}
		for _, p := range t.line { // one that was recorded by half is not listed, and would hold up the others
			if !p.left {
				ids = append(ids, p.request)
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

// listed are the requests that were asked within that time, the oldest first. The clock may
// have been ahead by a day.
func (j *Jobs) listed(ctx context.Context, within time.Duration) ([]string, error) {
	const day = 24 * time.Hour
	var ids []string
	now := j.config.Now()
	for age := within + day; age >= -day; age -= day {
		of, err := j.config.State.Read(ctx, dayGroup(now.Add(-age))+recentKey, 0)
		if err != nil {
			return nil, fmt.Errorf("list the requests: %w", err)
		}
		for _, id := range of {
			ids = append(ids, string(id))
		}
	}
	return ids, nil
}

// resume hands over what a request waits for.
func (j *Jobs) resume(ctx context.Context, r *request) error {
	broken, err := j.broken(ctx, r)
	if err != nil {
		return err
	}
	if r, err = j.write(ctx, r.id, entry{Restarted: true}); err != nil {
		return err
	}
	for _, end := range broken {
		if r, err = j.write(ctx, r.id, entry{Ended: &end}); err != nil {
			return err
		}
	}
	for _, run := range r.runs {
		if run.over {
			continue
		}
		if err := j.takeUp(ctx, r, run); err != nil {
			return err
		}
	}
	j.log.InfoContext(ctx, "request taken up again", "request", r.id)
	return j.advanceThread(ctx, ThreadID(r.asked.Event.Thread))
}

// release notes that a step has no end because its process ends, and not the other way
// round.
func (j *Jobs) release(ctx context.Context, w task) error {
	if w.Kind != kindAct && w.Kind != kindWrite {
		return nil
	}
	ctx, stop := context.WithTimeout(context.WithoutCancel(ctx), 3*time.Second)
	defer stop()
	_, err := j.logs.append(ctx, requestLog(w.Request), entry{At: j.config.Now(), Released: &started{w.Run, w.Step, j.id, w.Turn}})
	return err
}

// broken are the ends of steps that were begun so often, and never ended, that the process
// may well have died of them.
func (j *Jobs) broken(ctx context.Context, r *request) ([]stepEnd, error) {
	entries, err := j.logs.read(ctx, requestLog(r.id))
	if err != nil {
		return nil, err
	}
	begun := map[started]int{} // of each turn: a step that was stopped has not broken down
	turn := func(s *started) started { return started{Generation: s.Generation, Step: s.Step, Turn: s.Turn} }
	for _, e := range entries {
		switch {
		case e.Started != nil:
			begun[turn(e.Started)]++
		case e.Released != nil:
			begun[turn(e.Released)]--
		case e.Drafted != nil: // the work on it ended in good order, too
			begun[turn(&e.Drafted.started)]--
		}
	}
	var ends []stepEnd
	for s, n := range begun {
		if g := r.generation(s.Generation); n >= maxBegun && g != nil && g.ended[s.Step].IsZero() {
			ends = append(ends, stepEnd{Generation: s.Generation, Step: s.Step, Result: plan.Result{
				Status: plan.Failed, Problem: j.say(r, plan.Say("It was begun %d times, and each time I broke down over it.", maxBegun)),
			}})
		}
	}
	return ends, nil
}
