package plan_test

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"atelier/agent/plan"
)

// action is an action whose arguments are called a, b, …
func action(tool string, returns plan.Type, args ...plan.Binding) plan.Action {
	for i := range args {
		args[i].Arg = string(rune('a' + i))
	}
	return plan.Action{Tool: tool, Returns: returns, Args: args}
}

func takes(t plan.Type, s plan.Source) plan.Binding { return plan.Binding{Type: t, Source: s} }

// task wants the type and has one solution for each list of actions.
func task(returns plan.Type, solutions ...[]plan.Action) plan.Task {
	t := plan.Task{Subtask: plan.Subtask{Description: "do it", Returns: returns}}
	for _, actions := range solutions {
		t.Solutions = append(t.Solutions, plan.Solution{Actions: actions, Score: 5})
	}
	return t
}

var photo, note, edges = plan.Resource{Name: "photo", Type: plan.Image}, plan.Resource{Name: "note", Type: plan.Text}, plan.Resource{Name: "edges", Type: plan.Edge}

func TestValidate(t *testing.T) {
	t.Parallel()
	given := func(a plan.Arg) []plan.Task {
		one := task(plan.Text)
		one.Subtask.Args = []plan.Arg{a}
		return []plan.Task{task(plan.Image), one}
	}
	doing := func(actions ...plan.Action) []plan.Task {
		return []plan.Task{task(plan.Text), task(plan.Image, actions)}
	}
	after := func(indexes ...int) []plan.Task {
		one := task(plan.Text)
		one.Subtask.After = indexes
		return []plan.Task{task(plan.Image), one}
	}
	blur := action("blur", plan.Image, takes(plan.Image, plan.FromResource("photo")))
	for _, c := range []struct {
		name      string
		resources []plan.Resource
		tasks     []plan.Task
		want      string // parts of the error, "" for a valid plan
	}{
		{"nothing", nil, nil, ""},
		{"resources alone", []plan.Resource{photo, note, edges}, nil, ""},
		{"a resource without a name", []plan.Resource{{Type: plan.Text}}, nil, "the name and the type are required"},
		{"a resource without a type", []plan.Resource{{Name: "x"}}, nil, `resource "x" of type "": the name`},
		{"a resource twice", []plan.Resource{photo, photo}, nil, `duplicate resource "photo"`},
		{"after an earlier subtask", nil, after(0), ""},
		{"after itself", nil, after(1), "subtask 2 depends on subtask 2"},
		{"after one that is not there", nil, after(7), "subtask 8"},
		{"after less than none", nil, after(-1), "subtask 2 depends on"},
		{"an input", []plan.Resource{photo}, given(plan.Arg{Type: plan.Image, Source: plan.FromResource("photo")}), ""},
		{"a special picture as a picture", []plan.Resource{edges}, given(plan.Arg{Type: plan.Image, Source: plan.FromResource("edges")}), ""},
		{"a picture as a special one", []plan.Resource{photo}, given(plan.Arg{Type: plan.Edge, Source: plan.FromResource("photo")}), "photo has type image, want edge"},
		{"an input that is not there", nil, given(plan.Arg{Type: plan.Image, Source: plan.FromResource("photo")}), `there is no resource "photo"`},
		{"an earlier result", nil, given(plan.Arg{Type: plan.Image, Source: plan.FromSubtask(0)}), ""},
		{"its own result", nil, given(plan.Arg{Type: plan.Text, Source: plan.FromSubtask(1)}), "subtask 2 is not an earlier one"},
		{"a result before all", nil, given(plan.Arg{Type: plan.Text, Source: plan.FromSubtask(-1)}), "is not an earlier one"},
		{"an action as an input", nil, given(plan.Arg{Type: plan.Text, Source: plan.FromAction(0)}), "action 1 is not an earlier one"},
		{"a literal", nil, given(plan.Arg{Type: plan.Text, Source: plan.FromValue("hi")}), ""},
		{"a literal picture", nil, given(plan.Arg{Type: plan.Image, Source: plan.FromValue("hi")}), "a literal cannot be of type image"},
		{"an open input", nil, given(plan.Arg{Type: plan.Image}), ""},
		{"a source of no kind", nil, given(plan.Arg{Type: plan.Text, Source: plan.Source{Kind: "dream"}}), `kind "dream"`},
		{"a text that quotes a text", []plan.Resource{note}, given(plan.Arg{Type: plan.Text, Source: plan.FromText("{0}", plan.FromResource("note"))}), ""},
		{"a text that quotes a picture", []plan.Resource{photo}, given(plan.Arg{Type: plan.Text, Source: plan.FromText("{0}", plan.FromResource("photo"))}), "cannot quote photo"},
		{"a text that quotes what is not there", nil, given(plan.Arg{Type: plan.Text, Source: plan.FromText("{0}", plan.FromResource("x"))}), `no resource "x"`},
		{"a text that quotes a blank", nil, given(plan.Arg{Type: plan.Text, Source: plan.FromText("{0}", plan.Source{})}), `kind ""`},
		{"a text as a picture", nil, given(plan.Arg{Type: plan.Image, Source: plan.FromText("{0}")}), "a text cannot be of type image"},
		{"an action", []plan.Resource{photo}, doing(blur), ""},
		{"two actions", []plan.Resource{photo}, doing(blur, action("edge", plan.Edge, takes(plan.Image, plan.FromAction(0)))), ""},
		{"no actions", nil, doing(), "subtask 2, solution 1: no actions"},
		{"the wrong result", []plan.Resource{photo}, doing(blur, action("caption", plan.Text, takes(plan.Image, plan.FromAction(0)))), "the result has type text, want image"},
		{"a later action", nil, doing(action("x", plan.Image, takes(plan.Image, plan.FromAction(1))), action("y", plan.Image)), `action 1 (x), argument "a": action 2 is not an earlier one`},
		{"its own output", nil, doing(action("x", plan.Image, takes(plan.Image, plan.FromAction(0)))), "action 1 is not an earlier one"},
		{"an action before all", nil, doing(action("x", plan.Image, takes(plan.Image, plan.FromAction(-1)))), "is not an earlier one"},
		{"an output of the wrong type", []plan.Resource{photo}, doing(blur, action("x", plan.Image, takes(plan.Text, plan.FromAction(0)))), "<action 1> has type image, want text"},
		{"an earlier result in an action", nil, doing(action("draw", plan.Image, takes(plan.Text, plan.FromSubtask(0)))), ""},
		{"its own result in an action", nil, doing(action("draw", plan.Image, takes(plan.Image, plan.FromSubtask(1)))), "subtask 2 is not an earlier one"},
		{"two faults", nil, append(after(1), doing()...), "subtask 2 depends on|subtask 4, solution 1: no actions"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			err := (&plan.Plan{Resources: c.resources, Tasks: c.tasks}).Validate()
			if c.want == "" {
				if err != nil {
					t.Errorf("a valid plan is refused: %v", err)
				}
				return
			}
			for want := range strings.SplitSeq(c.want, "|") {
				if err == nil || !strings.Contains(err.Error(), want) {
					t.Errorf("the error is %v, want %q in it", err, want)
				}
			}
		})
	}
}

// A plan is refused as soon as one source of it points at what is not there.
func TestUnknownReferencesAreInvalid(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		p := plans().Draw(t, "plan")
		if err := p.Validate(); err != nil {
			t.Fatalf("a valid plan is refused: %v", err)
		}
		var places []*plan.Source
		for _, task := range p.Tasks {
			for _, s := range task.Solutions {
				for _, a := range s.Actions {
					for i := range a.Args {
						places = append(places, &a.Args[i].Source)
					}
				}
			}
		}
		if len(places) == 0 {
			return
		}
		bad := rapid.SampledFrom([]plan.Source{
			plan.FromResource("nowhere"), plan.FromAction(9), plan.FromAction(-1), plan.FromSubtask(len(p.Tasks)), plan.FromText("{0}", plan.FromResource("nowhere")),
		}).Draw(t, "bad")
		*rapid.SampledFrom(places).Draw(t, "place") = bad
		if p.Validate() == nil {
			t.Fatalf("a plan with %s is accepted", bad)
		}
	})
}
