package agent_test

import (
	"context"
	"testing"

	"atelier/adapters/phrase"
	"atelier/agent"
	"atelier/agent/plan"
	"atelier/agent/toolbox"
)

// TestWhatAResultIsIsToldInTheLanguageOfTheWish, since it stands in answers, and beside
// pictures for who cannot see them.
func TestWhatAResultIsIsToldInTheLanguageOfTheWish(t *testing.T) {
	t.Parallel()
	said, err := phrase.New()
	if err != nil {
		t.Fatal(err)
	}
	turns := func(ctx context.Context, c toolbox.Call) (toolbox.Output, error) {
		o, err := draws(ctx, c)
		o.About = plan.Say("turned by %s degrees clockwise", "90")
		return o, err
	}
	w := newWorld(t, &fakeMind{}, maker{"turn": turns}, agent.Config{
		Tell: func(language string, m plan.Message) string { return said.Tell(language, m) },
	}, tool("turn", plan.Image, img))
	for language, want := range map[string]string{
		phrase.English: "turned by 90 degrees clockwise", phrase.SimplifiedChinese: "顺时针旋转 90 度",
	} {
		r := request(photo)
		r.Language = language
		result := w.Act(t.Context(), agent.Work{
			Request: r, Steps: []plan.Step{{Key: "k", Action: act("turn", plan.Image, onPhoto)}}, Memory: agent.NewMemory([]plan.Resource{photo}),
		})
		if result.Output == nil || result.Output.About != want {
			t.Errorf("in %s: %+v, want %q", language, result, want)
		}
	}
}
