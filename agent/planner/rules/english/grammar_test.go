package english_test

import (
	"testing"

	"atelier/agent/planner/rules/english"
	"atelier/agent/toolbox/retrieve"
)

func grammar(t *testing.T) *english.Grammar {
	t.Helper()
	lexicon, err := retrieve.NewLexicon()
	if err != nil {
		t.Fatal(err)
	}
	g, err := english.New(lexicon)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// TestClassification checks each classification with positive and close negative examples.
func TestClassification(t *testing.T) {
	t.Parallel()
	g := grammar(t)
	for name, c := range map[string]struct {
		holds    func([]retrieve.Word) bool
		yes, not []string
	}{
		"begins a clause": {g.BeginsClause, []string{"rotate it", "black it out", "straighten the scan", "how many are there"}, []string{"white", "a red border"}},
		"brings a file":   {g.IsContext, []string{"i have a photo", "the video"}, []string{"i have to rotate it", "a red border"}},
		"takes away":      {g.RemovesPart, []string{"remove the first 2 seconds", "cut the end off", "cut 0:10 to 0:20 out of it"}, []string{"cut a clip from 0:10 to 0:20 out of it", "keep the end"}},
		"cuts an end":     {g.Shortens, []string{"trim the last 2 seconds", "cut the first minute"}, []string{"cut it to the first 5 seconds", "cut the first 5 seconds as a gif"}},
		"names a passage": {g.IsPassage, []string{"the first 5 seconds", "last minute"}, []string{"the first picture", "first 5 seconds vertical"}},
		"leaves a file":   {g.LeavesFile, []string{"leave the other as it is", "don't touch the second one"}, []string{"leave the border away"}},
		"complains":       {g.Complains, []string{"my phone can't open it"}, []string{"discord can't take files over 8 MB", "rotate it"}},
		"delivers":        {g.AsksForDelivery, []string{"upload it to drive", "print it"}, []string{"print hello on it", "send it back"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, text := range c.yes {
				if !c.holds(g.Lexicon.Words(text, nil)) {
					t.Errorf("%q: false, want true", text)
				}
			}
			for _, text := range c.not {
				if c.holds(g.Lexicon.Words(text, nil)) {
					t.Errorf("%q: true, want false", text)
				}
			}
		})
	}
}
