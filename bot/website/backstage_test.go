package website

import (
	"testing"

	"atelier/adapters"
	"atelier/agent/plan"
	"atelier/jobs"
)

// TestProgramOfAStepIsDrawn as its source text.
func TestProgramOfAStepIsDrawn(t *testing.T) {
	t.Parallel()
	const program = `{"refusal":"","about":"a greeting","settings":[],"checks":[{"measure":"files","value":"1"}],"program":"print(1)\n"}`
	steps := []jobs.Step{
		{Step: plan.Step{Key: "k", Action: plan.Action{Tool: "make_by_program", Returns: plan.Text}}, Status: plan.Done},
		{Step: plan.Step{Key: "o", Action: plan.Action{Tool: "blur_image", Returns: plan.Image}}, Status: plan.Done},
	}
	results := map[string]plan.Result{"k": {Status: plan.Done, Program: program}, "o": {Status: plan.Done}}
	work := drawn(jobs.Run{Steps: steps, Results: results}, plan.Request{})
	if work.Steps[0].Program != "print(1)\n" || work.Steps[1].Program != "" || work.Steps[0].State != adapters.StepDone {
		t.Errorf("%+v", work.Steps)
	}
}
