package wording_test

import (
	"slices"
	"testing"

	"atelier/agent/plan"
	"atelier/agent/toolbox"
	"atelier/agent/wording"
)

// TestWaysOfAnOperator: a side takes an article where the phrase of the tool calls for one.
func TestWaysOfAnOperator(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ made, said, want string }{
		{"a picture, mirrored onto {half}", "right", "a picture, mirrored onto the right"},
		{"a picture, mirrored onto {half}", "right half", "a picture, mirrored onto the right half"},
		{"a picture, turned {half}", "left", "a picture, turned left"},
		{"a picture, mirrored {half}", "left to right", "a picture, mirrored left to right"},
		{"a picture, mirrored onto {half}", "itself", "a picture, mirrored onto itself"},
	} {
		tool := toolbox.Tool{Name: "mirror", Made: c.made, Returns: plan.Image, Args: []toolbox.Arg{{Name: "half", Type: plan.Text, Meaning: plan.Place}}}
		mirror := plan.Action{Tool: "mirror", Returns: plan.Image, Args: []plan.Binding{{Arg: "half", Source: plan.FromValue(c.said)}}}
		p := &plan.Plan{Tasks: []plan.Task{{Solutions: []plan.Solution{{Actions: []plan.Action{mirror}}}}}}
		got := wording.Ways(toolbox.NewCatalogue([]toolbox.Tool{tool}), p, plan.Choice{-1}, []plan.Offer{{Choice: plan.Choice{0}, Task: -1}})
		if len(got) != 1 || got[0].String() != c.want {
			t.Errorf("%s with %q: %q, want %q", c.made, c.said, got, c.want)
		}
	}
}

func TestWays(t *testing.T) {
	t.Parallel()
	photo := plan.Resource{Name: "photo-3f2a.png", Type: plan.Image, File: "photo.png"}
	on := func(arg string, s plan.Source) plan.Binding { return plan.Binding{Arg: arg, Source: s} }
	given, question := plan.FromResource(photo.Name), plan.FromValue("Who is it?")
	act := func(tool string, returns plan.Type, args ...plan.Binding) plan.Action {
		return plan.Action{Tool: tool, Returns: returns, Args: args}
	}
	by := func(a plan.Action, candidate, with string) plan.Action {
		a.Candidate, a.With = candidate, with
		return a
	}
	solve := func(actions ...plan.Action) plan.Solution { return plan.Solution{Actions: actions, Score: 4} }
	asks := func(tool string) plan.Action {
		return act(tool, plan.Text, on("image", given), on("question", question))
	}
	greyOf := func(s plan.Source) plan.Action { return act("greyscale_image", plan.Image, on("image", s)) }
	cropTo := func(part string) plan.Action {
		return act("crop_region", plan.Image, on("image", given), on("region", plan.FromValue(part)))
	}
	turn := act("rotate_image", plan.Image, on("image", given), on("angle", plan.FromValue("90 degrees")))
	for _, c := range []struct {
		name      string
		solutions []plan.Solution
		chosen    int
		want      []string
	}{
		{"other tools", []plan.Solution{
			solve(greyOf(given)), solve(act("image_to_edge", plan.Edge, on("image", given))), solve(turn, greyOf(plan.FromAction(0))),
		}, 0, []string{"the edge map of photo.png", "photo.png, turned, in black and white"}},
		{"a part of a picture", []plan.Solution{
			solve(turn), solve(cropTo("right")), solve(cropTo("top-left")), solve(cropTo("upper")), solve(cropTo("the left half")), solve(cropTo("middle third")),
		}, 0, []string{
			"photo.png, cropped to the right", "photo.png, cropped to the top-left", "photo.png, cropped to the upper part",
			"photo.png, cropped to the left half", "photo.png, cropped to the middle third",
		}},
		{"tools that make the same", []plan.Solution{
			solve(asks("image_question_answering")), solve(asks("document_question_answering")),
		}, 0, []string{"the answer to “Who is it?” (answers a question from what is written in a picture of a document)"}},
		{"another model", []plan.Solution{solve(by(turn, "a", "Alpha")), solve(by(turn, "b", "Beta"))}, 0, []string{"the same with Beta"}},
		{"the same by ways that have no name", []plan.Solution{solve(greyOf(given)), solve(by(turn, "a", "")), solve(by(turn, "b", ""))}, 0,
			[]string{"photo.png, turned", "photo.png, turned (2)"}},
		{"many steps", []plan.Solution{solve(turn), solve(turn, greyOf(plan.FromAction(0)), greyOf(plan.FromAction(1)), greyOf(plan.FromAction(2)))}, 0,
			[]string{"it, in black and white, in 4 steps"}},
		{"nothing was chosen", []plan.Solution{solve(greyOf(given))}, -1, []string{"photo.png in black and white"}},
		{"an unknown tool", []plan.Solution{solve(turn), solve(act("carve", plan.Image))}, 0, []string{"an image"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			p := &plan.Plan{Resources: []plan.Resource{photo}, Tasks: []plan.Task{{Solutions: c.solutions}}}
			chosen := plan.Choice{c.chosen}
			var offers []plan.Offer
			for i := range c.solutions {
				if i != c.chosen {
					offers = append(offers, plan.Offer{Choice: plan.Choice{i}, Task: min(0, c.chosen)})
				}
			}
			var got []string
			for _, m := range wording.Ways(catalogue(t), p, chosen, offers) {
				got = append(got, m.String())
			}
			if !slices.Equal(got, c.want) {
				t.Errorf("got  %q\nwant %q", got, c.want)
			}
		})
	}
}
