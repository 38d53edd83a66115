package solve

import (
	"context"
	"fmt"
	"slices"

	"atelier/agent/plan"
	"atelier/agent/planner"
	"atelier/agent/toolgraph"
)

// findCandidates prunes the whole catalogue, not just the live tools, so that the scores show
// whether a live tool is right or merely available. A subtask may use intermediate results of
// earlier subtasks, so tools of their domains may help too. If no tool is left in the domains, they
// were a wrong guess and are dropped.
func (w *work) findCandidates(i int) {
	t := w.tasks[i]
	wide, subtasks := t.query, w.subtasks(len(w.tasks))
	if len(wide.Domains) > 0 {
		wide.Domains = slices.Clone(wide.Domains)
		for _, before := range ancestors(subtasks, i) {
			wide.Domains = append(wide.Domains, subtasks[before].Domains...)
		}
	}
	for _, name := range w.whole.Candidates(wide) {
		if w.inDomains(name, t.query.Domains) {
			t.candidates = append(t.candidates, name)
		}
	}
	if len(t.candidates) == 0 && len(t.query.Domains) > 0 {
		t.query.Domains = nil
		t.candidates = w.whole.Candidates(t.query)
	}
	if t.Subtask.Decided {
		t.candidates = slices.DeleteFunc(slices.Clone(t.candidates), func(name string) bool { return name != t.Subtask.Tool })
	}
}

func (w *work) inDomains(name string, domains []string) bool {
	if len(domains) == 0 {
		return true
	}
	tool, ok := w.tool(name)
	return ok && (tool.Domain == toolgraph.General || slices.Contains(domains, tool.Domain))
}

// assess has the candidates of all subtasks scored in one round. A single candidate gets the best
// score without asking, unless a program might do the subtask instead.
func (w *work) assess(ctx context.Context) error {
	var ask []planner.Assessment
	var open []*task
	for i, t := range w.tasks {
		t.scores = make(map[string]float64, len(t.candidates))
		forced := len(t.candidates) == 1 && (t.Subtask.Decided || !w.request.Improvises || w.runs(t.candidates[0]))
		if forced {
			t.scores[t.candidates[0]] = plan.Best
		}
		if len(t.candidates) > 0 && !forced {
			open = append(open, t)
			ask = append(ask, planner.Assessment{Subtask: t.Subtask, Earlier: w.subtasks(i), Candidates: t.candidates})
		}
	}
	return w.rate(ctx, open, ask)
}

// rate asks the planner for the scores.
func (w *work) rate(ctx context.Context, open []*task, ask []planner.Assessment) error {
	if len(ask) == 0 {
		return nil
	}
	w.config.Progress(w.request.ID, plan.Assessing)
	scores, err := w.config.Planner.Assess(ctx, w.request, ask, w.thinking)
	if err != nil {
		return fmt.Errorf("assess the tools: %w", err)
	}
	if len(scores) != len(ask) {
		return fmt.Errorf("assess the tools: %d answers for %d subtasks", len(scores), len(ask))
	}
	for i, t := range open {
		if len(scores[i]) != len(ask[i].Candidates) {
			return fmt.Errorf("assess the tools: %d scores for %d candidates", len(scores[i]), len(ask[i].Candidates))
		}
		for j, name := range ask[i].Candidates {
			t.scores[name] = scores[i][j]
		}
	}
	return nil
}

// score returns how well a tool suits the subtask.
func (t *task) score(tool string) float64 {
	if s, ok := t.scores[tool]; ok {
		return s
	}
	return plan.Worst
}

// giveSeveral marks the inputs of subtask i that consist of several results, now that the subtasks
// before it have solutions. Then it scores the additional candidates that accept several: "get five
// frames and put them into a grid".
func (w *work) giveSeveral(ctx context.Context, i int) error {
	t := w.tasks[i]
	marked := false
	for j, g := range t.query.Given {
		if g.Source.Kind == plan.OfSubtask && !g.Optional && w.several(g.Source.Index) {
			t.query.Given[j].Several, marked = true, true
		}
	}
	if !marked {
		return nil
	}
	before := len(t.candidates)
	w.findCandidates(i)
	if len(t.candidates) == before {
		return nil
	}
	all := planner.Assessment{Subtask: t.Subtask, Earlier: w.subtasks(i), Candidates: t.candidates} // scores are relative
	return w.rate(ctx, []*task{t}, []planner.Assessment{all})
}

// several reports whether the best solution of a subtask makes several results.
func (w *work) several(i int) bool {
	t := w.tasks[i]
	if len(t.Solutions) == 0 {
		return false
	}
	made := false // the first action makes one result by default
	for _, a := range t.Solutions[0].Actions {
		tool, ok := w.tool(a.Tool)
		if !ok {
			continue
		}
		for _, b := range a.Args {
			made = made || b.Source.Kind == plan.OfSubtask && w.several(b.Source.Index)
		}
		for _, arg := range tool.Args {
			made = made && !arg.Many // the tool combines them
		}
		made = made || tool.Several()
	}
	return made
}
