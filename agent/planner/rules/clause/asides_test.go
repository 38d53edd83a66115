package clause

import (
	"testing"

	"atelier/agent/planner/rules/english"
	"atelier/agent/planner/rules/profile"
	"atelier/agent/toolbox/retrieve"
)

func TestStaysAsIs(t *testing.T) {
	t.Parallel()
	a := asides{withoutTools(t)}
	for text, want := range map[string]bool{"same speed": true, "keep the quality": true, "keep the border": false} {
		if got := a.staysAsIs(a.Lexicon.Words(text, nil)); got != want {
			t.Errorf("%q: %t", text, got)
		}
	}
}

// withoutTools knows English and no tools.
func withoutTools(t *testing.T) *profile.Tools {
	t.Helper()
	lexicon, err := retrieve.NewLexicon()
	if err != nil {
		t.Fatal(err)
	}
	g, err := english.New(lexicon)
	if err != nil {
		t.Fatal(err)
	}
	return &profile.Tools{Grammar: g}
}
