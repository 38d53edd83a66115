package retrieve_test

import (
	"slices"
	"strings"
	"testing"
)

func TestCorrect(t *testing.T) {
	t.Parallel()
	f := theFinder(t)
	for _, c := range []struct{ wish, want string }{
		{"bulr the picture", "blur the picture"},
		{"Rotaet it", "rotate it"},
		{"remoove the backgroud", "remove the background"},
		{"translat this", "translat this"}, // its stem is known
		{"trasnlate this", "translate this"},
		// correct words, and words that may be others, are unchanged
		{"blur the picture", "blur the picture"},
		{"colour or color", "colour or color"},
		{"a bear and a boat", "a bear and a boat"},
		{"cat cta", "cat cta"}, // too short to judge
		{"fliip", "fliip"},     // too short for a letter too many
		{"bulr.png", "<bulr.png>"},
		{`write "bulr" on it`, `write "bulr" on it`},
		{"bülr naïve", "bülr naïve"},
		{"don't shuold", "don't should"},
		{strings.Repeat("bulr", 2000), strings.Repeat("bulr", 2000)},
		{"", ""},
	} {
		words := f.lexicon.Words(c.wish, nil)
		before := slices.Clone(words)
		if got := kinds(f.index.Correct(words)); got != c.want {
			t.Errorf("%q is put right to %s, want %s", c.wish, got, c.want)
		}
		if !slices.Equal(words, before) {
			t.Errorf("the words of %q were changed in place", c.wish)
		}
	}
}

// Words in the catalogue's examples are correct.
func TestKnownWordsStay(t *testing.T) {
	t.Parallel()
	tools := loadTools(t)
	f := theFinder(t)
	for _, tool := range tools {
		for _, text := range append(slices.Clone(tool.Examples), tool.Description, tool.When) {
			for _, w := range f.lexicon.Words(text, nil) {
				if !f.index.Known(f.lexicon.Class(w.Stem)) && !f.lexicon.Stop(w.Text) {
					continue
				}
				if got := f.index.Correct(f.lexicon.Words(w.Text, nil)); len(got) > 0 && got[0].Text != w.Text && len(f.lexicon.Words(w.Text, nil)) == 1 {
					t.Errorf("%q is put right to %q", w.Text, got[0].Text)
				}
			}
		}
	}
}
