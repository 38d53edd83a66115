package wording_test

import (
	"slices"
	"testing"

	"atelier/agent/plan"
	"atelier/agent/planner"
	"atelier/agent/wording"
)

// steps are three steps, each on what the one before makes, of which the first is done.
func steps() planner.Account {
	photo := plan.Resource{Name: "photo-3f2a.png", Type: plan.Image, File: "photo.png"}
	act := func(tool string, returns plan.Type, args ...plan.Binding) plan.Step {
		return plan.Step{Action: plan.Action{Tool: tool, Returns: returns, Args: args}, Final: true}
	}
	on := func(s plan.Source) plan.Binding { return plan.Binding{Arg: "image", Source: s} }
	size := plan.Binding{Arg: "size", Source: plan.FromValue("half")}
	small := plan.Resource{Name: "photo-3f2a.resize-1.png", Type: plan.Image, File: "photo-half.png", About: "resized to 320 × 240 pixels"}
	return planner.Account{
		Plan: &plan.Plan{Resources: []plan.Resource{photo}},
		Steps: []plan.Step{
			act("resize_image", plan.Image, on(plan.FromResource(photo.Name)), size),
			act("rotate_image", plan.Image, on(plan.FromAction(0)), plan.Binding{Arg: "angle", Source: plan.FromValue("90")}),
			act("image_captioning", plan.Text, on(plan.FromAction(1))),
		},
		Results: []plan.Result{{Status: plan.Done, Output: &small}, {}, {}},
	}
}

func texts(all []plan.Message) []string {
	said := make([]string, len(all))
	for i, m := range all {
		said[i] = m.String()
	}
	return said
}

func TestSteps(t *testing.T) {
	t.Parallel()
	want := []string{"photo.png, resized to 320 × 240 pixels", "it, turned", "the description of it"}
	if got := texts(wording.Steps(catalogue(t), steps())); !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
	waiting := steps()
	waiting.Results[0] = plan.Result{}
	want[0] = "photo.png in another size"
	if got := texts(wording.Steps(catalogue(t), waiting)); !slices.Equal(got, want) {
		t.Errorf("before anything is done: got %q\nwant %q", got, want)
	}
}

func TestAlts(t *testing.T) {
	t.Parallel()
	a := steps()
	want := []string{"photo.png, resized to 320 × 240 pixels", "", ""}
	if got := texts(wording.Alts(catalogue(t), a)); !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
	said := plan.Resource{Name: "text-1", Type: plan.Text, Value: "A boat\non a lake."}
	a.Results[2] = plan.Result{Status: plan.Done, Output: &said}
	if got := texts(wording.Alts(catalogue(t), a)); got[0] != want[0]+": A boat on a lake." {
		t.Errorf("with a description: %q", got[0])
	}
}
