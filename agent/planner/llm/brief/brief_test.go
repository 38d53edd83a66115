package brief

import (
	"testing"

	"atelier/agent/plan"
)

// TestAssessmentMentionsMark checks that the other prompts explain marks, too.
func TestAssessmentMentionsMark(t *testing.T) {
	t.Parallel()
	r := plan.Request{Wish: "cut it out", Given: []plan.Resource{
		{Name: "a.png", Type: plan.Image},
		{Name: "a.mask.png", Type: plan.Mask, On: "a.png", About: "marked on a.png"},
	}}
	sub := plan.Subtask{Args: []plan.Arg{{Type: plan.Image, Source: plan.FromResource("a.png")}, {Type: plan.Mask, Source: plan.FromResource("a.mask.png")}}}
	files := New(r, []Task{{Subtask: sub}}).Files(Sources(sub))
	if len(files) != 1 || files[0] != `"a.mask.png": mask, the part of "a.png" that the person marked` {
		t.Errorf("it is told %q", files)
	}
}
