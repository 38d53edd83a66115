package plan_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"atelier/agent/plan"
)

// show writes steps as lines "tool(source, …) task+also*", a star for a final one.
func show(steps []plan.Step) string {
	var lines []string
	for _, s := range steps {
		var args []string
		for _, b := range s.Action.Args {
			args = append(args, b.Source.String())
		}
		var line strings.Builder
		fmt.Fprintf(&line, "%s(%s) %d", s.Action.Tool, strings.Join(args, ", "), s.Task)
		for _, also := range s.Also {
			fmt.Fprintf(&line, "+%d", also)
		}
		if s.Final {
			line.WriteString("*")
		}
		lines = append(lines, line.String())
	}
	return strings.Join(lines, "\n")
}

func TestSteps(t *testing.T) {
	t.Parallel()
	caption := action("caption", plan.Text, takes(plan.Image, plan.FromResource("photo")))
	say := func(s plan.Source) plan.Action { return action("say", plan.Audio, takes(plan.Text, s)) }
	for _, c := range []struct {
		name   string
		tasks  []plan.Task
		choice plan.Choice
		want   string
		final  []int
	}{
		{"no tasks", nil, plan.Choice{}, "", []int{}},
		{
			"a chain", []plan.Task{task(plan.Audio, []plan.Action{caption, say(plan.FromAction(0))})}, plan.Choice{0},
			"caption(photo) 0\nsay(<action 1>) 0*", []int{1},
		},
		{
			"equal actions of two subtasks are one step",
			[]plan.Task{
				task(plan.Audio, []plan.Action{caption, say(plan.FromAction(0))}),
				task(plan.Image, []plan.Action{caption, action("draw", plan.Image, takes(plan.Text, plan.FromAction(0)))}),
			},
			plan.Choice{0, 0}, "caption(photo) 0+1\nsay(<action 1>) 0*\ndraw(<action 1>) 1*", []int{1, 2},
		},
		{
			"equal actions of one solution are one step",
			[]plan.Task{task(plan.Text, []plan.Action{caption, caption, action("join", plan.Text, takes(plan.Text, plan.FromAction(0)), takes(plan.Text, plan.FromAction(1)))})},
			plan.Choice{0}, "caption(photo) 0\njoin(<action 1>, <action 1>) 0*", []int{1},
		},
		{
			"two subtasks may come to the same",
			[]plan.Task{task(plan.Text, []plan.Action{caption}), task(plan.Text, []plan.Action{caption})}, plan.Choice{0, 0},
			"caption(photo) 0+1*", []int{0, 0},
		},
		{
			"the result of an earlier subtask",
			[]plan.Task{task(plan.Text, []plan.Action{caption}), task(plan.Audio, []plan.Action{say(plan.FromSubtask(0))})}, plan.Choice{0, 0},
			"caption(photo) 0*\nsay(<action 1>) 1*", []int{0, 1},
		},
		{
			"a result of a subtask and the same action within another are one",
			[]plan.Task{task(plan.Text, []plan.Action{caption}), task(plan.Audio, []plan.Action{caption, say(plan.FromAction(0))}), task(plan.Audio, []plan.Action{say(plan.FromSubtask(0))})},
			plan.Choice{0, 0, 0}, "caption(photo) 0+1*\nsay(<action 1>) 1+2*", []int{0, 1, 1},
		},
		{
			"the chosen solution",
			[]plan.Task{task(plan.Text, []plan.Action{caption}, []plan.Action{action("describe", plan.Text, takes(plan.Image, plan.FromResource("photo")))}), task(plan.Audio, []plan.Action{say(plan.FromSubtask(0))})},
			plan.Choice{1, 0}, "describe(photo) 0*\nsay(<action 1>) 1*", []int{0, 1},
		},
		{
			"what would need a result that nobody makes is left out",
			[]plan.Task{task(plan.Text), task(plan.Audio, []plan.Action{say(plan.FromSubtask(0))}), task(plan.Text, []plan.Action{caption}), task(plan.Text, []plan.Action{action("listen", plan.Text, takes(plan.Audio, plan.FromSubtask(1)))})},
			plan.Choice{-1, 0, 0, 0}, "caption(photo) 2*", []int{-1, -1, 0, -1},
		},
		{
			"with everything that would serve it alone",
			[]plan.Task{task(plan.Text), task(plan.Text, []plan.Action{caption, action("join", plan.Text, takes(plan.Text, plan.FromAction(0)), takes(plan.Text, plan.FromSubtask(0)))})},
			plan.Choice{-1, 0}, "", []int{-1, -1},
		},
		{
			"a text that quotes",
			[]plan.Task{task(plan.Text, []plan.Action{caption}), task(plan.Text, []plan.Action{action("ask", plan.Text, takes(plan.Text, plan.FromText("is {0} like {1}?", plan.FromSubtask(0), plan.FromResource("note"))))})},
			plan.Choice{0, 0}, "caption(photo) 0*\nask(\"is <action 1> like note?\") 1*", []int{0, 1},
		},
		{
			"a text that quotes what nobody makes",
			[]plan.Task{task(plan.Text), task(plan.Text, []plan.Action{action("ask", plan.Text, takes(plan.Text, plan.FromText("{0}", plan.FromSubtask(0))))})},
			plan.Choice{-1, 0}, "", []int{-1, -1},
		},
		{
			"a task may be left out", []plan.Task{task(plan.Text, []plan.Action{caption})}, plan.Choice{-1}, "", []int{-1},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			p := plan.Plan{Resources: []plan.Resource{photo, note}, Tasks: c.tasks}
			if err := p.Validate(); err != nil {
				t.Fatal(err)
			}
			steps, final, err := p.Steps(c.choice)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.want, show(steps)); diff != "" {
				t.Errorf("other steps than wanted:\n%s", diff)
			}
			if !slices.Equal(final, c.final) {
				t.Errorf("the results are made by %v, want %v", final, c.final)
			}
		})
	}
}

