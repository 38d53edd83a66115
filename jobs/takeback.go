package jobs

import (
	"context"
	"errors"
	"slices"

	"atelier/adapters"
	"atelier/agent/plan"
	"atelier/jobs/record"
)

// removed handles a sign removed from an answer: it stops what the sign started, unless others want it too.
func (a *reactions) removed(ctx context.Context, e adapters.Event) error {
	r, run, err := a.target(ctx, e)
	if err != nil || r == nil {
		return err
	}
	switch sign := e.Reaction.Sign; sign {
	case adapters.Choose:
		return a.unchoose(ctx, e, r, run)
	case adapters.Again:
		repeat := r.RepeatOf(e.By.ID)
		if repeat == nil {
			return nil
		}
		return a.stopper.halt(ctx, r.ID, repeat.N, stopBy(e))
	case adapters.Use:
		return a.reworker.unuse(ctx, e, r, run, results(run)...)
	case adapters.Vary, adapters.Larger, adapters.Smaller:
		return a.unrework(ctx, e, r, run, plan.Rework(sign))
	case adapters.Remove, adapters.Good, adapters.Bad, adapters.Try: // done at once, or buttons
	}
	return nil
}

func stopBy(e adapters.Event) record.Halted {
	return record.Halted{Why: record.HaltCancelled, By: e.By.ID, Name: e.By.Name}
}

// unchoose undoes the choice of an offer.
func (a *reactions) unchoose(ctx context.Context, e adapters.Event, r *record.Request, offered *record.Run) error {
	if offered == nil || offered.Answer == nil {
		return nil
	}
	n := chosen(offered.Answer, e.Reaction)
	if n < 0 {
		return nil
	}
	if use := offered.Answer.Offers[n].Use; use != "" {
		return a.reworker.unuse(ctx, e, r, offered, use)
	}
	back := record.TakenBack{Pick: offered.Pick(n), By: e.By.ID}
	run := r.RunOf(back.Pick)
	if run == nil || !run.Working() || !slices.Contains(run.Choosers, e.By.ID) {
		if run = r.TakenBackBy(back); run == nil {
			return nil
		}
		return a.stopper.announce(ctx, r.ID, run.N, record.HaltCancelled) // a repeated event: the first may be half done
	}
	after, err := a.store.Write(ctx, r.ID, record.Entry{TakenBack: &back})
	if errors.Is(err, record.ErrUnknown) {
		return nil
	}
	if err != nil {
		return err
	}
	if run = after.Run(run.N); run.Halted == nil || run.Halted.Why != record.HaltCancelled || run.Over {
		return nil
	}
	return a.stopper.announce(ctx, r.ID, run.N, record.HaltCancelled)
}

// unrework stops the request that a sign started from the results of a run.
func (a *reactions) unrework(ctx context.Context, e adapters.Event, r *record.Request, run *record.Run, how plan.Rework) error {
	root := r
	if act := r.Asked.Act; act != nil {
		var err error
		if root, err = a.store.Request(ctx, act.Root); err != nil {
			return record.IgnoreUnknown(err)
		}
	}
	for _, id := range slices.Backward(root.ActedOnBy) {
		further, err := a.store.Request(ctx, id)
		if errors.Is(err, record.ErrUnknown) {
			continue
		}
		if err != nil {
			return err
		}
		act := further.Asked.Act
		if run != nil && act.How == how && act.Of == (record.RunRef{Request: r.ID, Run: run.N}) && further.Asked.Event.By.ID == e.By.ID {
			return ignoreOver(a.stopper.cancel(ctx, id, stopBy(e)))
		}
	}
	return nil
}

// unuse clears the selection of a run's results, if it is the person's latest.
func (w *reworker) unuse(ctx context.Context, e adapters.Event, r *record.Request, run *record.Run, names ...string) error {
	id := record.ThreadID(r.Asked.Event.Thread)
	t, err := w.store.Thread(ctx, id)
	if err != nil || run == nil {
		return err
	}
	if s := t.Selected(e.By.ID); s == nil || len(s.Resources) == 0 || !slices.Equal(s.Resources, names) {
		return nil
	}
	_, err = w.store.Logs.Append(ctx, record.ThreadLog(id), record.Entry{Selected: &record.Selected{By: e.By.ID}})
	return err
}

// results returns the names of a run's final results.
func results(run *record.Run) (names []string) {
	if run == nil || run.Route == nil {
		return nil
	}
	for _, f := range run.Route.Ends() {
		names = append(names, f.Name)
	}
	return names
}
