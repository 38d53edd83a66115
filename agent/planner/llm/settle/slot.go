package settle

import (
	"slices"
	"strconv"
	"strings"

	"atelier/agent/plan"
	"atelier/agent/planner"
	"atelier/agent/toolbox/param"
)

// slot is an argument that the model may decide.
type slot struct {
	number                int // from 1, across all contests
	solution, action, arg int // action is ofLeft for words that the solution leaves out; arg is their index
	// options are the possible sources; empty if it takes a text.
	options []plan.Source
	// optional slots may stay blank.
	optional bool
	// needed marks a text without which the action cannot be done. If the request does not state
	// it, the person is asked.
	needed bool
	// setting is the parameter of the value; nil if it is not a setting.
	setting *param.Param
	// given marks a text that was given with another meaning and may be reworded for the argument:
	// "take the hat off" for an editor becomes "hat" for a detector.
	given bool
}

// ofLeft marks slots of words that no setting took. The steps may do what they say all the same.
const ofLeft = -1

// done is the only option of such a slot.
var done = []plan.Source{plan.FromValue("the steps do it")}

// slot returns the slot of an argument if the model may decide it. Blanks are filled from their
// options; a text without options, or with another meaning, may be filled from the request.
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

// misplaced reports whether a text has another meaning than its argument. Words of the request can
// always be reworded; a file or a result only if another argument uses it with its own meaning,
// since everything given must be used.
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

// meant returns the meaning of a source in a subtask, "" if unknown. Files and results without a
// stated meaning are content.
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

// setting returns the parameter with that name; nil if there is none.
func (job *Settler) setting(tool, name string) *param.Param {
	t, _ := job.config.Catalogue.Tool(tool)
	if p, ok := t.Param(name); ok {
		return &p
	}
	return nil
}

// wants returns the meaning of a tool's text argument.
func (job *Settler) wants(tool, arg string) plan.Meaning {
	t, _ := job.config.Catalogue.Tool(tool)
	for _, a := range t.Args {
		if a.Name == arg {
			return a.Meaning
		}
	}
	return ""
}

// number numbers the slots in the first solutions of each contest.
func (job *Settler) number(open []*trial, most int) {
	number := 0
	for _, c := range open {
		c.slots = nil
		c.asked = min(most, len(c.Solutions))
		for i, s := range c.Solutions[:c.asked] {
			for k := range s.Left {
				number++
				c.slots = append(c.slots, slot{number: number, solution: i, action: ofLeft, arg: k, options: done, optional: true})
			}
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

// slotAt returns the slot of an argument.
func (c *trial) slotAt(solution, action, arg int) (slot, bool) {
	for _, s := range c.slots {
		if s.solution == solution && s.action == action && s.arg == arg {
			return s, true
		}
	}
	return slot{}, false
}

// The words for slots that are left as they are.
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

// fallBack decides everything that the model did not. A blank gets an option with the meaning of
// the argument that no other argument of the action uses, else an unused one, else the first; a
// tool gets its best model.
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
