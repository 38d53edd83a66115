package solve

import (
	"context"
	"fmt"
	"slices"

	"atelier/agent/plan"
	"atelier/agent/planner"
	"atelier/agent/solve/pick"
)

// settlement turns the solutions found for a request into a plan.
type settlement struct {
	*work

	picker   *pick.Picker
	ranking  plan.Ranking
	question string
}

// settle has all solutions of all subtasks ranked and completed in one round, and keeps the good
// ones. It skips subtasks with a single solution that has nothing open, and subtasks that nothing
// here can do, since ranking their rivals would change nothing.
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
	if slices.ContainsFunc(open, func(t *task) bool { return !st.poor(t) }) {
		st.config.Progress(st.request.ID, plan.Settling)
		settled, err := st.config.Planner.Settle(ctx, st.request, ask, st.thinking)
		if err != nil {
			return fmt.Errorf("settle the solutions: %w", err)
		}
		if len(settled) != len(ask) {
			return fmt.Errorf("settle the solutions: %d answers for %d subtasks", len(settled), len(ask))
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

// poor reports whether a program may do the subtask and every solution has a tool that is not good for it.
func (st *settlement) poor(t *task) bool {
	return st.canImprovise(t) && !slices.ContainsFunc(slices.Concat(t.Solutions, t.rivals), func(s plan.Solution) bool {
		return !slices.ContainsFunc(s.Tools(), func(name string) bool { return t.score(name) < plan.Good })
	})
}

// ranked counts the ranked solutions of a subtask.
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

// forced reports whether the planner has nothing to decide about a solution: each argument has its
// source, and none is a text, which may need rewording for its tool. Blank optional arguments may
// still be filled from the request, except settings, which were parsed from it.
func (st *settlement) forced(s plan.Solution) bool {
	if len(s.Left) > 0 {
		return false // its steps may do what no setting took
	}
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

// take applies what the planner settled: scores, candidates and filled blanks. It verifies that
// nothing else changed.
func (t *task) take(settled []plan.Solution, models map[string][]planner.Model) error {
	if len(settled) != len(t.Solutions)+len(t.rivals) {
		return fmt.Errorf("got %d solutions instead of %d", len(settled), len(t.Solutions)+len(t.rivals))
	}
	for i := range settled {
		before := &t.Solutions
		at := i
		if i >= len(t.Solutions) {
			before, at = &t.rivals, i-len(t.Solutions)
		}
		if was := (*before)[at]; !slices.Equal(was.Tools(), settled[i].Tools()) {
			return fmt.Errorf("solution %d uses %v instead of %v", i+1, settled[i].Tools(), was.Tools())
		}
		if err := offered((*before)[at], settled[i], models); err != nil {
			return fmt.Errorf("solution %d: %w", i+1, err)
		}
		(*before)[at] = settled[i]
	}
	return nil
}

// offered checks that the chosen candidates were among those offered.
func offered(was, settled plan.Solution, models map[string][]planner.Model) error {
	for i, a := range settled.Actions {
		before := was.Actions[i].Candidate
		isIt := func(m planner.Model) bool { return m.Candidate == a.Candidate }
		if a.Candidate != before && (before != "" || !slices.ContainsFunc(models[a.Tool], isIt)) {
			return fmt.Errorf("the candidate %[2]q of %[1]s was not offered", a.Tool, a.Candidate)
		}
	}
	return nil
}

// plan returns the finished plan.
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
