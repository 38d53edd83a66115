// Package bind binds the settings stated in a request to the tool parameters that accept them.
//
// Guarantees:
//   - Each stated value is bound to one parameter, or to a step added for it, or is recorded in
//     Left.
//   - The given solutions are not modified.
package bind

import (
	"reflect"
	"slices"
	"strings"
	"unicode"

	"atelier/agent/plan"
	"atelier/agent/toolbox"
	"atelier/agent/toolbox/param"
)

// Binder binds settings to the parameters of a catalogue's tools.
type Binder struct {
	Catalogue *toolbox.Catalogue
	// Runs reports whether a tool can run.
	Runs func(tool string) bool
	// MaxActions bounds a solution.
	MaxActions int
}

// Task is a subtask whose solutions are to be completed.
type Task struct {
	Subtask plan.Subtask
	// Candidates are tools that may help with it; Score returns how well, from 1 to 5.
	Candidates []string
	Score      func(tool string) float64
	// Marked reports whether the subtask gets a mark on a picture. The mark would not fit an edited
	// picture.
	Marked bool
}

// sure reports whether every tool of the solution is good for the subtask.
func (t Task) sure(s plan.Solution) bool {
	return !slices.ContainsFunc(s.Tools(), func(tool string) bool { return t.Score(tool) < plan.Good })
}

// Complete binds the values of the request in the solutions, and adds steps for values that none of
// their tools accepts. It drops duplicates.
func (b Binder) Complete(t Task, found []plan.Solution) []plan.Solution {
	var all []plan.Solution
	for _, s := range found {
		s = b.complete(t, s)
		same := func(o plan.Solution) bool { return reflect.DeepEqual(o.Actions, s.Actions) }
		if !slices.ContainsFunc(all, same) {
			all = append(all, s)
		}
	}
	return all
}

