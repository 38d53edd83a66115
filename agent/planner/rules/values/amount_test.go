package values

import (
	"testing"

	"atelier/agent/planner/rules/english"
	"atelier/agent/planner/rules/profile"
	"atelier/agent/planner/rules/scene"
	"atelier/agent/toolbox/retrieve"
)

// TestAmountIn checks that an amount is extracted with the words that belong to it.
func TestAmountIn(t *testing.T) {
	t.Parallel()
	lexicon, err := retrieve.NewLexicon()
	if err != nil {
		t.Fatal(err)
	}
	g, err := english.New(lexicon)
	if err != nil {
		t.Fatal(err)
	}
	reader := New(scene.Of(&profile.Tools{Grammar: g}, ""))
	for text, want := range map[string]string{
		"rotate it by 90 degrees": "90 degrees", "make it half as large": "half as large", "a bit brighter": "a bit", "two thirds of it": "two thirds",
		"the first one": "", "rotate it": "",
	} {
		if got := (amounts{reader}).in(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}
