package agent_test

import (
	"slices"
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
		w := newWorld(t, &fakeMind{decomposition: subtasks(task), scores: scores}, maker{}, agent.Config{AllTools: true}, sum, translate, brief)
		p, err := w.Plan(t.Context(), request(photo))
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(p.Tasks[0].Solutions[0].Tools(), " "); got != want {
			t.Errorf("with the scores %v it is done by %s, not by %s", scores, got, want)
		}
	}
}

// An alternative which says the same thing twice is not offered.
func TestOnlyWhatCanRunIsOffered(t *testing.T) {
	t.Parallel()
	task := plan.Subtask{Description: "say it", Returns: plan.Audio, Args: []plan.Arg{
		{Type: plan.Text, Source: plan.FromValue("Good morning"), Meaning: plan.Content},
	}}
	say := tool("say", plan.Audio, []plan.Type{plan.Text, plan.Text})
	say.Args[0].Meaning, say.Args[1].Meaning, say.Args[1].Optional = plan.Content, plan.Language, true
	sing := tool("sing", plan.Audio, []plan.Type{plan.Text})
	for _, c := range []struct {
		best, other string
		backend     maker
		want        []string
	}{
		{"say", "sing", maker{"say": draws, "sing": draws}, []string{"say", "sing"}},
	} {
		m := &fakeMind{decomposition: subtasks(task), scores: map[string]float64{c.best: 5, c.other: 4}}
		p, err := newWorld(t, m, c.backend, agent.Config{}, say, sing).Plan(t.Context(), request())
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, s := range p.Tasks[0].Solutions {
			got = append(got, s.Tools()...)
			if said := s.Actions[0].Args; len(said) > 1 && said[1].Source.Kind != plan.Blank {
				t.Errorf("%q is offered as a language", said[1].Source.Value)
			}
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%T with %s best: %q are offered, not %q", c.backend, c.best, got, c.want)
		}
	}
}
