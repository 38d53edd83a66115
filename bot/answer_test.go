package main

import (
	"strings"
	"testing"

	"atelier/adapters"
	"atelier/agent/plan"
	"atelier/jobs"
)

// TestOtherWays: ways that have the same tools are told apart by what these work on.
func TestOtherWays(t *testing.T) {
	t.Parallel()
	way := func(rank int, steps ...stepLine) solutionLine {
		return solutionLine{Rank: rank, Score: 4, Steps: steps}
	}
	a := answer{ran: 1, Solutions: []solutionLine{
		way(1, stepLine{Tool: "edge", Inputs: []string{"a.png"}, Status: "done"}),
		way(2, stepLine{Tool: "edge", Inputs: []string{"b.png"}}),
		way(3, stepLine{Tool: "blur", Inputs: []string{"a.png", "3"}}, stepLine{Tool: "edge", Inputs: []string{"<step 1: image>"}}),
	}}
	var b strings.Builder
	if err := a.print(&b, false); err != nil {
		t.Fatal(err)
	}
	const want = "Other ways, to be run with --solution:\n  2  edge (b.png) (score 4.0)\n  3  blur, then edge (score 4.0)\n"
	if !strings.HasSuffix(b.String(), want) {
		t.Error(b.String())
	}
}

// aProgram is one as it is stored, that writes a greeting.
const aProgram = `{"refusal":"","about":"a greeting","settings":[{"name":"greeting","type":"text","value":"Hello","about":"what is said first"}],` +
	`"checks":[{"measure":"files","value":"1"}],"program":"open(OUT + '/greeting.txt', 'w').write(SETTINGS['greeting'] + ', you')\n"}`

// TestTheProgramOfAStepIsShown as its source text, and the answer in words only mentions it.
func TestTheProgramOfAStepIsShown(t *testing.T) {
	t.Parallel()
	const source = "open(OUT + '/greeting.txt', 'w').write(SETTINGS['greeting'] + ', you')\n"
	step := plan.Step{Key: "k", Action: plan.Action{Tool: "make_by_program", Returns: plan.Text}}
	other := plan.Step{Key: "o", Action: plan.Action{Tool: "blur_image", Returns: plan.Image}}
	results := map[string]plan.Result{"k": {Status: plan.Done, Program: aProgram}, "o": {Status: plan.Done}}
	made, plainly := newStepLine(nil, 0, step, results), newStepLine(nil, 1, other, results)
	if made.Program != source || plainly.Program != "" {
		t.Errorf("%q and %q", made.Program, plainly.Program)
	}
	a := answer{ran: 1, Solutions: []solutionLine{{Rank: 1, Steps: []stepLine{made, plainly}}}}
	var b strings.Builder
	check(t, a.print(&b, false))
	if strings.Count(b.String(), "     A program was written for this; --json shows it.\n  2. ") != 1 || strings.Contains(b.String(), "greeting") {
		t.Error(b.String())
	}
	run := jobs.Run{Steps: []jobs.Step{{Step: step, Status: plan.Done}, {Step: other, Status: plan.Done}}, Results: results}
	work := drawn(run, plan.Request{})
	if work.Steps[0].Program != source || work.Steps[1].Program != "" || work.Steps[0].State != adapters.StepDone {
		t.Errorf("%+v", work.Steps)
	}
}
