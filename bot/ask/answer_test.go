package ask

import (
	"strings"
	"testing"

	"atelier/agent/plan"
	"atelier/bot/bottest"
)

// TestOtherWays checks that alternatives with the same tools are distinguished by their inputs.
func TestOtherWays(t *testing.T) {
	t.Parallel()
	way := func(rank int, steps ...StepLine) SolutionLine {
		return SolutionLine{Rank: rank, Score: 4, Steps: steps}
	}
	a := Answer{ran: 1, Solutions: []SolutionLine{
		way(1, StepLine{Tool: "edge", Inputs: []string{"a.png"}, Status: "done"}),
		way(2, StepLine{Tool: "edge", Inputs: []string{"b.png"}}),
		way(3, StepLine{Tool: "blur", Inputs: []string{"a.png", "3"}}, StepLine{Tool: "edge", Inputs: []string{"<step 1: image>"}}),
	}}
	var b strings.Builder
	if err := a.print(&b, false); err != nil {
		t.Fatal(err)
	}
	const want = "Alternatives, to run with --solution:\n  2  edge (b.png) (score 4.0)\n  3  blur, then edge (score 4.0)\n"
	if !strings.HasSuffix(b.String(), want) {
		t.Error(b.String())
	}
}

// TestProgramOfAStepIsShown checks that the JSON has the source, and that the text only mentions the program.
func TestProgramOfAStepIsShown(t *testing.T) {
	t.Parallel()
	const source = "open(OUT + '/greeting.txt', 'w').write(SETTINGS['greeting'] + ', you')\n"
	step := plan.Step{Key: "k", Action: plan.Action{Tool: "make_by_program", Returns: plan.Text}}
	other := plan.Step{Key: "o", Action: plan.Action{Tool: "blur_image", Returns: plan.Image}}
	results := map[string]plan.Result{"k": {Status: plan.Done, Program: bottest.AProgram}, "o": {Status: plan.Done}}
	made, plainly := newStepLine(nil, 0, step, results), newStepLine(nil, 1, other, results)
	if made.Program != source || plainly.Program != "" {
		t.Errorf("%q and %q", made.Program, plainly.Program)
	}
	a := Answer{ran: 1, Solutions: []SolutionLine{{Rank: 1, Steps: []StepLine{made, plainly}}}}
	var b strings.Builder
	bottest.Check(t, a.print(&b, false))
	if strings.Count(b.String(), "     A Python program did this; --json shows it.\n  2. ") != 1 || strings.Contains(b.String(), "greeting") {
		t.Error(b.String())
	}
}
