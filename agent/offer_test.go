package agent_test

import (
	"slices"
	"testing"

	"atelier/agent"
	"atelier/agent/plan"
)

// An alternative whose label repeats itself is not offered.
func TestOnlyRunnableToolsAreOffered(t *testing.T) {
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
		m := &fakePlanner{decomposition: subtasks(task), scores: map[string]float64{c.best: 5, c.other: 4}}
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
