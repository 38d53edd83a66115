package settle

import (
	"slices"
	"strconv"
	"strings"

	"atelier/agent/plan"
	"atelier/agent/planner"
	"atelier/agent/toolbox/param"
)

// slot is an argument that the model may decide on.
type slot struct {
	number                int // from 1, over all contests
	solution, action, arg int
	// options are what it is filled with; none where words are.
	options []plan.Source
	// optional slots may be left as they are.
	optional bool
	// needed marks a text without which the action cannot be done: what the request does
	// not say, the person is asked for.
	needed bool
	// setting is the parameter that the value is for; nil for a resource.
	setting *param.Param
	// given marks what was given for another purpose, and may be put as the argument
	// means it: what is "take the hat off" to an editor is "hat" to what finds it.
	given bool
}

// slot tells how an argument of a solution may be decided on, if it may. What is blank is
// filled from its options; a text without any, and one that was given for another
// purpose, may be taken from the request.
func (job *Settler) slot(sub plan.Subtask, s plan.Solution, tool string, b plan.Binding) (slot, bool) {
	text := b.Type == plan.Text
	switch {
	case b.Source.Kind == plan.Blank && len(b.Options) > 0:
		return slot{options: b.Options, optional: b.Optional}, true
	case b.Source.Kind == plan.Blank:
		return slot{optional: true, needed: !b.Optional, setting: job.setting(tool, b.Arg)}, text
	default:
		return slot{optional: true, given: true}, text && len(b.Options) == 0 && job.misplaced(sub, s, tool, b)
	}
}

// misplaced reports whether a text stands for something else than its argument does. Words
// of the request can always be put otherwise; a file or a result only where another argument
// has it for what it is, since all that is given has to be used.
func (job *Settler) misplaced(sub plan.Subtask, s plan.Solution, tool string, b plan.Binding) bool {
	was, want := meant(sub, b.Source), job.wants(tool, b.Arg)
	switch {
	case was == "" || want == "" || was == want || b.Source.Kind == plan.OfText:
		return false
	case b.Source.Kind == plan.OfValue:
		return true
	}
	for _, a := range s.Actions {
		for _, other := range a.Args {
			if other.Source.Equal(b.Source) && job.wants(a.Tool, other.Arg) == was {
				return true
			}
		}
	}
	return false
}

// meant is what a source stands for in a subtask, "" if that is unknown. A file or a
// result of which nothing else is said is content.
func meant(sub plan.Subtask, s plan.Source) plan.Meaning {
	for _, a := range sub.Args {
		if a.Source.Equal(s) && a.Meaning != "" {
			return a.Meaning
		}
	}
	if s.Kind == plan.OfValue {
		return ""
	}
	return plan.Content
}

// setting is the parameter of that name; nil if there is none.
func (job *Settler) setting(tool, name string) *param.Param {
	t, _ := job.config.Catalogue.Tool(tool)
	if p, ok := t.Param(name); ok {
		return &p
	}
	return nil
}

// wants is what a tool's text argument stands for.
func (job *Settler) wants(tool, arg string) plan.Meaning {
	t, _ := job.config.Catalogue.Tool(tool)
	for _, a := range t.Args {
		if a.Name == arg {
			return a.Meaning
		}
	}
	return ""
}

// number lists the slots of the first solutions of each contest.
func (job *Settler) number(open []*trial, most int) {
	number := 0
	for _, c := range open {
		c.slots = nil
		c.asked = min(most, len(c.Solutions))
		for i, s := range c.Solutions[:c.asked] {
			for j, a := range s.Actions {
				for k, b := range a.Args {
					if s, ok := job.slot(c.Subtask, c.Solutions[i], a.Tool, b); ok {
						number++
						s.number, s.solution, s.action, s.arg = number, i, j, k
						c.slots = append(c.slots, s)
					}
				}
			}
		}
	}
}

// slotAt is the slot of an argument.
func (c *trial) slotAt(solution, action, arg int) (slot, bool) {
	for _, s := range c.slots {
		if s.solution == solution && s.action == action && s.arg == arg {
			return s, true
		}
	}
	return slot{}, false
}

// What a slot is left as.
const (
	nothing = "nothing"
	unknown = "unknown"
	asItIs  = "as it is"
)

// write words a slot: its number, and what it takes.
func (s slot) write(source func(plan.Source) string) string {
	var choices []string
	words := "text"
	if s.setting != nil {
		words = s.setting.Explain()
	}
	for i, o := range s.options {
		choices = append(choices, strconv.Itoa(i+1)+": "+source(o))
	}
	switch {
	case s.given:
		choices = append(choices, words, asItIs)
	case s.needed:
		choices = append(choices, words, unknown)
	case len(s.options) == 0:
		choices = append(choices, words, nothing)
	case s.optional:
		choices = append(choices, nothing)
	}
	return "?" + strconv.Itoa(s.number) + " {" + strings.Join(choices, " | ") + "}"
}

// fallBack decides what the model was not asked about, or had no reason to decide. A
// blank takes an option that means what the argument does and that no other argument of
// the action has, then one that none has, then the first; a tool takes its best model.
func (job *Settler) fallBack(c planner.Contest) {
	for _, s := range c.Solutions {
		for j := range s.Actions {
			a := &s.Actions[j]
			if models := c.Models[a.Tool]; len(models) > 0 && a.Candidate == "" {
				a.Candidate = models[0].Candidate
			}
			for k, b := range a.Args {
				if b.Source.Kind == plan.Blank && !b.Optional && len(b.Options) > 0 {
					a.Args[k].Source = job.likeliest(c.Subtask, *a, b)
				}
			}
		}
	}
}

func (job *Settler) likeliest(sub plan.Subtask, a plan.Action, b plan.Binding) plan.Source {
	var free []plan.Source
	for _, o := range b.Options {
		if !slices.ContainsFunc(a.Args, func(other plan.Binding) bool { return other.Source.Equal(o) }) {
			free = append(free, o)
		}
	}
	want := job.wants(a.Tool, b.Arg)
	for _, o := range free {
		if want != "" && meant(sub, o) == want {
			return o
		}
	}
	return append(free, b.Options[0])[0]
}
