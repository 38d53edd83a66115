package llm

import (
	"fmt"
	"slices"
	"strings"

	"atelier/agent/plan"
	"atelier/agent/toolbox"
)

// How many bytes of a text stand in a question about tools and solutions: enough to see
// what it is.
const (
	excerptBytes     = 200
	descriptionBytes = 600
)

// wishShare is the part of the context that a wish may take there. Its subtasks say what
// it comes down to.
const wishShare = 8

// describer words what subtasks are about. Whatever comes from people, files or models
// is quoted.
type describer struct {
	resources []plan.Resource
	new       map[string]bool // resources that came with the wish
	tasks     []taskInHand    // in the order of the question
}

// taskInHand is a subtask of a question, with those of the plan before it.
type taskInHand struct {
	subtask plan.Subtask
	earlier []plan.Subtask
}

func newDescriber(r plan.Request, tasks []taskInHand) describer {
	d := describer{resources: r.Resources(), new: map[string]bool{}, tasks: tasks}
	for _, g := range r.Given {
		d.new[g.Name] = true
	}
	return d
}

// quoted is an excerpt of a text that is data.
func quoted(s string, most int) string {
	q, err := quote(excerpt(s, most))
	if err != nil { // no string fails to be encoded
		return `""`
	}
	return q
}

// source words where a value of the subtask numbered at comes from.
func (d describer) source(at int, s plan.Source) string {
	switch s.Kind {
	case plan.OfResource:
		return quoted(s.Name, excerptBytes)
	case plan.OfValue:
		return quoted(s.Value, excerptBytes)
	case plan.OfAction:
		return fmt.Sprintf("output of step %d", s.Index+1)
	case plan.OfSubtask:
		return d.result(at, s.Index)
	case plan.OfText:
		return quoted(s.Expand(func(part plan.Source) string {
			if part.Kind == plan.OfResource {
				return "<" + part.Name + ">"
			}
			return "<" + d.source(at, part) + ">"
		}), excerptBytes)
	default:
		return "nothing"
	}
}

// result words the result of an earlier subtask: by its number where it is in the same
// question, and otherwise by what it is about.
func (d describer) result(at, index int) string {
	earlier := d.tasks[at].earlier
	if index < 0 || index >= len(earlier) {
		return "the result of an earlier task"
	}
	for i, t := range d.tasks[:at] {
		if len(t.earlier) == index {
			return fmt.Sprintf("the result of task %d", i+1)
		}
	}
	return "the result of " + quoted(earlier[index].Description, excerptBytes)
}

// given words what a subtask is given, and the results before it that it may use.
func (d describer) given(at int) string {
	t := d.tasks[at]
	var all []string
	taken := map[int]bool{}
	for _, a := range t.subtask.Args {
		all = append(all, kindOf(a.Type, a.Meaning)+" "+d.source(at, a.Source))
		for _, leaf := range a.Source.Leaves() {
			taken[leaf.Index] = taken[leaf.Index] || leaf.Kind == plan.OfSubtask
		}
	}
	for _, s := range t.subtask.Said {
		all = append(all, "setting/"+s.Type+" "+quoted(s.Text(), excerptBytes))
	}
	if len(all) == 0 {
		all = []string{"nothing"}
	}
	for _, i := range t.subtask.After {
		if !taken[i] && i >= 0 && i < len(t.earlier) {
			all = append(all, "if of use, "+string(t.earlier[i].Returns)+" "+d.result(at, i))
		}
	}
	return strings.Join(all, "; ")
}

// kindOf is a type, and what a text of it stands for.
func kindOf(t plan.Type, m plan.Meaning) string {
	if m == "" {
		return string(t)
	}
	return string(t) + "/" + string(m)
}

// kindOfArg is what an argument takes: a type, a text of some meaning, or a setting.
func kindOfArg(a toolbox.Arg, mark string) string {
	switch {
	case a.Param != nil:
		return "setting" + mark + string(a.Param.Type)
	case a.Meaning != "":
		return string(a.Type) + mark + string(a.Meaning)
	default:
		return string(a.Type)
	}
}

// files words what is known, beside names and types, of the resources that the sources
// speak of, in the order of the thread.
func (d describer) files(sources []plan.Source) []string {
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
		line := quoted(r.Name, excerptBytes) + ": " + string(r.Type)
		if !d.new[r.Name] {
			line += ", from earlier in the thread"
		}
		if r.On != "" {
			line += ", the part of " + quoted(r.On, excerptBytes) + " that the person marked"
		} else if r.About != "" {
			line += ", about " + quoted(r.About, excerptBytes)
		}
		if text {
			line += ", says " + quoted(r.Value, excerptBytes)
		}
		all = append(all, line)
	}
	return all
}

// sourcesOf are those that a subtask gives.
func sourcesOf(sub plan.Subtask) []plan.Source {
	all := make([]plan.Source, len(sub.Args))
	for i, a := range sub.Args {
		all[i] = a.Source
	}
	return all
}

// A toolLine describes a tool in a line.
type toolLine func(toolbox.Tool) string

// wholeTool says all that is known of a tool.
func wholeTool(t toolbox.Tool) string {
	return fmt.Sprintf("%s. %s %s", signature(t, func(a toolbox.Arg) string { return " = " + a.About }), t.Description, t.When)
}

// briefTool leaves out what its arguments are.
func briefTool(t toolbox.Tool) string { return plainTool(t) + " " + t.When }

// plainTool says what tells it from others.
func plainTool(t toolbox.Tool) string {
	return signature(t, func(toolbox.Arg) string { return "" }) + ". " + t.Description
}

// signature is a tool with the types of what it takes and makes.
func signature(t toolbox.Tool, about func(toolbox.Arg) string) string {
	args := make([]string, len(t.Args))
	for i, a := range t.Args {
		kind := kindOfArg(a, "/")
		switch {
		case a.Optional:
			kind += ", optional"
		case a.Many:
			kind += ", two or more"
		}
		args[i] = a.Name + ": " + kind + about(a)
	}
	return fmt.Sprintf("%s(%s) -> %s", t.Name, strings.Join(args, "; "), t.Returns)
}

// named are the tools of the catalogue with these names, in its order, each once.
func (m *Planner) named(names map[string]bool) []toolbox.Tool {
	return slices.DeleteFunc(slices.Clone(m.config.Catalogue.Tools()), func(t toolbox.Tool) bool { return !names[t.Name] })
}

// circumstances are what a question about subtasks begins with.
type circumstances struct {
	Wish     string
	Question *plan.Question // that the wish answers
	Files    []string
}

func (m *Planner) circumstances(r plan.Request, files []string) circumstances {
	most := m.config.ContextTokens / wishShare
	c := circumstances{Wish: clipMiddle(r.Wish, most), Files: files}
	if r.Question != nil {
		c.Question = &plan.Question{Text: clipMiddle(r.Question.Listed(), most/2), Wish: clipMiddle(r.Question.Wish, most)}
	}
	return c
}
