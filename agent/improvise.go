package agent

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"atelier/agent/plan"
	"atelier/agent/toolbox"
)

// improvises reports whether a program may and can be written now where no tool fits the request.
func (a *Agent) improvises(ctx context.Context, r plan.Request) (bool, error) {
	tool, ok := a.config.Toolbox.Catalogue().Improviser()
	if !ok || r.NoPrograms || a.config.AllTools {
		return false, nil
	}
	live, err := a.config.Toolbox.Live(ctx)
	if err != nil {
		return false, err
	}
	return live.Live(tool.Name) && a.config.Toolbox.Writes(ctx) == nil, nil
}

// Writes reports whether a program is written for the action before it can run.
func (a *Agent) Writes(action plan.Action) bool {
	tool, ok := a.config.Toolbox.Catalogue().Improviser()
	return ok && action.Tool == tool.Name
}

// Write has the next draft of a program written for a step, after those that failed. With an error, the
// Usage of the draft tells what was taken in vain.
func (a *Agent) Write(ctx context.Context, w Work, drafts []plan.Draft) (_ plan.Draft, err error) {
	p, err := a.prepare(ctx, w)
	if err != nil {
		return plan.Draft{}, err
	}
	defer func() { err = errors.Join(err, p.remove()) }()
	d, err := a.config.Toolbox.Write(ctx, p.call, drafts)
	if err != nil && ctx.Err() == nil {
		a.config.Log.WarnContext(ctx, "no program was written", "request", w.Request.ID, "step", w.Steps[w.At].Key, "error", plan.ForOperator(err))
	}
	return d, err
}

// improvised puts before the solutions of a subtask the one that has a program written, where none of
// them does all of it and no question about it is open. It is no edge of the graph: an edge from
// anything to anything would end all pruning.
func (t *thought) improvised(p *part, found []plan.Solution, open bool) []plan.Solution {
	tool, ok := t.config.Toolbox.Catalogue().Improviser()
	switch {
	case !ok || !t.request.Improvises || !toolbox.CanImprovise(p.subtask.Returns) || open || t.question != "":
		return found
	case len(found) > 0 && found[0].Score >= good && len(found[0].Left) == 0, t.needsModel(p):
		return found
	}
	p.missing = nil
	a := plan.Action{Tool: tool.Name, Returns: p.subtask.Returns}
	var told []string
	for _, arg := range p.subtask.Args {
		if arg.Source.Kind == plan.OfValue {
			told = append(told, arg.Source.Value)
			continue
		}
		a.Args = append(a.Args, plan.Binding{Arg: toolbox.ImprovisedInputs, Type: arg.Type, Source: arg.Source})
	}
	task := plan.Binding{Arg: toolbox.ImprovisedTask, Type: plan.Text, Source: plan.FromValue(t.taskOf(p.subtask, told))}
	a.Args = append([]plan.Binding{task}, a.Args...)
	all := []plan.Solution{{Actions: []plan.Action{a}, Score: good}}
	for _, s := range found { // where no program does it, what leaves something out stands in
		if s.Score >= good && len(all) < maxKept {
			all = append(all, s)
		}
	}
	return all
}

// needsModel reports whether the subtask is the work of a neural tool that cannot run here. A program
// would only imitate it.
func (t *thought) needsModel(p *part) bool {
	return slices.ContainsFunc(p.rivals, func(s plan.Solution) bool {
		return slices.ContainsFunc(s.Tools(), func(name string) bool {
			tool, ok := t.config.Toolbox.Catalogue().Tool(name)
			least := good
			if tool.Instructed() { // it helps a little with almost everything
				least = fitting
			}
			return ok && tool.Neural() && !t.runs(name) && s.Score >= least
		})
	})
}

// taskOf is what the program is to do.
func (t *thought) taskOf(sub plan.Subtask, told []string) string {
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
	return strings.Join(append(lines, fmt.Sprintf("It belongs to this request: %q", t.request.Wish)), "\n")
}
