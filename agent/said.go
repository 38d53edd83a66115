package agent

import (
	"reflect"
	"slices"
	"strings"

	"atelier/agent/plan"
	"atelier/agent/toolbox"
	"atelier/agent/toolbox/param"
)

// addParams adds bindings for the parameters of a solution's tools and binds the values of the
// request to them. A value that no tool takes is recorded in Left.
func (t *thought) addParams(sub plan.Subtask, s plan.Solution) plan.Solution {
	var slots []slot
	s.Actions = slices.Clone(s.Actions)
	for i, a := range s.Actions {
		tool, _ := t.config.Toolbox.Catalogue().Tool(a.Tool)
		args := slices.Clone(a.Args)
		for _, p := range tool.Params {
			if slices.ContainsFunc(args, func(b plan.Binding) bool { return b.Arg == p.Name }) {
				continue // bound already: the step comes from an earlier subtask
			}
			slots = append(slots, slot{param: p, action: i, arg: len(args), tool: tool})
			args = append(args, plan.Binding{Arg: p.Name, Type: plan.Text, Optional: p.Optional})
		}
		s.Actions[i].Args = args
	}
	b := saidBinder{slots: slots, solution: s}
	var unbound []plan.Said
	for _, said := range sub.Said {
		if !b.bind(said) {
			unbound = append(unbound, said)
		}
	}
	for _, said := range unbound { // it may repeat what is bound, also after it
		if !b.repeats(said) {
			s.Left = append(s.Left, said.Words)
		}
	}
	b.spread()
	return s
}

// withParams completes the solutions that the search found: it binds their parameters and adds
// steps for the values that they lack. It drops duplicates.
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

// saidBinder binds the values of a request to the parameters of a solution, by type.
type saidBinder struct {
	slots    []slot
	solution plan.Solution
}

func (b saidBinder) source(s slot) *plan.Source {
	return &b.solution.Actions[s.action].Args[s.arg].Source
}

// bind binds a value to a free parameter, and reports whether it found one. It prefers, in this order:
//   - a parameter of the same type that can read the value, first one whose examples have a word of it;
//   - one whose type has the same meaning;
//   - a required one of another quantity that can read the value: "16:9" is a part of a picture, too;
//   - a required one of the same type that cannot read the value, so that the user is asked.
//
// If no parameter is free, it joins the value to one that is already bound.
func (b saidBinder) bind(said plan.Said) bool {
	text, typ := said.Text(), param.Type(said.Type)
	for _, fits := range []func(slot) bool{
		func(s slot) bool { return s.param.Type.Includes(typ) && s.param.Speaks(text) && s.param.Reads(text) },
		func(s slot) bool { return s.param.Type.Includes(typ) && s.param.Reads(text) },
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

// isCount reports whether values of the type are bare numbers. Every quantity can be read from a bare number.
func isCount(t param.Type) bool { return t == param.Number || t == param.Integer }

// join adds a value to one that is already bound, if the parameter can read both together:
// "brighter" and "more contrast".
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

// repeats reports whether the words are part of a text that is already bound: "a poem of four
// lines".
func (b saidBinder) repeats(said plan.Said) bool {
	return slices.ContainsFunc(b.solution.Actions, func(a plan.Action) bool {
		return slices.ContainsFunc(a.Args, func(x plan.Binding) bool {
			text := strings.ToLower(x.Source.Value)
			return strings.Contains(text, strings.ToLower(said.Words)) || strings.Contains(text, strings.ToLower(said.Text()))
		})
	})
}

// spread copies the settings of an action to later actions of the same tool.
func (b saidBinder) spread() {
	for i, s := range b.slots {
		for _, before := range b.slots[:i] {
			if b.source(s).Kind == plan.Blank && before.tool.Name == s.tool.Name && before.param.Name == s.param.Name {
				*b.source(s) = *b.source(before)
			}
		}
	}
}

// leftCost is the score that a solution loses for each setting that it leaves out. A good solution
// stays good, since it does the rest of the request.
const leftCost = 1.0

// lessLeft lowers the scores of solutions that leave settings out.
func lessLeft(solutions []plan.Solution) {
	for i, s := range solutions {
		solutions[i].Score = max(s.Score-leftCost*float64(len(s.Left)), min(s.Score, good))
	}
}