func TestStepsRefuse(t *testing.T) {
	t.Parallel()
	one := func(b plan.Binding) []plan.Task {
		return []plan.Task{task(plan.Text, []plan.Action{action("x", plan.Text, b)})}
	}
	for _, c := range []struct {
		name   string
		tasks  []plan.Task
		choice plan.Choice
		want   string
	}{
		{"too short a choice", one(takes(plan.Text, plan.FromValue("v"))), nil, "the choice has 0 solutions for 1 subtasks"},
		{"too long a choice", nil, plan.Choice{0}, "the choice has 1 solutions for 0 subtasks"},
		{"a solution that is not there", one(takes(plan.Text, plan.FromValue("v"))), plan.Choice{1}, "subtask 1 has no solution 2"},
		{"a blank", one(plan.Binding{Type: plan.Text}), plan.Choice{0}, `subtask 1, action 1: argument "a" of x is blank`},
		{"a later action", one(takes(plan.Text, plan.FromAction(0))), plan.Choice{0}, "output of action 1"},
		{"a later subtask", one(takes(plan.Text, plan.FromSubtask(0))), plan.Choice{0}, "result of subtask 1"},
		{"less than none", one(takes(plan.Text, plan.FromSubtask(-1))), plan.Choice{0}, "result of subtask 0"},
		{"a text that quotes a later subtask", one(takes(plan.Text, plan.FromText("{0}", plan.FromSubtask(3)))), plan.Choice{0}, "result of subtask 4"},
	} {
		_, _, err := (&plan.Plan{Tasks: c.tasks}).Steps(c.choice)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: the error is %v, want %q in it", c.name, err, c.want)
		}
	}
}

func TestKeysIdentifyComputation(t *testing.T) {
	t.Parallel()
	key := func(a plan.Action) string {
		p := plan.Plan{Tasks: []plan.Task{task(plan.Image), task(a.Returns, []plan.Action{action("first", plan.Text), a})}}
		steps, _, err := p.Steps(plan.Choice{-1, 0})
		if err != nil {
			t.Fatal(err)
		}
		return steps[len(steps)-1].Key
	}
	text := func(s plan.Source) plan.Action { return action("x", plan.Text, takes(plan.Text, s)) }
	seen := map[string]string{}
	candidate := text(plan.FromValue("v"))
	candidate.Candidate = "other"
	seed, count := text(plan.FromValue("v")), text(plan.FromValue("v"))
	seed.Seed, count.Count = 7, 4
	for name, a := range map[string]plan.Action{
		"a seed":               seed,
		"a count":              count,
		"a literal":            text(plan.FromValue("v")),
		"another literal":      text(plan.FromValue("w")),
		"a resource":           text(plan.FromResource("v")),
		"an output":            text(plan.FromAction(0)),
		"another tool":         action("y", plan.Text, takes(plan.Text, plan.FromValue("v"))),
		"another candidate":    candidate,
		"another argument":     action("x", plan.Text, plan.Binding{Type: plan.Text, Optional: true}, takes(plan.Text, plan.FromValue("v"))),
		"no argument":          action("x", plan.Text),
		"a text":               text(plan.FromText("v")),
		"a text with a part":   text(plan.FromText("v", plan.FromResource("v"))),
		"parts in order":       text(plan.FromText("v", plan.FromResource("v"), plan.FromResource("w"))),
		"parts in other order": text(plan.FromText("v", plan.FromResource("w"), plan.FromResource("v"))),
		"two arguments":        action("x", plan.Text, takes(plan.Text, plan.FromValue("v")), takes(plan.Text, plan.FromValue("w"))),
		"exchanged arguments":  action("x", plan.Text, takes(plan.Text, plan.FromValue("w")), takes(plan.Text, plan.FromValue("v"))),
	} {
		k := key(a)
		if other, ok := seen[k]; ok {
			t.Errorf("%s has the key of %s", name, other)
		}
		seen[k] = name
		if k != key(a) {
			t.Errorf("%s has two keys", name)
		}
	}
	blank := action("x", plan.Text, takes(plan.Text, plan.FromValue("v")), plan.Binding{Type: plan.Text, Optional: true})
	if key(blank) != key(text(plan.FromValue("v"))) {
		t.Error("a blank optional argument changes what is computed")
	}
	options := text(plan.FromValue("v"))
	options.Args[0].Options = []plan.Source{plan.FromValue("w")}
	if key(options) != key(text(plan.FromValue("v"))) {
		t.Error("what might have been chosen changes what is computed")
	}
	// written down, so that a change of the encoding is noticed: stored results are found by key
	if got, want := key(text(plan.FromValue("v"))), "ea21e981b13d642c8cf2925c"; got != want {
		t.Errorf("the key is %s", got)
	}
}

