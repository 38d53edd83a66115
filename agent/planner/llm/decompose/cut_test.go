package decompose

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"atelier/agent/plan"
	"atelier/agent/planner/llm/token"
	"atelier/agent/toolbox"
	"atelier/agent/toolbox/retrieve"
)

func TestOldestTurnsAreCutFirst(t *testing.T) {
	t.Parallel()
	var turns []plan.Turn
	for i := range 10 {
		turns = append(turns, plan.Turn{Wish: fmt.Sprintf("wish %d", i), Reply: strings.Repeat("word ", 40), Made: []string{"a.png"}})
	}
	one := token.PerMessage + token.Count(turns[0].Wish) + token.Count(turns[0].Reply) + token.Count("a.png")
	for budget, want := range map[int]int{0: 0, leastTurn: 0, one: 1, 3*one + 1: 3, 100 * one: 10} {
		got := latest(turns, budget)
		if len(got) != want || want > 0 && got[want-1].Wish != "wish 9" {
			t.Errorf("a budget of %d tokens keeps %d turns, not the latest %d", budget, len(got), want)
		}
	}
}

// A turn that is too long is told in part: what it made is what "it" means.
func TestLongTurnIsCut(t *testing.T) {
	t.Parallel()
	turns := []plan.Turn{
		{Wish: "first", Reply: "Here it is.", Made: []string{"first.png"}},
		{Wish: "second, " + strings.Repeat("with words ", 2000), Reply: "Here it is. " + strings.Repeat("It is good. ", 2000), Made: []string{"second.png", "third.png"}},
	}
	const budget = 400
	got := latest(turns, budget)
	if len(got) != 2 || !slices.Equal(got[1].Made, turns[1].Made) || got[0].Wish != "first" {
		t.Fatalf("%d turns are kept: %+v", len(got), got)
	}
	for _, text := range []string{got[1].Wish, got[1].Reply} {
		if !strings.HasSuffix(text, "…") || len(text) < 60 {
			t.Errorf("it is cut to %q", text)
		}
	}
	if !strings.HasPrefix(got[1].Wish, "second, with") || !strings.HasPrefix(got[1].Reply, "Here it is. It is") {
		t.Errorf("it begins with %q, %q", got[1].Wish, got[1].Reply)
	}
	if all := turnTokens(got[0]) + turnTokens(got[1]); all > budget {
		t.Errorf("%d tokens for %d", all, budget)
	}
	turns[1].Reply = "Done." // what it does not need is the request's
	if got := latest(turns, budget); got[1].Reply != "Done." {
		t.Errorf("a short reply is cut to %q", got[1].Reply)
	}
}

func TestCatalogueIsCutByRelevance(t *testing.T) {
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
	index := retrieve.New(lexicon, tools)
	line := func(t toolbox.Tool) string { return t.Name + ": " + t.Description }
	all := 0
	for _, t := range tools {
		all += token.Count(line(t))
	}
	if got := relevant(index, tools, line, "blur it", all); len(got) != len(tools) {
		t.Errorf("%d of %d tools are left although all fit", len(got), len(tools))
	}
	for wish, want := range map[string]string{"blur the photo": "blur_image", "what is said in this recording?": "speech_to_text"} {
		got := relevant(index, tools, line, wish, all/10)
		used := 0
		for _, t := range got {
			used += token.Count(line(t))
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
