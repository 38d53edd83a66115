package solve

import (
	"fmt"
	"slices"
	"strings"

	"atelier/agent/plan"
	"atelier/agent/planner"
	"atelier/agent/toolbox"
)

// improvised puts a solution that writes a program first if none of the others does the whole
// subtask and there is no open question about it. Program writing is not an edge of the graph: an
// edge from anything to anything would defeat all pruning.
func (st *settlement) improvised(t *task, found []plan.Solution, open bool) []plan.Solution {
	if open || !st.canImprovise(t) || len(found) > 0 && found[0].Score >= plan.Good && len(found[0].Left) == 0 {
		return found
	}
	tool, _ := st.config.Toolbox.Catalogue().Improviser()
	t.Missing = nil
	a := plan.Action{Tool: tool.Name, Returns: t.Subtask.Returns}
	var told []string
	for _, arg := range t.Subtask.Args {
		if arg.Source.Kind == plan.OfValue {
			told = append(told, arg.Source.Value)
			continue
		}
		a.Args = append(a.Args, plan.Binding{Arg: toolbox.ImprovisedInputs, Type: arg.Type, Source: arg.Source})
	}
	brief := plan.Binding{Arg: toolbox.ImprovisedTask, Type: plan.Text, Source: plan.FromValue(st.taskOf(t.Subtask, told))}
	a.Args = append([]plan.Binding{brief}, a.Args...)
	all := []plan.Solution{{Actions: []plan.Action{a}, Score: plan.Good}}
	for _, s := range found { // fallbacks if no program succeeds
		if s.Score >= plan.Good && len(all) < Kept {
			all = append(all, s)
		}
	}
	return all
}

// canImprovise reports whether a program may do the subtask.
func (st *settlement) canImprovise(t *task) bool {
	_, ok := st.config.Toolbox.Catalogue().Improviser()
	return ok && st.request.Improvises && toolbox.CanImprovise(t.Subtask.Returns) && st.question == "" && !st.needsModel(t)
}

// needsModel reports whether the subtask needs a neural tool that cannot run here. A program would
// only imitate it.
func (st *settlement) needsModel(t *task) bool {
	return slices.ContainsFunc(t.rivals, func(s plan.Solution) bool {
		return slices.ContainsFunc(s.Tools(), func(name string) bool {
			tool, ok := st.tool(name)
			least := plan.Good
			if tool.Instructed() { // it helps a little with almost everything
				least = plan.Fitting
			}
			return ok && tool.Neural() && !st.runs(name) && s.Score >= least
		})
	})
}

// taskOf describes the program's task.
func (st *settlement) taskOf(sub plan.Subtask, told []string) string {
	lines := []string{sub.Description}
	for _, text := range told {
		lines = append(lines, fmt.Sprintf("Given: %q", text))
	}
	var said []string
	for _, s := range sub.Said {
		said = append(said, fmt.Sprintf("%q", s.Words))
	}
	if len(said) > 0 {
		lines = append(lines, "Said of it: "+strings.Join(said, ", "))
	}
	task := strings.Join(append(lines, fmt.Sprintf("It belongs to this request: %q", st.request.Wish)), "\n")
	return planner.Account{Request: st.request}.Readable(task) // with the names that the inputs have
}
