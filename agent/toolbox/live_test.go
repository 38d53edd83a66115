package toolbox_test

import (
	"strings"
	"testing"

	"atelier/agent/plan"
	"atelier/agent/toolbox"
)

// Alternatives for what a tool lacks are listed with "or".
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

func TestLackJoinsObstacles(t *testing.T) {
	t.Parallel()
	s := toolbox.Status{Obstacles: []toolbox.Obstacle{{Sentence: plan.Say("Its backend crashed.")}, {Sentence: plan.Say("Its backend does not answer.")}}}
	if got, want := s.Lack().String(), "Its backend crashed. Or: Its backend does not answer."; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if lack := (toolbox.Status{Live: true}).Lack(); !lack.IsZero() {
		t.Errorf("a live tool lacks %q", lack)
	}
}

// TestNeedsNameNoSetting: people learn what is missing, and operators how to set it up.
func TestNeedsNameNoSetting(t *testing.T) {
	t.Parallel()
	tb, err := toolbox.New(toolbox.Config{Catalogue: toolbox.NewCatalogue([]toolbox.Tool{{
		Name: "paint", Returns: plan.Image, Backends: []toolbox.Backing{
			{Kind: "hftask", Run: "paint", Device: "gpu"}, {Kind: "openai", Run: "paint", Device: "gpu"},
		},
	}})})
	if err != nil {
		t.Fatal(err)
	}
	live, err := tb.Live(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	status, _ := live.Status("paint")
	if got := status.Lack().String(); !strings.Contains(got, "TOOL_SERVER_URL") || !strings.Contains(got, "OPENAI_API_KEY") {
		t.Errorf("operators are told %q", got)
	}
	if got := status.Needs().String(); got != "It needs an AI model that is not connected to me." {
		t.Errorf("people are told %q", got)
	}
	status.Obstacles = []toolbox.Obstacle{
		{Sentence: plan.Say("It does not answer."), Operator: plan.Say("It does not answer: check TOOL_SERVER_URL.")},
		{Sentence: plan.Say("It needs the program ffmpeg.")},
	}
	if got := status.Needs().String(); got != "It does not answer. Or: It needs the program ffmpeg." {
		t.Errorf("people are told %q", got)
	}
	if got := status.Lack().String(); got != "It does not answer: check TOOL_SERVER_URL. Or: It needs the program ffmpeg." {
		t.Errorf("operators are told %q", got)
	}
	status.Obstacles = nil
	if got := status.Needs(); !got.IsZero() {
		t.Errorf("of a tool that runs is told %q", got)
	}
}
