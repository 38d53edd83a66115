package wording

import (
	"cmp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"atelier/agent/plan"
	"atelier/agent/planner"
	"atelier/agent/toolbox"
)

// Ways returns short labels for the offers of a plan, for people: what each does differently from
// the chosen plan, or everything it does if nothing was chosen. All labels are different.
func Ways(c *toolbox.Catalogue, p *plan.Plan, chosen plan.Choice, offers []plan.Offer) []plan.Message {
	w := ways{catalogue: c, account: planner.Account{Plan: p}, taken: map[string][]string{}}
	labels := make([]plan.Message, len(offers))
	for i, o := range offers {
		var parts []plan.Message
		var tools []string
		for t, task := range p.Tasks {
			if o.Choice[t] >= 0 {
				tools = append(tools, task.Solutions[o.Choice[t]].Tools()...)
			}
			switch {
			case o.Choice[t] < 0:
			case o.Task < 0:
				parts = append(parts, w.solution(task.Solutions[o.Choice[t]]))
			case o.Task == t:
				parts = append(parts, w.other(task, o.Choice[t], chosen[t]))
			}
		}
		labels[i] = w.distinct(plan.Join("%s; %s", parts...), tools)
	}
	return labels
}

// ways words solutions that have not run.
type ways struct {
	catalogue *toolbox.Catalogue
	account   planner.Account
	taken     map[string][]string // labels in use, with the tools of their offers
}

// other words what a solution of a task does differently from the chosen one; chosen is -1 if there
// is none.
func (w *ways) other(task plan.Task, other, chosen int) plan.Message {
	s := task.Solutions[other]
	if chosen < 0 || chosen >= len(task.Solutions) {
		return w.solution(s)
	}
	before := task.Solutions[chosen]
	if with := s.With(before); len(with) > 0 {
		return plan.Say("the same with %s", plan.And(with...))
	}
	label := w.solution(s)
	others, taken := w.taken[label.String()]
	if label.String() != w.solution(before).String() && !taken {
		return label
	}
	others = append(before.Tools(), others...)
	var how []plan.Message
	for _, a := range s.Actions {
		if tool, ok := w.catalogue.Tool(a.Tool); ok && !slices.Contains(others, a.Tool) {
			how = append(how, w.does(s, a, tool))
		}
	}
	if len(how) == 0 || label.String() == how[0].String() {
		return label
	}
	return plan.Say("%s (%s)", label, plan.Join("%s, %s", how...))
}

// does words what only an action of a solution does: what it makes of "it", or what its tool does if another tool makes
// the same.
func (w *ways) does(s plan.Solution, a plan.Action, tool toolbox.Tool) plan.Message {
	if SharesPhrase(w.catalogue, tool) {
		return toolbox.Translated(Summary(tool))
	}
	d := newDescriber(w.catalogue, w.account, make([]plan.Result, len(s.Actions)))
	for i := range d.phrases {
		d.phrases[i] = plan.Say("it")
	}
	return d.planned(a)
}

// SharesPhrase reports whether another tool that returns the same type has the same phrase for what it makes.
func SharesPhrase(c *toolbox.Catalogue, tool toolbox.Tool) bool {
	phrase := func(t toolbox.Tool) string { return toolbox.Format(cmp.Or(t.Planned, t.Made)) }
	return slices.ContainsFunc(c.All(), func(o toolbox.Tool) bool {
		return o.Name != tool.Name && o.Returns == tool.Returns && phrase(o) == phrase(tool)
	})
}

// distinct returns the label, numbered if another offer has the same one.
func (w *ways) distinct(label plan.Message, tools []string) plan.Message {
	numbered := label
	for n := 2; w.taken[numbered.String()] != nil; n++ {
		numbered = plan.Say("%s (%d)", label, n)
	}
	w.taken[numbered.String()] = append([]string{}, tools...)
	return numbered
}

// mostSteps is the maximum number of steps that are described one by one.
const mostSteps = 3

// solution describes the results of a solution's actions, or only the last one if there are many.
func (w *ways) solution(s plan.Solution) plan.Message {
	d := newDescriber(w.catalogue, w.account, make([]plan.Result, len(s.Actions)))
	if last := len(s.Actions) - 1; last >= mostSteps {
		for i := range d.phrases {
			d.phrases[i] = plan.Say("it")
		}
		return plan.Say("%s, in %d steps", d.planned(s.Actions[last]), len(s.Actions))
	}
	var made plan.Message
	for i, a := range s.Actions {
		made = d.planned(a)
		d.phrases[i] = made
	}
	return made
}

// planned describes what an action will make, or what its tool does if the tool's phrase needs
// details from the result.
func (d *describer) planned(a plan.Action) plan.Message {
	tool, ok := d.catalogue.Tool(a.Tool)
	if !ok {
		return a.Returns.Article()
	}
	made := cmp.Or(tool.Planned, tool.Made)
	if slices.Contains(toolbox.Slots(made), toolbox.About) {
		return toolbox.Translated(Summary(tool))
	}
	return d.fill(tool, a, made, nil)
}

// Summary returns the first part of a tool's description, for use within a sentence.
func Summary(t toolbox.Tool) string {
	text := t.Description
	if i := strings.IndexAny(text, ".:;,("); i > 0 {
		text = strings.TrimSpace(text[:i])
	}
	first, size := utf8.DecodeRuneInString(text)
	return string(unicode.ToLower(first)) + text[size:]
}
