package agent_test

import (
	"strings"
	"testing"

	"atelier/agent"
	"atelier/agent/plan"
)

// An amount that no good tool takes does not lead to a tool that takes it for something
// else; one that a good tool takes must be used.
func TestAnAmountThatNothingTakes(t *testing.T) {
	t.Parallel()
	task := plan.Subtask{Description: "sum it up in a few sentences", Returns: plan.Text, Args: []plan.Arg{
		{Type: plan.Image, Source: plan.FromResource(photo.Name)},
		{Type: plan.Text, Source: plan.FromValue("a few sentences"), Meaning: plan.Amount},
	}}
	sum := tool("sum", plan.Text, []plan.Type{plan.Image})
	translate := tool("translate", plan.Text, []plan.Type{plan.Text, plan.Text})
	translate.Args[0].Meaning, translate.Args[1].Meaning = plan.Content, plan.Language
	brief := tool("brief", plan.Text, []plan.Type{plan.Image, plan.Text})
	brief.Args[1].Meaning = plan.Amount
	for want, scores := range map[string]map[string]float64{
		"sum":   {"sum": 5, "translate": 1, "brief": 2},
		"brief": {"sum": 4, "translate": 1, "brief": 4},
	} {
		w := newWorld(t, &fakeMind{decomposition: subtasks(task), scores: scores}, nil, agent.Config{AllTools: true}, sum, translate, brief)
		p, err := w.Plan(t.Context(), request(photo))
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(p.Tasks[0].Solutions[0].Tools(), " "); got != want {
			t.Errorf("with the scores %v it is done by %s, not by %s", scores, got, want)
		}
	}
}
