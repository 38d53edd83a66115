package agent_test

import (
	"context"
	"testing"

	"atelier/agent"
	"atelier/agent/plan"
	"atelier/agent/step"
	"atelier/agent/toolbox"
)

// TestResultsAreDescribedInTheRequestsLanguage, since descriptions are part of answers, and alternative texts of pictures.
func TestResultsAreDescribedInTheRequestsLanguage(t *testing.T) {
	t.Parallel()
	turns := func(ctx context.Context, c toolbox.Call) (toolbox.Output, error) {
		o, err := draws(ctx, c)
		o.About = plan.Say("turned by %s degrees clockwise", "90")
		return o, err
	}
	w := newWorld(t, &fakePlanner{}, maker{"turn": turns}, agent.Config{
		Tell: func(language string, m plan.Message) string { return language + ": " + m.String() },
	}, tool("turn", plan.Image, img))
	for _, language := range []string{"en", "zh-Hans"} {
		r := request(photo)
		r.Language = language
		result := w.Act(t.Context(), step.Work{
			Request: r, Steps: []plan.Step{{Key: "k", Action: act("turn", plan.Image, onPhoto)}}, Memory: step.NewMemory([]plan.Resource{photo}),
		})
		want := language + ": turned by 90 degrees clockwise"
		if result.Output == nil || result.Output.About != want {
			t.Errorf("in %s: %+v, want %q", language, result, want)
		}
	}
}
