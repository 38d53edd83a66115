package plan_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"atelier/agent/plan"
)

// by is the action with a candidate, and what people call it.
func by(a plan.Action, candidate, with string) plan.Action {
	a.Candidate, a.With = candidate, with
	return a
}

func TestVaries(t *testing.T) {
	t.Parallel()
	photo, other := takes(plan.Image, plan.FromResource("a.png")), takes(plan.Image, plan.FromResource("b.png"))
	draw, blur := action("text_to_image", plan.Image), action("blur_image", plan.Image, photo)
	chosen := plan.Solution{Actions: []plan.Action{by(draw, "farm:draw@a", "Alpha"), blur}}
	for _, c := range []struct {
		name    string
		actions []plan.Action
		with    string
		varies  bool
	}{
		{"itself", chosen.Actions, "", true},
		{"another model", []plan.Action{by(draw, "farm:draw@b", "Beta"), blur}, "Beta", true},
		{"two others", []plan.Action{by(draw, "farm:draw@b", "Beta"), by(blur, "native:blur", "the built-in way")}, "Beta, the built-in way", true},
		{"the same model at another place", []plan.Action{by(draw, "cloud:draw@a", "Alpha"), blur}, "", true},
		{"one without a name", []plan.Action{by(draw, "farm:draw@c", ""), blur}, "", true},
		{"another picture", []plan.Action{by(draw, "farm:draw@a", "Alpha"), action("blur_image", plan.Image, other)}, "", false},
		{"another picture and another model", []plan.Action{by(draw, "farm:draw@b", "Beta"), action("blur_image", plan.Image, other)}, "", false},
		{"other tools", []plan.Action{by(draw, "farm:draw@b", "Beta")}, "", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s := plan.Solution{Actions: c.actions}
			if got := strings.Join(s.With(chosen), ", "); got != c.with {
				t.Errorf("with %q", got)
			}
			if s.Varies(chosen) != c.varies || chosen.Varies(s) != c.varies {
				t.Errorf("that it varies is %v", !c.varies)
			}
		})
	}
}

// A variant is made anew from the step on that it changes; what comes before is shared.
func TestVariantSharesEarlierSteps(t *testing.T) {
	t.Parallel()
	caption := action("caption", plan.Text, takes(plan.Image, plan.FromResource("a.png")))
	draw := action("draw", plan.Image, takes(plan.Text, plan.FromAction(0)))
	blur := action("blur", plan.Image, takes(plan.Image, plan.FromAction(1)))
	p := &plan.Plan{
		Resources: []plan.Resource{{Name: "a.png", Type: plan.Image}},
		Tasks: []plan.Task{task(plan.Image,
			[]plan.Action{caption, by(draw, "farm:draw@a", "Alpha"), blur},
			[]plan.Action{caption, by(draw, "farm:draw@b", "Beta"), blur},
			[]plan.Action{caption, by(draw, "farm:draw@a", "Alpha, as others call it"), blur},
		)},
	}
	keys := func(choice int) []string {
		steps, _, err := p.Steps(plan.Choice{choice})
		if err != nil {
			t.Fatal(err)
		}
		var all []string
		for _, s := range steps {
			all = append(all, s.Key)
		}
		return all
	}
	chosen, variant := keys(0), keys(1)
	if chosen[0] != variant[0] || chosen[1] == variant[1] || chosen[2] == variant[2] {
		t.Errorf("%v became %v", chosen, variant)
	}
	if renamed := keys(2); !slices.Equal(chosen, renamed) {
		t.Errorf("what people call a candidate changes the work: %v became %v", chosen, renamed)
	}
}

