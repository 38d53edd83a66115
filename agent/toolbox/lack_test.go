package toolbox_test

import (
	"testing"

	"atelier/agent/plan"
	"atelier/agent/toolbox"
)

// What a tool lacks is told as ways of which one is enough.
func TestLackTellsAlternatives(t *testing.T) {
	t.Parallel()
	catalogue := toolbox.NewCatalogue([]toolbox.Tool{{Name: "draw", Returns: plan.Image, Backends: []toolbox.Backing{
		{Kind: "hftask", Run: "a", Needs: "a tool server"},
		{Kind: "hftask", Run: "b", Needs: "a server, 50% idle"},
		{Kind: "localai", Run: "c", Needs: "a LocalAI server"},
		{Kind: "openai", Run: "d", Needs: "an OpenAI-compatible server"},
	}}})
	box, err := toolbox.New(toolbox.Config{Catalogue: catalogue})
	if err != nil {
		t.Fatal(err)
	}
	live, err := box.Live(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	s, _ := live.Status("draw")
	want := "It needs a tool server or a server, 50% idle; set TOOL_SERVER_URL for a server of your own, or HF_TOKEN and ALLOW_CLOUD_MEDIA=true " +
		"for those of Hugging Face. Or it needs a LocalAI server; set LOCALAI_URL for a server of your own. " +
		"Or it needs an OpenAI-compatible server; set OPENAI_API_KEY, or OPENAI_BASE_URL for a server of your own."
	if got := s.Lack().String(); got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestALackOfAnotherKindIsAnAlternativeToo(t *testing.T) {
	t.Parallel()
	s := toolbox.Status{Whys: []plan.Message{plan.Say("Its backend is broken."), plan.Say("Its backend does not answer.")}}
	if got, want := s.Lack().String(), "Its backend is broken. Or else: Its backend does not answer."; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if lack := (toolbox.Status{Live: true}).Lack(); !lack.IsZero() {
		t.Errorf("a live tool lacks %q", lack)
	}
}
