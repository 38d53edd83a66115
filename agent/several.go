package agent

import (
	"context"

	"atelier/agent/plan"
	"atelier/agent/planner"
)

// giveSeveral marks the results that subtask i is given and that are several, now that the subtasks before it
// have solutions. Then it has the tools scored that take several, which were no candidates before: "get five
// frames and put them into a grid".
func (t *thought) giveSeveral(ctx context.Context, i int) error {
	p := t.tasks[i]
	marked := false
	for j, g := range p.query.Given {
		if g.Source.Kind == plan.OfSubtask && !g.Optional && t.several(g.Source.Index) {
			p.query.Given[j].Several, marked = true, true
		}
	}
	if !marked {
		return nil
	}
	subtasks := make([]plan.Subtask, len(t.tasks))
	for j, task := range t.tasks {
		subtasks[j] = task.subtask
	}
	before := len(p.candidates)
	t.findCandidates(i, subtasks)
	if len(p.candidates) == before {
		return nil
	}
	all := planner.Assessment{Subtask: p.subtask, Earlier: t.earlier(i), Candidates: p.candidates} // scores are relative
	return t.rate(ctx, []*part{p}, []planner.Assessment{all})
}

// several reports whether the best solution of a subtask makes several results.
func (t *thought) several(i int) bool {
	p := t.tasks[i]
	if len(p.found) == 0 {
		return false
	}
	made := false // the first action makes one result, unless something says otherwise
	for _, a := range p.found[0].Actions {
		tool, ok := t.config.Toolbox.Catalogue().Tool(a.Tool)
		if !ok {
			continue
		}
		for _, b := range a.Args {
			made = made || b.Source.Kind == plan.OfSubtask && t.several(b.Source.Index)
		}
		for _, arg := range tool.Args {
			made = made && !arg.Many // it puts them into one
		}
		made = made || tool.Several()
	}
	return made
}