// TestUntriedVariantIsDetour: a process that fails has tried all of its own candidates of a tool; other processes may
// have more.
func TestUntriedVariantIsDetour(t *testing.T) {
	t.Parallel()
	photo := takes(plan.Image, plan.FromResource("a.png"))
	edge, blur := action("edge", plan.Edge, photo), action("blur", plan.Image, takes(plan.Image, plan.FromAction(0)))
	soften := action("soften", plan.Image, photo)
	failed := plan.Result{Status: plan.Failed, Problem: "No."}
	triedOne := plan.Result{Status: plan.Failed, Problem: "No.", Tried: []string{"a"}}
	triedBoth := plan.Result{Status: plan.Failed, Problem: "No.", Tried: []string{"a", "b"}}
	done := plan.Result{Status: plan.Done, Output: &plan.Resource{Name: "x", Type: plan.Edge}}
	for _, c := range []struct {
		name   string
		others [][]plan.Action
		ends   []plan.Result // of the first step of each way, and on
		want   plan.Choice
	}{
		{"the same by another candidate", [][]plan.Action{{by(edge, "b", "B"), blur}}, []plan.Result{failed}, plan.Choice{0}},
		{"another candidate that was tried too", [][]plan.Action{{by(edge, "b", "B"), blur}, {soften}}, []plan.Result{triedBoth}, plan.Choice{2}},
		{"another candidate that was not tried", [][]plan.Action{{by(edge, "b", "B"), blur}, {soften}}, []plan.Result{triedOne}, plan.Choice{1}},
		{"one that was tried in the meantime", [][]plan.Action{{by(edge, "b", "B"), blur}, {by(edge, "a", "A"), blur}, {soften}}, []plan.Result{triedOne, failed}, plan.Choice{3}},
		{"what follows, by one that was not tried", [][]plan.Action{{edge, by(blur, "b", "B")}}, []plan.Result{done, triedOne}, plan.Choice{1}},
		{"another way behind it", [][]plan.Action{{by(edge, "b", "B"), blur}, {soften}}, []plan.Result{failed}, plan.Choice{2}},
		{"what follows by another candidate", [][]plan.Action{{edge, by(blur, "b", "B")}}, []plan.Result{done, failed}, plan.Choice{0}},
		{"what failed at first, later in another way", [][]plan.Action{{soften}, {by(edge, "b", "B"), blur}}, []plan.Result{failed, failed}, plan.Choice{1}},
		{"what comes before by another candidate", [][]plan.Action{{by(edge, "b", "B"), blur}, {soften}}, []plan.Result{done, failed}, plan.Choice{2}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			p := &plan.Plan{
				Resources: []plan.Resource{{Name: "a.png", Type: plan.Image}},
				Tasks:     []plan.Task{task(plan.Image, append([][]plan.Action{{edge, blur}}, c.others...)...)},
			}
			r := newRoute(t, p, p.Best())
			for _, end := range c.ends {
				if _, err := r.Record(r.Steps()[r.Ready()[0]].Key, end); err != nil {
					t.Fatal(err)
				}
			}
			if got := r.Choice(); !slices.Equal(got, c.want) {
				t.Errorf("solution %v is taken, with %v", got, english(r.Fallbacks()))
			}
		})
	}
}

// A way that is taken in place of another holds no work that failed before.
func TestDetoursLeaveFailuresBehind(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		p := plans().Draw(t, "plan")
		r := newRoute(t, p, choices(t, p))
		failed := map[string][]string{}
		for !r.Ended() {
			steps := r.Steps()
			at := r.Ready()[0]
			end := drawEnd(t)
			if end.Status == plan.Failed {
				end.Tried = append([]string{steps[at].Action.Candidate}, rapid.SliceOf(rapid.SampledFrom([]string{"", "gpu", "far"})).Draw(t, "tried")...)
				failed[work(steps, at)] = append(failed[work(steps, at)], end.Tried...)
			}
			before := r.Choice()
			changed, err := r.Record(steps[at].Key, end)
			if err != nil {
				t.Fatal(err)
			}
			for i, s := range r.Steps() {
				if changed && before[s.Task] != r.Choice()[s.Task] && slices.Contains(failed[work(r.Steps(), i)], s.Action.Candidate) {
					t.Fatalf("%s failed and is done again by %q", s.Action.Tool, s.Action.Candidate)
				}
			}
		}
	})
}

// work tells what a step does, whoever does it.
func work(steps []plan.Step, at int) string {
	var args []string
	for _, b := range steps[at].Action.Args {
		all := []string{string(b.Source.Kind), b.Source.Value}
		for _, leaf := range b.Source.Leaves() {
			if leaf.Kind == plan.OfAction {
				all = append(all, work(steps, leaf.Index))
			} else {
				all = append(all, leaf.Name, leaf.Value)
			}
		}
		args = append(args, fmt.Sprintf("%s=%q", b.Arg, all))
	}
	return steps[at].Action.Tool + "(" + strings.Join(args, ";") + ")"
}
