// Package brief describes subtasks for a question: what each is about, the files that it mentions,
// and the tools that may do it.
//
// Text from people, files or models is quoted.
package brief

import (
	"fmt"
	"strings"

	"atelier/agent/plan"
	"atelier/agent/planner/llm/prompt"
	"atelier/agent/planner/llm/token"
)

// The maximum bytes of texts in a question about tools and solutions: enough to recognise them.
const (
	ExcerptBytes     = 200
	DescriptionBytes = 600
	ShownBytes       = 60 // of an invalid name repeated in a complaint
)

// Brief describes subtasks.
type Brief struct {
	resources []plan.Resource
	new       map[string]bool // resources that came with the request
	tasks     []Task          // in the order of the question
}

// Task is a subtask of a question, with the plan's earlier subtasks.
type Task struct {
	Subtask plan.Subtask
	Earlier []plan.Subtask
}

// New returns the brief for some subtasks of a request.
func New(r plan.Request, tasks []Task) Brief {
	d := Brief{resources: r.Resources(), new: map[string]bool{}, tasks: tasks}
	for _, g := range r.Given {
		d.new[g.Name] = true
	}
	return d
}

// Quoted returns an excerpt of a text, quoted as data.
func Quoted(s string, most int) string {
	q, err := prompt.Quote(token.Excerpt(s, most))
	if err != nil { // strings can always be encoded
		return `""`
	}
	return q
}

// Source describes a source of the subtask at index at.
func (d Brief) Source(at int, s plan.Source) string {
	switch s.Kind {
	case plan.OfResource:
		return Quoted(s.Name, ExcerptBytes)
	case plan.OfValue:
		return Quoted(s.Value, ExcerptBytes)
	case plan.OfAction:
		return fmt.Sprintf("output of step %d", s.Index+1)
	case plan.OfSubtask:
		return d.result(at, s.Index)
	case plan.OfText:
		return Quoted(s.Expand(func(part plan.Source) string {
			if part.Kind == plan.OfResource {
				return "<" + part.Name + ">"
			}
			return "<" + d.Source(at, part) + ">"
		}), ExcerptBytes)
	default:
		return "nothing"
	}
}

// Given describes the inputs of a subtask, and the earlier results that it may use.
func (d Brief) Given(at int) string {
	t := d.tasks[at]
	var all []string
	taken := map[int]bool{}
	for _, a := range t.Subtask.Args {
		all = append(all, KindOf(a.Type, a.Meaning)+" "+d.Source(at, a.Source))
		for _, leaf := range a.Source.Leaves() {
			taken[leaf.Index] = taken[leaf.Index] || leaf.Kind == plan.OfSubtask
		}
	}
	for _, s := range t.Subtask.Said {
		all = append(all, "setting/"+s.Type+" "+Quoted(s.Text(), ExcerptBytes))
	}
	if len(all) == 0 {
		all = []string{"nothing"}
	}
	for _, i := range t.Subtask.After {
		if !taken[i] && i >= 0 && i < len(t.Earlier) {
			all = append(all, "if of use, "+string(t.Earlier[i].Returns)+" "+d.result(at, i))
		}
	}
	return strings.Join(all, "; ")
}

// KindOf returns a type with its meaning, if any.
func KindOf(t plan.Type, m plan.Meaning) string {
	if m == "" {
		return string(t)
	}
	return string(t) + "/" + string(m)
}

// Files describes the resources in the sources, beyond names and types, in the order of the thread.
func (d Brief) Files(sources []plan.Source) []string {
	spoken := map[string]bool{}
	for _, s := range sources {
		for _, leaf := range s.Leaves() {
			if leaf.Kind == plan.OfResource {
				spoken[leaf.Name] = true
			}
		}
	}
	var all []string
	for _, r := range d.resources {
		text := r.Value != "" && !r.Type.Media()
		if !spoken[r.Name] || d.new[r.Name] && r.About == "" && r.On == "" && !text {
			continue
		}
		line := Quoted(r.Name, ExcerptBytes) + ": " + string(r.Type)
		if !d.new[r.Name] {
			line += ", from earlier in the thread"
		}
		if r.On != "" {
			line += ", the part of " + Quoted(r.On, ExcerptBytes) + " that the person marked"
		} else if r.About != "" {
			line += ", about " + Quoted(r.About, ExcerptBytes)
		}
		if text {
			line += ", says " + Quoted(r.Value, ExcerptBytes)
		}
		all = append(all, line)
	}
	return all
}

// result describes the result of an earlier subtask: by number if it is in the same question, else
// by description.
func (d Brief) result(at, index int) string {
	earlier := d.tasks[at].Earlier
	if index < 0 || index >= len(earlier) {
		return "the result of an earlier task"
	}
	for i, t := range d.tasks[:at] {
		if len(t.Earlier) == index {
			return fmt.Sprintf("the result of task %d", i+1)
		}
	}
	return "the result of " + Quoted(earlier[index].Description, ExcerptBytes)
}

// Sources returns the sources of a subtask's inputs.
func Sources(sub plan.Subtask) []plan.Source {
	all := make([]plan.Source, len(sub.Args))
	for i, a := range sub.Args {
		all[i] = a.Source
	}
	return all
}
