package draft

import (
	"fmt"
	"slices"
	"strings"

	"atelier/agent/plan"
	"atelier/agent/planner/rules/scene"
	"atelier/agent/toolbox/param"
)

// Subtask returns the clause's subtask for one choice of resources.
func (d *Drafter) Subtask(r *scene.Reading, media []scene.Thing) plan.Subtask {
	sub := plan.Subtask{Description: r.Text, Returns: r.Head.Returns, Tool: r.Head.Name}
	for _, e := range media {
		if e.Typ != plan.Text || r.Head.Takes(plan.AnyFile) { // other texts are passed by their meaning
			sub.Args = append(sub.Args, plan.Arg{Type: e.Typ, Source: e.Source})
		}
	}
	for _, a := range (texts{d.Reader, r, media}).all() {
		sub = AddValue(sub, a)
	}
	sub.Domains = d.Domains(r.Head, sub, r.Marked())
	sub.After = Dependencies(sub.Args)
	return sub
}

// toldArg is the value in a clause for an argument of a tool.
type toldArg struct {
	plan.Arg

	setting param.Type // type of the parameter; "" for a resource
	words   string     // words of the request, if the value is computed from them
}

// AddValue adds a value to a subtask.
func AddValue(sub plan.Subtask, a toldArg) plan.Subtask {
	if a.setting != "" {
		said := plan.Said{Words: a.Source.Value, Type: string(a.setting)}
		if a.words != "" {
			said.Words, said.Value = a.words, a.Source.Value
		}
		sub.Said = append(sub.Said, said)
	} else {
		sub.Args = append(sub.Args, a.Arg)
	}
	return sub
}

// AllArgs returns the arguments of a subtask, with its settings as texts.
func AllArgs(sub plan.Subtask) []plan.Arg {
	var all []plan.Arg
	for _, a := range allTold(sub) {
		all = append(all, a.Arg)
	}
	return all
}

// allTold returns the arguments and settings of a subtask.
func allTold(sub plan.Subtask) []toldArg {
	var all []toldArg
	for _, a := range sub.Args {
		all = append(all, toldArg{Arg: a})
	}
	for _, s := range sub.Said {
		typ := param.Type(s.Type)
		all = append(all, toldArg{Arg: plan.Arg{Type: plan.Text, Source: plan.FromValue(s.Text()), Meaning: typ.Meaning()}, setting: typ})
	}
	return all
}

// Dependencies returns the indexes of the subtasks whose results the arguments use.
func Dependencies(args []plan.Arg) []int {
	var indexes []int
	for _, a := range args {
		for _, leaf := range a.Source.Leaves() {
			if leaf.Kind == plan.OfSubtask {
				indexes = append(indexes, leaf.Index)
			}
		}
	}
	slices.Sort(indexes)
	return slices.Compact(indexes)
}

// Quoting returns a question followed by the first ten texts that it is about.
func Quoting(question string, texts []scene.Thing) plan.Source {
	var lines []string
	if question != "" {
		lines = append(lines, question)
	}
	var parts []plan.Source
	for i, e := range texts[:min(10, len(texts))] {
		parts = append(parts, e.Source)
		lines = append(lines, fmt.Sprintf("{%d}", i))
	}
	return plan.FromText(strings.Join(lines, "\n"), parts...)
}
