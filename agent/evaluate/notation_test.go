package evaluate

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"testing"

	"atelier/agent/plan"
)

// readPlan reads a plan in the notation of testdata/judge. Each line is one of:
//
//	resource NAME TYPE     a resource whose type the plan determined
//	task TYPE              a subtask and its return type; its best solution follows
//	or                     the next solution of the subtask
//	  TOOL ARG:TYPE=SOURCE… -> TYPE
//	ask, reply, refuse, fault, error TEXT
//
// A source is a resource's name, "a literal", @0 (an action's output), #0 (a subtask's
// result), "a text about {0}"[#0], ? (blank) or ~ (blank and optional).
func readPlan(t *testing.T, text string) answer {
	t.Helper()
	p := &plan.Plan{}
	a := answer{plan: p}
	var task *plan.Task
	next := true // the next action begins a solution
	for line := range strings.Lines(text) {
		word, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
		switch word {
		case "", "want:", "why:":
		case "resource":
			name, kind, _ := strings.Cut(rest, " ")
			p.Resources = append(p.Resources, plan.Resource{Name: name, Type: plan.Type(kind)})
		case "task":
			p.Tasks = append(p.Tasks, plan.Task{Subtask: plan.Subtask{Description: "part", Returns: plan.Type(rest)}})
			task, next = &p.Tasks[len(p.Tasks)-1], true
		case "or":
			next = true
		case "ask":
			p.Question = rest
		case "reply", "refuse":
			p.Reply, p.Refused = rest, word == "refuse"
		case "fault":
			a = answer{err: &plan.Fault{Sentence: plan.Quote(rest)}}
		case "error":
			a = answer{err: errors.New(rest)}
		default:
			if next {
				task.Solutions = append(task.Solutions, plan.Solution{Score: 4})
				next = false
			}
			s := &task.Solutions[len(task.Solutions)-1]
			s.Actions = append(s.Actions, readAction(t, word, rest))
		}
	}
	return a
}

func readAction(t *testing.T, tool, text string) plan.Action {
	t.Helper()
	args, returns, ok := strings.Cut(text, "-> ")
	if !ok {
		t.Fatalf("%s %s: returns nothing", tool, text)
	}
	a := plan.Action{Tool: tool, Returns: plan.Type(returns)}
	for args = strings.TrimSpace(args); args != ""; args = strings.TrimSpace(args) {
		var name, kind, source string
		name, args, _ = strings.Cut(args, ":")
		kind, args, _ = strings.Cut(args, "=")
		if strings.HasPrefix(args, `"`) {
			end := strings.Index(args[1:], `"`) + 2
			source, args = args[:end], args[end:]
		}
		end := strings.IndexByte(args+" ", ' ')
		source, args = source+args[:end], args[end:]
		b := plan.Binding{Arg: name, Type: plan.Type(kind), Optional: source == "~"}
		b.Source = readSource(t, source)
		a.Args = append(a.Args, b)
	}
	return a
}

func readSource(t *testing.T, s string) plan.Source {
	t.Helper()
	index := func() int {
		i, err := strconv.Atoi(s[1:])
		if err != nil {
			t.Fatalf("source %s: %v", s, err)
		}
		return i
	}
	switch {
	case s == "?", s == "~":
		return plan.Source{}
	case s[0] == '@':
		return plan.FromAction(index())
	case s[0] == '#':
		return plan.FromSubtask(index())
	case s[0] != '"':
		return plan.FromResource(s)
	}
	end := strings.LastIndexByte(s, '"')
	literal, quoted := s[1:end], strings.Trim(s[end+1:], "[]")
	if quoted == "" {
		return plan.FromValue(literal)
	}
	var parts []plan.Source
	for part := range strings.SplitSeq(quoted, ",") {
		parts = append(parts, readSource(t, part))
	}
	return plan.FromText(literal, parts...)
}

// flags lists the verdict's properties in short form.
func (v *verdict) flags() string {
	var flags []string
	for _, f := range []struct {
		name  string
		holds bool
	}{
		{"solved", v.solved}, {"strict", v.strict}, {"nr", v.necessary},
		{"ir", v.irrelevant}, {"hr", v.hallucinated}, {"cr", v.coherent},
	} {
		if f.holds {
			flags = append(flags, f.name)
		}
	}
	return fmt.Sprint(flags)
}
