package solve

import (
	"context"
	"fmt"
	"slices"

	"atelier/agent/plan"
	"atelier/agent/solve/bind"
	"atelier/agent/toolgraph"
)

// search finds the solutions of each subtask, in order, since a later subtask may use intermediate
// results of an earlier one.
func (w *work) search(ctx context.Context) error {
	w.config.Progress(w.request.ID, plan.Searching)
	for i, t := range w.tasks {
		if err := w.giveSeveral(ctx, i); err != nil {
			return err
		}
		for _, before := range ancestors(w.subtasks(i+1), i) {
			t.query.Made = append(t.query.Made, w.tasks[before].byTheWay()...)
		}
		found, err := w.graph.Search(ctx, t.query, t.score, w.config.Strategy)
		if given := once(t.query.Given); err == nil && len(found.Solutions) == 0 && len(given) < len(t.query.Given) {
			t.query.Given = given // no tool takes it several times
			found, err = w.graph.Search(ctx, t.query, t.score, w.config.Strategy)
		}
		if err != nil {
			return fmt.Errorf("search for subtask %d: %w", i+1, err)
		}
		w.visited += found.Visited
		t.Solutions = t.unpadded(w.complete(t, found.Solutions))
		if w.config.AllTools || len(t.Solutions) > 0 && t.sure(t.Solutions[0]) {
			continue
		}
		all, err := w.whole.Search(ctx, t.query, t.score, w.config.Strategy)
		if err != nil {
			return fmt.Errorf("search for subtask %d in the whole catalogue: %w", i+1, err)
		}
		w.visited += all.Visited
		for _, s := range w.complete(t, all.Solutions) {
			if slices.ContainsFunc(s.Tools(), func(name string) bool { return !w.runs(name) }) {
				t.rivals = append(t.rivals, s)
			}
		}
		t.dropStrays()
	}
	return nil
}

// unpadded drops the solutions that take the steps of a shorter one whose tools all suit the subtask best, and add steps
// with tools that do not. There is no need to rank those.
func (t *task) unpadded(all []plan.Solution) []plan.Solution {
	best := func(name string) bool { return t.score(name) >= plan.Best }
	pads := func(long, short plan.Solution) bool {
		rest := long.Tools()
		for _, name := range short.Tools() {
			at := slices.Index(rest, name)
			if at < 0 || !best(name) {
				return false
			}
			rest = slices.Delete(slices.Clone(rest), at, at+1)
		}
		return len(rest) > 0 && !slices.ContainsFunc(rest, best) && len(short.Left) <= len(long.Left)
	}
	return slices.DeleteFunc(slices.Clone(all), func(s plan.Solution) bool {
		return slices.ContainsFunc(all, func(o plan.Solution) bool { return pads(s, o) })
	})
}

// dropStrays drops the runnable solutions if each has a tool that is not related to the subtask, and one that cannot run
// suits it. Ranking them would change nothing.
func (t *task) dropStrays() {
	related := func(s plan.Solution) bool {
		return !slices.ContainsFunc(s.Tools(), func(name string) bool { return t.score(name) <= plan.Worst })
	}
	if slices.ContainsFunc(t.rivals, t.sure) && !slices.ContainsFunc(t.Solutions, related) {
		t.Solutions = nil
	}
}

// complete binds the settings of the request in the solutions found.
func (w *work) complete(t *task, found []plan.Solution) []plan.Solution {
	marked := func(g toolgraph.Given) bool { return g.With.Kind != plan.Blank }
	if t.Subtask.Decided {
		found = slices.DeleteFunc(found, func(s plan.Solution) bool { return !slices.Equal(s.Tools(), []string{t.Subtask.Tool}) })
	}
	return w.binder.Complete(bind.Task{
		Subtask: t.Subtask, Candidates: t.candidates, Score: t.score, Marked: slices.ContainsFunc(t.query.Given, marked),
	}, unnumbered(found))
}

// sure reports whether every tool of the solution suits the subtask, so that tools that cannot run
// need not be considered.
func (t *task) sure(s plan.Solution) bool {
	for _, name := range s.Tools() {
		if t.score(name) < plan.Good {
			return false
		}
	}
	return true
}

// byTheWay returns the intermediate results of the subtask's best solution, each as the shortest
// chain of actions that makes it, so that one caption can serve two subtasks. It omits those that
// depend on a blank, which is undecided.
func (t *task) byTheWay() []plan.Solution {
	if len(t.Solutions) == 0 {
		return nil
	}
	var chains []plan.Solution
	for last := range len(t.Solutions[0].Actions) - 1 {
		chain := t.Solutions[0].Chain(last)
		if len(chain.Blanks()) == 0 {
			chains = append(chains, chain)
		}
	}
	return chains
}