// Whatever the plan and the choice: the steps stand in an order in which they can run,
// no work is done twice or for nothing, and running what is ready does everything.
func TestStepsCanRunInOrder(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		p := plans().Draw(t, "plan")
		c := choices(t, p)
		steps, final, err := p.Steps(c)
		if err != nil {
			t.Fatal(err)
		}
		again, _, err := p.Steps(c)
		if diff := cmp.Diff(steps, again); diff != "" || err != nil {
			t.Fatalf("the same plan gives other steps (%v):\n%s", err, diff)
		}
		keys := map[string]bool{}
		for i, s := range steps {
			if keys[s.Key] {
				t.Fatalf("step %d is done twice", i)
			}
			keys[s.Key] = true
			for _, in := range s.Inputs() {
				if in < 0 || in >= i {
					t.Fatalf("step %d takes step %d, which is not before it", i, in)
				}
			}
			if s.Final != slices.Contains(final, i) {
				t.Fatalf("step %d is final: %t, but the results are made by %v", i, s.Final, final)
			}
			if slices.Contains(s.Also, s.Task) || !slices.IsSorted(s.Also) {
				t.Fatalf("step %d serves %d and also %v", i, s.Task, s.Also)
			}
		}
		for i, f := range final {
			if f < 0 {
				continue
			}
			last := p.Tasks[i].Solutions[c[i]].Actions
			if got := steps[f].Action.Tool; got != last[len(last)-1].Tool {
				t.Fatalf("subtask %d ends with %s", i, got)
			}
		}
		runAll(t, steps)
		checkShared(t, p, steps)
	})
}

// runAll does what is ready until nothing is.
func runAll(t *rapid.T, steps []plan.Step) {
	status := map[string]plan.Status{}
	for {
		ready := plan.Ready(steps, status)
		if len(ready) == 0 {
			break
		}
		for _, i := range ready {
			if st := status[steps[i].Key]; st != "" {
				t.Fatalf("step %d is ready though it is %s", i, st)
			}
			status[steps[i].Key] = plan.Done
		}
	}
	if len(status) != len(steps) {
		t.Fatalf("%d of %d steps were never ready", len(steps)-len(status), len(steps))
	}
}

// checkShared holds that a step of one choice has the same key in every other one.
func checkShared(t *rapid.T, p *plan.Plan, steps []plan.Step) {
	other, _, err := p.Steps(choices(t, p))
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range steps {
		for _, b := range other {
			if a.Key == b.Key && (a.Action.Tool != b.Action.Tool || a.Action.Candidate != b.Action.Candidate) {
				t.Fatalf("%s and %s have the same key", a.Action.Tool, b.Action.Tool)
			}
		}
	}
}

func TestReady(t *testing.T) {
	t.Parallel()
	steps := []plan.Step{
		{Key: "a"},
		{Key: "b", Action: action("b", plan.Text, takes(plan.Text, plan.FromAction(0)))},
		{Key: "c", Action: action("c", plan.Text, takes(plan.Text, plan.FromText("{0}{1}", plan.FromAction(0), plan.FromAction(1))))},
		{Key: "d"},
	}
	for _, c := range []struct {
		status map[string]plan.Status
		want   []int
	}{
		{nil, []int{0, 3}},
		{map[string]plan.Status{"a": plan.Waiting, "d": plan.Waiting}, []int{0, 3}},
		{map[string]plan.Status{"a": plan.Running}, []int{3}},
		{map[string]plan.Status{"a": plan.Done}, []int{1, 3}},
		{map[string]plan.Status{"a": plan.Done, "b": plan.Running, "d": plan.Done}, nil},
		{map[string]plan.Status{"a": plan.Done, "b": plan.Done, "d": plan.Done}, []int{2}},
		{map[string]plan.Status{"a": plan.Failed}, []int{3}},
		{map[string]plan.Status{"a": plan.Done, "b": plan.Skipped, "d": plan.Failed}, nil},
		{map[string]plan.Status{"b": plan.Done, "unknown": plan.Done}, []int{0, 3}},
	} {
		if got := plan.Ready(steps, c.status); !slices.Equal(got, c.want) {
			t.Errorf("of %v, %v are ready, want %v", c.status, got, c.want)
		}
	}
}
