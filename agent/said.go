package agent

import (
	"reflect"
	"slices"
	"strings"

	"atelier/agent/plan"
	"atelier/agent/toolbox"
	"atelier/agent/toolbox/param"
)

// addParams gives the actions of a solution bindings for the parameters of their tools, bound to
// what the request says of them. What no tool takes is left over.
func (t *thought) addParams(sub plan.Subtask, s plan.Solution) plan.Solution {
	var slots []slot
	s.Actions = slices.Clone(s.Actions)
	for i, a := range s.Actions {
		tool, _ := t.config.Toolbox.Catalogue().Tool(a.Tool)
		args := slices.Clone(a.Args)
		for _, p := range tool.Params {
			if slices.ContainsFunc(args, func(b plan.Binding) bool { return b.Arg == p.Name }) {
				continue // of a step that an earlier subtask takes
			}
			slots = append(slots, slot{param: p, action: i, arg: len(args), tool: tool})
			args = append(args, plan.Binding{Arg: p.Name, Type: plan.Text, Optional: p.Optional})
		}
		s.Actions[i].Args = args
	}
	b := saidBinder{slots: slots, solution: s}
	for _, said := range sub.Said {
		if !b.bind(said) && !b.repeats(said) {
			s.Left = append(s.Left, said.Words)
		}
	}
	b.spread()
	return s
}

// withParams are the solutions that the search found, with their parameters and a step for each value
// that they lack. Two that become the same are one.
func (t *thought) withParams(p *part, found []plan.Solution) []plan.Solution {
	var all []plan.Solution
	for _, s := range unnumbered(found) {
		s = t.complete(p, s)
		same := func(o plan.Solution) bool { return reflect.DeepEqual(o.Actions, s.Actions) }
		if !slices.ContainsFunc(all, same) {
			all = append(all, s)
		}
	}
	return all
}

// slot is a parameter of an action.
type slot struct {
	param       param.Param
	tool        toolbox.Tool
	action, arg int
}

// saidBinder binds what is said to the parameters of a solution, by type.
type saidBinder struct {
	slots    []slot
	solution plan.Solution
}

func (b saidBinder) source(s slot) *plan.Source {
	return &b.solution.Actions[s.action].Args[s.arg].Source
}

// bind binds a value to the first free parameter of its type that reads it, else to one for which
// such words can stand, else to one that needs a value and reads it in another way ("16:9" is a part of a picture, too),
// else to one of its type that cannot read it: there is a question then.
func (b saidBinder) bind(said plan.Said) bool {
	text, typ := said.Text(), param.Type(said.Type)
	for _, fits := range []func(slot) bool{
		func(s slot) bool { return s.param.Type == typ && s.param.Reads(text) },
		func(s slot) bool { return s.param.Type.Meaning() == typ.Meaning() && s.param.Reads(text) },
		func(s slot) bool {
			return typ.Units() > 0 && !isCount(typ) && s.param.Type.Units() > 0 && !s.param.Optional && s.param.Reads(text)
		},
		func(s slot) bool { return s.param.Type == typ && !s.param.Optional },
	} {
		for _, s := range b.slots {
			if b.source(s).Kind == plan.Blank && fits(s) {
				*b.source(s) = plan.FromValue(text)
				return true
			}
		}
	}
	return b.join(typ, text)
}

// isCount reports whether values of the type are bare numbers, which every quantity can be read from.
func isCount(t param.Type) bool { return t == param.Number || t == param.Integer }

// join adds a value to one that is bound already where both can be read as one: "brighter" and
// "more contrast".
func (b saidBinder) join(typ param.Type, text string) bool {
	for _, s := range b.slots {
		before := b.source(s)
		if s.param.Type != typ || before.Kind != plan.OfValue {
			continue
		}
		joined := before.Value + ", " + text
		was, err := s.param.Read(before.Value)
		if err != nil {
			continue
		}
		if is, err := s.param.Read(joined); err == nil && is.String() != was.String() {
			*before = plan.FromValue(joined)
			return true
		}
	}
	return false
}

// repeats reports whether the words stand in a text that the solution is given anyway: "a poem of
// four lines".
func (b saidBinder) repeats(said plan.Said) bool {
	return slices.ContainsFunc(b.solution.Actions, func(a plan.Action) bool {
		return slices.ContainsFunc(a.Args, func(x plan.Binding) bool {
			text := strings.ToLower(x.Source.Value)
			return strings.Contains(text, strings.ToLower(said.Words)) || strings.Contains(text, strings.ToLower(said.Text()))
		})
	})
}

// spread gives the same setting to each action of the same tool.
func (b saidBinder) spread() {
	for i, s := range b.slots {
		for _, before := range b.slots[:i] {
			if b.source(s).Kind == plan.Blank && before.tool.Name == s.tool.Name && before.param.Name == s.param.Name {
				*b.source(s) = *b.source(before)
			}
		}
	}
}

// leftCost is what a solution loses for each setting that it leaves out. It stays above the bar:
// the rest of the request can be done by it.
const leftCost = 1.0

// lessLeft lowers the scores of solutions that leave settings out.
func lessLeft(solutions []plan.Solution) {
	for i, s := range solutions {
		solutions[i].Score = max(s.Score-leftCost*float64(len(s.Left)), min(s.Score, good))
	}
}
