package bind

import (
	"cmp"
	"slices"

	"atelier/agent/plan"
	"atelier/agent/toolbox"
	"atelier/agent/toolbox/param"
)

// complete binds the parameters of a solution to the values of the request. For each value left over, it
// adds a step with a tool that takes the value, if the tool is good for the subtask. The search ignores
// values: for "a GIF of this, 480 px wide" it finds only the GIF. A step edits a given resource, or
// the result. A limit in bytes comes last, and a file format before it, since other steps would undo them.
// A loudness would be undone by any other step.
func (b Binder) complete(t Task, found plan.Solution) plan.Solution {
	found = b.instruct(t.Subtask, found)
	s := b.addParams(t.Subtask, found)
	if len(s.Left) == 0 || !t.sure(found) { // more steps do not improve a poor solution
		return s
	}
	left := slices.DeleteFunc(slices.Clone(t.Subtask.Said), func(said plan.Said) bool { return !slices.Contains(s.Left, said.Words) })
	slices.SortStableFunc(left, func(a, b plan.Said) int { return cmp.Compare(order(a), order(b)) })
	for _, said := range left {
		editor, on, ok := b.editorFor(t, found, said)
		if !ok || len(found.Actions) >= b.MaxActions {
			continue
		}
		before := on.Type != result(found) || order(said) == 0 && b.setsLoudness(found) && t.enters(found, on.Type)
		longer := withStepBehind(found, editor, on)
		if before {
			longer = withStepBefore(found, editor, on)
		}
		if bound := b.addParams(t.Subtask, longer); len(bound.Left) < len(s.Left) {
			found, s = longer, bound
		}
	}
	return s
}

// order returns the position of the step for a value: higher ones come later.
func order(said plan.Said) int {
	switch param.Type(said.Type) { //nolint:exhaustive // the others keep their order in the request
	case param.FileSize:
		return 2
	case param.Format:
		return 1
	}
	return 0
}

// editorFor returns the best tool that takes the value and edits the result or an input of the solution. The
// tool must be good for the subtask.
func (b Binder) editorFor(t Task, s plan.Solution, said plan.Said) (editor toolbox.Tool, on toolbox.Arg, ok bool) {
	for _, name := range t.Candidates {
		tool, _ := b.Catalogue.Tool(name)
		takes := slices.ContainsFunc(tool.Params, func(q param.Param) bool {
			return q.Type.Includes(param.Type(said.Type)) && q.Reads(said.Text())
		})
		if !takes || !b.Runs(name) || t.Score(name) < plan.Good || ok && t.Score(name) <= t.Score(editor.Name) || slices.Contains(s.Tools(), name) {
			continue
		}
		if a, edits := editedArg(tool); edits && (a.Type == result(s) || t.enters(s, a.Type)) {
			editor, on, ok = tool, a, true
		}
	}
	return editor, on, ok
}

// editedArg returns the only required resource of a tool, if the tool returns the same type.
func editedArg(tool toolbox.Tool) (on toolbox.Arg, ok bool) {
	for _, a := range tool.Args {
		if a.Param != nil || a.Optional {
			continue
		}
		if ok || a.Many || a.Type != tool.Returns {
			return toolbox.Arg{}, false
		}
		on, ok = a, true
	}
	return on, ok
}

func result(s plan.Solution) plan.Type { return s.Actions[len(s.Actions)-1].Returns }

// enters reports whether the subtask gives the solution exactly one resource of the type. It is false if
// anything is marked on a resource, since the marks would not fit an edited one.
func (t Task) enters(s plan.Solution, typ plan.Type) bool {
	return !t.Marked && len(entering(s, typ)) == 1
}

// entering returns the sources of a type that a solution gets from outside.
func entering(s plan.Solution, typ plan.Type) (sources []plan.Source) {
	for _, a := range s.Actions {
		for _, b := range a.Args {
			outside := b.Source.Kind == plan.OfResource || b.Source.Kind == plan.OfSubtask
			if outside && b.Type == typ && !slices.ContainsFunc(sources, b.Source.Equal) {
				sources = append(sources, b.Source)
			}
		}
	}
	return sources
}

// setsLoudness reports whether the last step normalises the loudness of its result.
func (b Binder) setsLoudness(s plan.Solution) bool {
	last, _ := b.Catalogue.Tool(s.Actions[len(s.Actions)-1].Tool)
	for _, e := range last.Effects {
		if e.Name == "loudness" {
			return true
		}
	}
	return false
}

// stepOf returns a step with the tool, without its source.
func stepOf(editor toolbox.Tool, on toolbox.Arg) plan.Action {
	return plan.Action{Tool: editor.Name, Returns: editor.Returns, Args: []plan.Binding{{Arg: on.Name, Type: on.Type}}}
}

// withStepBehind appends a step that edits the result of the solution.
func withStepBehind(s plan.Solution, editor toolbox.Tool, on toolbox.Arg) plan.Solution {
	step := stepOf(editor, on)
	step.Args[0].Source = plan.FromAction(len(s.Actions) - 1)
	s.Actions = append(slices.Clone(s.Actions), step)
	return s
}

// withStepBefore prepends a step that edits the input of the solution.
func withStepBefore(s plan.Solution, editor toolbox.Tool, on toolbox.Arg) plan.Solution {
	step := stepOf(editor, on)
	step.Args[0].Source = entering(s, on.Type)[0]
	actions, place := []plan.Action{step}, map[int]int{}
	for i, a := range s.Actions {
		place[i] = i + 1
		a.Args = slices.Clone(a.Args)
		for j, b := range a.Args {
			a.Args[j].Source = b.Source.Renumbered(place)
			if b.Type == on.Type && b.Source.Equal(step.Args[0].Source) {
				a.Args[j].Source = plan.FromAction(0)
			}
		}
		actions = append(actions, a)
	}
	s.Actions = actions
	return s
}
