package agent

import (
	"testing"

	"atelier/agent/plan"
	"atelier/agent/toolbox"
	"atelier/agent/toolbox/retrieve"
)

func TestAQuantityThatSaysWhichFileIsMeant(t *testing.T) {
	t.Parallel()
	lexicon, err := retrieve.NewLexicon()
	if err != nil {
		t.Fatal(err)
	}
	o := leftovers{lexicon: lexicon}
	for rest, want := range map[string]bool{
		" clip, please": true, "-film": true, " track": true, " song": true, " photo.": true, " pictures": true,
		"": false, " ": false, " of the clip": false, " long": false, ", clip.mp4": false, " from clip.mp4": false,
	} {
		if got := o.describes(rest); got != want {
			t.Errorf("%q: %t", rest, got)
		}
	}
}

// TestColoursThatAreLeftOver: a colour that describes the given picture is not a wish.
func TestColoursThatAreLeftOver(t *testing.T) {
	t.Parallel()
	lexicon, err := retrieve.NewLexicon()
	if err != nil {
		t.Fatal(err)
	}
	catalogue, err := toolbox.LoadCatalogue(toolbox.Embedded())
	if err != nil {
		t.Fatal(err)
	}
	p := &plan.Plan{Tasks: []plan.Task{{
		Subtask:   plan.Subtask{Returns: plan.Image},
		Solutions: []plan.Solution{{Actions: []plan.Action{{Tool: "auto_enhance"}}}},
	}}}
	for wish, want := range map[string]int{
		"everything looks yellow, can you fix it?": 0, "it is a bit yellow, correct that": 0, "the light is too blue": 0,
		"fix the light and make the sky blue": 1, "it should be yellow": 1, "brighten it, in red": 1,
	} {
		if left := (leftovers{catalogue: catalogue, lexicon: lexicon}).find(wish, p); len(left) != want {
			t.Errorf("%q leaves %v", wish, left)
		}
	}
}
