package decompose

import (
	"strings"
	"testing"

	"atelier/agent/plan"
	"atelier/agent/planner/llm/llmtest"
	"atelier/agent/planner/llm/workshoptest"
	"atelier/agent/toolbox"
)

// TestMarkIsGivenWithItsPicture checks that a mark used only with another picture is sent back with its exact
// complaint, and so is one used with a result on which it has moved. Other results made from its picture are
// accepted.
func TestMarkIsGivenWithItsPicture(t *testing.T) {
	t.Parallel()
	r := kitchen()
	r.Given = append(r.Given, plan.Resource{Name: "kitchen.bbox", Type: plan.BBox, On: "kitchen.png", Value: "[]"})
	mark, image := anArg("bbox", "kitchen.bbox", ""), anArg("image", "kitchen.png", "")
	changed := strings.Replace(aSubtask(0, "", image), `"type":"text","value":"<GENERATED>-0"`, `"type":"image","value":"<GENERATED>-0"`, 1)
	turned := strings.Replace(changed, "do it", "Turn the picture by 180 degrees", 1)
	joined := strings.Replace(strings.Replace(aSubtask(0, "", image, anArg("depth", "stairs.depth.png", "")), `"type":"text","value":"<GENERATED>-0"`,
		`"type":"image","value":"<GENERATED>-0"`, 1), "do it", "Put them together", 1)
	ofResult := aSubtask(1, "0", anArg("image", "<GENERATED>-0", ""), mark)
	for _, c := range []struct {
		name, answer string
		complaint    string // "" for none
		args         int    // of the last subtask
	}{
		{"with its picture", anAnswer(aSubtask(0, "", mark, image)), "", 2},
		{"alone", anAnswer(aSubtask(0, "", mark)), "", 2},
		{"with a text", anAnswer(aSubtask(0, "", mark, anArg("text", "red", "prompt"))), "", 3},
		{"with another picture too", anAnswer(aSubtask(0, "", anArg("depth", "stairs.depth.png", ""), image, mark)), "", 3},
		{"with what was made of it", anAnswer(changed, ofResult), "", 2},
		{"with what was turned", anAnswer(turned, ofResult), `give it "kitchen.png" itself`, 2},
		{"with what was joined", anAnswer(joined, ofResult), `give it "kitchen.png" itself`, 2},
		{"with another picture only", anAnswer(aSubtask(0, "", anArg("depth", "stairs.depth.png", ""), mark)), `marked on "kitchen.png"`, 2},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			answers := []string{c.answer}
			if c.complaint != "" {
				answers = append(answers, anAnswer(aSubtask(0, "", mark, image)))
			}
			m, s := atWorkshop(t, llmtest.InOrder(workshoptest.Says(answers...)...), func(c *setup) {
				turn := workshoptest.Tool("turn", plan.Image, "Turns a picture by an angle.", "To turn a picture by degrees.", "image image")
				turn.Moves = true
				c.Catalogue = toolbox.NewCatalogue(append(workshoptest.Tools(), turn))
			})
			d, err := m.Decompose(t.Context(), r, new(plan.Thinking))
			if err != nil || len(d.Subtasks) == 0 {
				t.Fatalf("%v: %s", err, showDecomposition(d))
			}
			if last := d.Subtasks[len(d.Subtasks)-1]; len(last.Args) != c.args {
				t.Errorf("it comes to\n%s", showDecomposition(d))
			}
			sent := strings.Join(workshoptest.Repaired(s), "\n")
			if (sent != "") != (c.complaint != "") || !strings.Contains(sent, c.complaint) {
				t.Errorf("the complaint is %q, want %q", sent, c.complaint)
			}
		})
	}
}
