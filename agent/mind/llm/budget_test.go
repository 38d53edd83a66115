package llm

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"atelier/agent/plan"
	"atelier/agent/toolbox"
	"atelier/agent/toolbox/retrieve"
)

func TestTokens(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]int{
		"":                      0,
		"a":                     1,
		"four":                  1,
		"fours":                 2,
		"把伞去掉":                  4,
		"mach es zu Öl":         4,
		"a watercolour 水彩 look": 2 + 5,
	} {
		if got := tokens(text); got != want {
			t.Errorf("%q has about %d tokens, not %d", text, want, got)
		}
	}
}

func TestClip(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		s := rapid.String().Draw(t, "text")
		most := rapid.IntRange(0, 40).Draw(t, "most")
		got := clip(s, most)
		if len(got) > most || !strings.HasPrefix(s, got) || utf8.ValidString(s) && !utf8.ValidString(got) {
			t.Fatalf("%q cut to %d bytes is %q", s, most, got)
		}
		if len(got)+utf8.UTFMax <= min(most, len(s)) {
			t.Fatalf("%q lost more than it had to: %q", s, got)
		}
	})
}

func TestAConversationIsCutFromItsOldestTurn(t *testing.T) {
	t.Parallel()
	var turns []plan.Turn
	for i := range 10 {
		turns = append(turns, plan.Turn{Wish: fmt.Sprintf("wish %d", i), Reply: strings.Repeat("word ", 40), Made: []string{"a.png"}})
	}
	one := perMessage + tokens(turns[0].Wish) + tokens(turns[0].Reply) + tokens("a.png")
	for budget, want := range map[int]int{0: 0, one - 1: 0, one: 1, 3*one + 1: 3, 100 * one: 10} {
		got := latest(turns, budget)
		if len(got) != want || want > 0 && got[want-1].Wish != "wish 9" {
			t.Errorf("a budget of %d tokens keeps %d turns, not the latest %d", budget, len(got), want)
		}
	}
}

func TestACatalogueIsCutToWhatMatters(t *testing.T) {
	t.Parallel()
	catalogue, err := toolbox.LoadCatalogue(toolbox.Embedded())
	if err != nil {
		t.Fatal(err)
	}
	lexicon, err := retrieve.NewLexicon()
	if err != nil {
		t.Fatal(err)
	}
	tools := catalogue.Tools()
	f := finder{lexicon, retrieve.New(lexicon, tools)}
	line := func(t toolbox.Tool) string { return t.Name + ": " + t.Description }
	all := 0
	for _, t := range tools {
		all += tokens(line(t))
	}
	if got := f.relevant(tools, line, "blur it", all); len(got) != len(tools) {
		t.Errorf("%d of %d tools are left although all fit", len(got), len(tools))
	}
	for wish, want := range map[string]string{"blur the photo": "blur_image", "what is said in this recording?": "speech_to_text"} {
		got := f.relevant(tools, line, wish, all/10)
		used := 0
		for _, t := range got {
			used += tokens(line(t))
		}
		if used > all/10 || len(got) == 0 {
			t.Errorf("%d tools take %d of %d tokens", len(got), used, all/10)
		}
		if !slices.ContainsFunc(got, func(t toolbox.Tool) bool { return t.Name == want }) {
			t.Errorf("%q does not keep %s", wish, want)
		}
		if !slices.IsSortedFunc(got, func(a, b toolbox.Tool) int { return strings.Compare(a.Name, b.Name) }) {
			t.Error("the tools that are left are not in the order of the catalogue")
		}
	}
}
