package llm

import (
	"slices"
	"strconv"
	"strings"

	"atelier/agent/mind"
	"atelier/agent/plan"
)

// slot is an argument that the model may decide on.
type slot struct {
	number                int // from 1, over all contests
	solution, action, arg int
	// options are what it is filled with; none where words are.
	options []plan.Source
	// optional slots may be left as they are.
	optional bool
	// given marks a text of the wish that was given for another purpose, and may be
	// put as the argument means it: what is "take the hat off" to an editor is "hat"
	// to what finds it.
	given bool
}

// slot tells how an argument may be decided on, if it may. What is blank is filled from
// its options; an optional text without any may be taken from the wish.
func (m *Mind) slot(sub plan.Subtask, tool string, b plan.Binding) (slot, bool) {
	switch {
	case b.Source.Kind == plan.Blank && len(b.Options) > 0:
		return slot{options: b.Options, optional: b.Optional}, true
	case b.Source.Kind == plan.Blank:
		return slot{optional: true}, b.Optional && b.Type == plan.Text
	case b.Source.Kind == plan.OfValue && b.Type == plan.Text && len(b.Options) == 0:
		was, want := meant(sub, b.Source), m.wants(tool, b.Arg)
		return slot{optional: true, given: true}, was != "" && want != "" && was != want
	}
	return slot{}, false
}

// meant is what a subtask's text stands for, "" if that is unknown.
func meant(sub plan.Subtask, s plan.Source) plan.Meaning {
	for _, a := range sub.Args {
		if a.Source.Equal(s) {
			return a.Meaning
		}
	}
	return ""
}

// wants is what a tool's text argument stands for.
func (m *Mind) wants(tool, arg string) plan.Meaning {
	t, _ := m.config.Catalogue.Tool(tool)
	for _, a := range t.Args {
		if a.Name == arg {
			return a.Meaning
		}
	}
	return ""
}

// number lists the slots of the first solutions of each contest.
func (m *Mind) number(open []*trial, most int) {
	number := 0
	for _, c := range open {
		c.slots = nil
		c.asked = min(most, len(c.Solutions))
		for i, s := range c.Solutions[:c.asked] {
			for j, a := range s.Actions {
				for k, b := range a.Args {
					if s, ok := m.slot(c.Subtask, a.Tool, b); ok {
						number++
						s.number, s.solution, s.action, s.arg = number, i, j, k
						c.slots = append(c.slots, s)
					}
				}
			}
		}
	}
}

// at is the slot of an argument.
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
	asItIs  = "as it is"
)

// write words a slot: its number, and what it takes.
func (s slot) write(source func(plan.Source) string) string {
	var choices []string
	for i, o := range s.options {
		choices = append(choices, strconv.Itoa(i+1)+": "+source(o))
	}
	switch {
	case s.given:
		choices = append(choices, "text", asItIs)
	case len(s.options) == 0:
		choices = append(choices, "text", nothing)
	case s.optional:
		choices = append(choices, nothing)
	}
	return "?" + strconv.Itoa(s.number) + " {" + strings.Join(choices, " | ") + "}"
}

// fallBack decides what the model was not asked about, or had no reason to decide. A
// blank takes an option that means what the argument does and that no other argument of
// the action has, then one that none has, then the first; a tool takes its best model.
func (m *Mind) fallBack(c mind.Contest) {
	for _, s := range c.Solutions {
		for j := range s.Actions {
			a := &s.Actions[j]
			if models := c.Models[a.Tool]; len(models) > 0 && a.Candidate == "" {
				a.Candidate = models[0]
			}
			for k, b := range a.Args {
				if b.Source.Kind == plan.Blank && !b.Optional && len(b.Options) > 0 {
					a.Args[k].Source = m.likeliest(c.Subtask, *a, b)
				}
			}
		}
	}
}

func (m *Mind) likeliest(sub plan.Subtask, a plan.Action, b plan.Binding) plan.Source {
	var free []plan.Source
	for _, o := range b.Options {
		if !slices.ContainsFunc(a.Args, func(other plan.Binding) bool { return other.Source.Equal(o) }) {
			free = append(free, o)
		}
	}
	want := m.wants(a.Tool, b.Arg)
	for _, o := range free {
		if want != "" && meant(sub, o) == want {
			return o
		}
	}
	return append(free, b.Options[0])[0]
}
