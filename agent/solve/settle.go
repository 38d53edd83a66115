package solve

import (
	"context"
	"fmt"
	"slices"

	"atelier/agent/plan"
	"atelier/agent/planner"
	"atelier/agent/solve/pick"
)

// settlement is the way of one request through settling, from solutions that were found to a plan.
type settlement struct {
	*work

	picker   *pick.Picker
	ranking  plan.Ranking
	question string
}

// settle has all solutions of all subtasks ranked and completed in one round, and
// keeps the good ones. A subtask with one solution that leaves nothing open is settled
// already, and so is one that nothing here can do: how its rivals rank among themselves
// changes nothing that could be done.
func (st *settlement) settle(ctx context.Context) error {
	var open []*task
	var ask []planner.Contest
	for i, t := range st.tasks {
		st.picker.Obey(&t.Task)
		all := slices.Concat(t.Solutions, t.rivals)
		models := st.picker.Models(t.Solutions)
		if len(t.Solutions) == 0 || len(all) == 1 && st.forced(all[0]) && len(models) == 0 {
			continue
		}
		open = append(open, t)
		ask = append(ask, planner.Contest{Subtask: t.Subtask, Earlier: st.subtasks(i), Solutions: all, Scores: t.scores, Models: models})
	}
	if len(ask) > 0 {
		st.config.Progress(st.request.ID, plan.Settling)
		settled, err := st.config.Planner.Settle(ctx, st.request, ask, st.thinking)
		if err != nil {
			return fmt.Errorf("settle the solutions: %w", err)
		}
		if len(settled) != len(ask) {
			return fmt.Errorf("settle the solutions: %d answers to %d subtasks", len(settled), len(ask))
		}
		for i, t := range open {
			if err := t.take(settled[i].Solutions, ask[i].Models); err != nil {
				return fmt.Errorf("settle the solutions: %w", err)
			}
			st.ranking.Add(ranked(settled[i].Solutions))
		}
	}
	for _, t := range st.tasks {
		st.choose(t)
	}
	st.askUnread()
	st.picker.Finish()
	return nil
}

// ranked counts the solutions of a subtask that were ranked.
func ranked(solutions []plan.Solution) plan.Ranking {
	r := plan.Ranking{Subtasks: 1, Solutions: len(solutions)}
	for _, s := range solutions {
		if s.Score >= plan.Good {
			r.Good++
		}
	}
	if r.Good > 1 {
		r.Several++
	}
	return r
}

// forced reports whether nothing of a solution is left to decide: each argument has its
// source, and none is a text, which may have to be put as its tool means it. An optional
// one may be told by the request, but for settings: those were read from it.
func (st *settlement) forced(s plan.Solution) bool {
	for _, a := range s.Actions {
		tool, _ := st.tool(a.Tool)
		for _, b := range a.Args {
			_, setting := tool.Param(b.Arg)
			decided := setting && (b.Optional || b.Source.Kind != plan.Blank)
			if !decided && (b.Source.Kind == plan.Blank || b.Type == plan.Text) {
				return false
			}
		}
	}
	return true
}

// take takes over what the planner settled: scores, candidates and filled blanks. What it
// must not change is checked, not trusted.
func (t *task) take(settled []plan.Solution, models map[string][]planner.Model) error {
	if len(settled) != len(t.Solutions)+len(t.rivals) {
		return fmt.Errorf("%d solutions came back of %d", len(settled), len(t.Solutions)+len(t.rivals))
	}
	for i := range settled {
		before := &t.Solutions
		at := i
		if i >= len(t.Solutions) {
			before, at = &t.rivals, i-len(t.Solutions)
		}
		if was := (*before)[at]; !slices.Equal(was.Tools(), settled[i].Tools()) {
			return fmt.Errorf("solution %d came back as %v, it was %v", i+1, settled[i].Tools(), was.Tools())
		}
		if err := offered((*before)[at], settled[i], models); err != nil {
			return fmt.Errorf("solution %d: %w", i+1, err)
		}
		(*before)[at] = settled[i]
	}
	return nil
}

// offered checks that candidates were chosen among those that were offered.
func offered(was, settled plan.Solution, models map[string][]planner.Model) error {
	for i, a := range settled.Actions {
		before := was.Actions[i].Candidate
		isIt := func(m planner.Model) bool { return m.Candidate == a.Candidate }
		if a.Candidate != before && (before != "" || !slices.ContainsFunc(models[a.Tool], isIt)) {
			return fmt.Errorf("%s is to be run by %q, which was not offered", a.Tool, a.Candidate)
		}
	}
	return nil
}

// plan is what the request came to.
func (st *settlement) plan() *plan.Plan {
	p := &plan.Plan{Wish: st.request.Wish, Resources: st.request.Resources(), Visited: st.visited, Ranking: st.ranking}
	if st.question != "" {
		p.Question = st.question
		return p
	}
	for _, t := range st.tasks {
		p.Tasks = append(p.Tasks, t.Task)
	}
	return p
}
