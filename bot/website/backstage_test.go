package website

import (
	"testing"

	"atelier/adapters"
	"atelier/agent/plan"
	"atelier/jobs"
)

// TestProgramOfAStepIsDrawn checks that it is drawn in words, without names of tools, and with the source of its
// program.
func TestProgramOfAStepIsDrawn(t *testing.T) {
	t.Parallel()
	const program = `{"refusal":"","about":"a greeting","settings":[],"checks":[{"measure":"files","value":"1"}],"program":"print(1)\n"}`
	w := &Backstage{Tell: func(language string, m plan.Message) string { return language + ": " + m.String() }}
	steps := []jobs.Step{
		{Text: plan.Say("a greeting"), Step: plan.Step{Key: "k", Action: plan.Action{Tool: "make_by_program", Returns: plan.Text}}, Status: plan.Done},
		{Step: plan.Step{Key: "o", Action: plan.Action{Tool: "blur_image", Returns: plan.Image}}, Status: plan.Done},
	}
	results := map[string]plan.Result{"k": {Status: plan.Done, Program: program}, "o": {Status: plan.Done}}
	work := w.drawn(jobs.Run{Steps: steps, Results: results}, plan.Request{Language: "zh-Hans"})
	if work.Steps[0].Program != "print(1)\n" || work.Steps[1].Program != "" || work.Steps[0].State != adapters.StepDone ||
		work.Steps[0].Text != "zh-Hans: a greeting" {
		t.Errorf("%+v", work.Steps)
	}
}
