package wording

import (
	"slices"
	"strings"

	"atelier/agent/plan"
	"atelier/agent/planner"
	"atelier/agent/toolbox"
)

// Steps describes for people what each step of an account makes, or has made. The result of the
// previous step is called "it".
func Steps(c *toolbox.Catalogue, a planner.Account) []plan.Message {
	d := newDescriber(c, a, a.Results)
	say := func(i int) plan.Message {
		if outs := a.Results[i].Outputs(); len(outs) > 0 {
			return d.phrase(a.Steps[i].Action, outs)
		}
		return d.planned(a.Steps[i].Action)
	}
	steps := make([]plan.Message, len(a.Steps))
	for i, s := range a.Steps {
		d.phrases[i] = say(i)
		steps[i] = d.phrases[i]
		if last := i - 1; last >= 0 && slices.Equal(s.Inputs(), []int{last}) {
			whole := d.phrases[last]
			d.phrases[last] = plan.Say("it")
			steps[i] = say(i)
			d.phrases[last] = whole
		}
	}
	return steps
}

// Alts returns alternative texts for the results of each step: what was done, and what a picture
// shows if a step described it. A step that is not done has the zero message.
func Alts(c *toolbox.Catalogue, a planner.Account) []plan.Message {
	all := Made(c, a)
	var shown []string
	for i, s := range a.Steps {
		if tool, ok := c.Tool(s.Action.Tool); ok && tool.Describes {
			for _, out := range a.Results[i].Outputs() {
				shown = append(shown, strings.Join(strings.Fields(out.Value), " "))
			}
		}
	}
	if len(shown) != 1 || shown[0] == "" { // with several it is unknown which one describes which picture
		return all
	}
	for i := range all {
		if outs := a.Results[i].Outputs(); len(outs) > 0 && outs[0].Type == plan.Image {
			all[i] = plan.Say("%s: %s", all[i], shown[0])
		}
	}
	return all
}