// addParams adds bindings for the parameters of a solution's tools and binds the values of the
// request to them. Values that no tool accepts are recorded in Left.
func (b Binder) addParams(sub plan.Subtask, s plan.Solution) plan.Solution {
	var slots []slot
	s.Actions = slices.Clone(s.Actions)
	for i, a := range s.Actions {
		tool, _ := b.Catalogue.Tool(a.Tool)
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
	f := filling{slots: slots, solution: s, task: sub.Description}
	var unbound []plan.Said
	for _, said := range sub.Said {
		if !f.bind(said) {
			unbound = append(unbound, said)
		}
	}
	f.choices()
	for _, said := range unbound { // it may repeat a bound text, even a later one
		if !f.repeats(said) && !f.makes(said) {
			s.Left = append(s.Left, said.Words)
		}
	}
	f.spread()
	return s
}

// slot is a parameter of an action.
type slot struct {
	param       param.Param
	tool        toolbox.Tool
	action, arg int
}

// filling binds the values of a request to the parameters of a solution, by type.
type filling struct {
	slots    []slot
	solution plan.Solution
	task     string // description of the subtask
}

func (f filling) source(s slot) *plan.Source {
	return &f.solution.Actions[s.action].Args[s.arg].Source
}

// bind binds a value to a free parameter, and reports whether it found one. It prefers, in this order:
//   - for a count, a choice of that number: "2 columns";
//   - for another bare number, the one that the words beside it name, and none if they count something else;
//   - a parameter of the same type that can read the value, first one whose examples have a word of it;
//   - one whose type has the same meaning;
//   - a required one of another quantity that can read the value: "16:9" is a part of a picture, too;
//   - a choice that has the words, whatever the planner took them for: "a bit bigger" is a size of letters;
//   - a required one of the same type that cannot read the value, so that the user is asked.
//
// If no parameter is free, an optional argument may be, and else it joins the value to one that is already bound.
func (f filling) bind(said plan.Said) bool {
	text, typ := said.Text(), param.Type(said.Type)
	counted, stray := f.counted(said)
	if counted >= 0 {
		*f.source(f.slots[counted]) = plan.FromValue(text)
		return true
	}
	for _, fits := range []func(slot) bool{
		func(s slot) bool { return typ.IsNumber() && s.param.Counts(text) },
		func(s slot) bool {
			return s.param.Type.Includes(typ) && (s.param.Speaks(text) || s.param.Speaks(said.Words)) && s.param.Reads(text)
		},
		func(s slot) bool { return s.param.Type.Includes(typ) && s.param.Reads(text) },
		func(s slot) bool {
			return s.param.Type.Meaning() == typ.Meaning() && !crosses(typ, s.param) && s.param.Reads(text)
		},
		func(s slot) bool {
			return typ.Units() > 0 && !typ.IsNumber() && s.param.Type.Units() > 0 && !s.param.Optional && !crosses(typ, s.param) && s.param.Reads(text)
		},
		func(s slot) bool { return s.param.Type == param.Choice && typ != param.Text && s.param.Reads(text) },
		func(s slot) bool { return s.param.Type == typ && !s.param.Optional },
	} {
		for _, s := range f.slots {
			if f.source(s).Kind == plan.Blank && (!stray || s.param.Type == param.Choice) && fits(s) {
				*f.source(s) = plan.FromValue(text)
				return true
			}
		}
	}
	return f.word(said) || !stray && f.join(typ, text)
}

// word gives a text that the request puts in so many words to an optional argument of that name: title "Sales".
func (f filling) word(said plan.Said) bool {
	if param.Type(said.Type) != param.Text {
		return false
	}
	words := strings.FieldsFunc(strings.ToLower(said.Words), func(r rune) bool { return !unicode.IsLetter(r) })
	for _, a := range f.solution.Actions {
		for i, b := range a.Args {
			free := b.Type == plan.Text && b.Optional && b.Source.Kind == plan.Blank && len(b.Options) == 0
			if free && slices.Contains(words, b.Arg) {
				a.Args[i].Source = plan.FromValue(said.Text())
				return true
			}
		}
	}
	return false
}

// choices gives a choice that nothing was said of the words of another value of the same action, which may say it too:
// "3 semitones lower" is how far and which way.
func (f filling) choices() {
	for _, s := range f.slots {
		if s.param.Type != param.Choice || f.source(s).Kind != plan.Blank {
			continue
		}
		for _, other := range f.slots {
			v, typ := *f.source(other), other.param.Type
			if other.action == s.action && typ != param.Text && typ != param.Choice && v.Kind == plan.OfValue && s.param.Reads(v.Value) {
				*f.source(s) = v
				break
			}
		}
	}
}

// crosses reports whether a value is a time and the parameter a count, or the reverse: "2-5 s" is no frame rate, and
// "three times" no crossfade of 3 seconds. A required length may be stated as a bare number.
func crosses(typ param.Type, p param.Param) bool {
	at := []param.Type{param.TimeRange, param.TimeRanges, param.Moment, param.Moments}
	return slices.Contains(at, typ) && p.Type.IsNumber() || typ.IsNumber() && (slices.Contains(at, p.Type) || p.Type == param.Duration && p.Optional)
}

// join adds a value to one that is already bound, if the parameter can read both together:
// "brighter" and "more contrast".
func (f filling) join(typ param.Type, text string) bool {
	for _, s := range f.slots {
		before := f.source(s)
		if s.param.Type != typ || typ == param.Text || before.Kind != plan.OfValue {
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
func (f filling) repeats(said plan.Said) bool {
	return slices.ContainsFunc(f.solution.Actions, func(a plan.Action) bool {
		return slices.ContainsFunc(a.Args, func(x plan.Binding) bool {
			text := strings.ToLower(x.Source.Value)
			return strings.Contains(text, strings.ToLower(said.Words)) || strings.Contains(text, strings.ToLower(said.Text()))
		})
	})
}

// makes reports whether the last tool is named after the format that is stated: "a GIF", by make_gif.
func (f filling) makes(said plan.Said) bool {
	last := f.solution.Actions[len(f.solution.Actions)-1]
	return param.Type(said.Type) == param.Format && slices.Contains(strings.Split(last.Tool, "_"), strings.ToLower(said.Text()))
}

// spread copies the settings of an action to later actions of the same tool.
func (f filling) spread() {
	for i, s := range f.slots {
		for _, before := range f.slots[:i] {
			if f.source(s).Kind == plan.Blank && before.tool.Name == s.tool.Name && before.param.Name == s.param.Name {
				*f.source(s) = *f.source(before)
			}
		}
	}
}
