package convert

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"atelier/adapters"
)

// TestChoicesAreShown compares with the files in testdata/choices: alternatives below what was done, possible
// meanings below a question, and results to continue with.
func TestChoicesAreShown(t *testing.T) {
	t.Parallel()
	composer := &Composer{Phrases: adapters.English{}}
	choices := []adapters.Choice{{ID: "r-1-1", Text: "resize it to 800x600"}, {ID: "r-1-2", Text: "make it *half* as large"}}
	long := adapters.Choice{ID: "r-1-3", Text: "the same with bars above and below instead of a blurred background"}
	for name, r := range map[string]adapters.Reply{
		"question": {Text: "How exactly?", Mention: "1001", Choices: choices, Asks: true, Answer: true},
		"ways":     {Text: "Here it is.", Mention: "1001", Choices: choices, Answer: true},
		"none":     {Text: "Here it is.", Mention: "1001", Answer: true},
		"results": {
			Text: "Here they are.", Mention: "1001", Choices: []adapters.Choice{{ID: "r-1-1", Text: "seed 7"}, {ID: "r-1-2", Text: "seed 8"}}, Picks: true,
			Answer: true, GoOn: []adapters.Sign{adapters.Use, adapters.Vary, adapters.Larger, adapters.Smaller},
		},
		"examples": {
			Text: "Hello!\n\nYou can try:", Mention: "1001", Answer: true,
			Examples: []adapters.Example{{Key: "make_gif", Text: "make a GIF of it", Needs: "video"}, {Key: "draw", Text: "draw *me*"}},
		},
		"long": {Text: "Here it is.", Mention: "1001", Choices: append(choices, long), Answer: true},
	} {
		parts := composer.Compose(r, 0)
		if len(parts) != 1 {
			t.Fatalf("%s: there are %d messages", name, len(parts))
		}
		got, err := json.MarshalIndent(parts[0].Content, "", "  ")
		if err != nil {
			t.Fatal(err)
		}
		want, err := os.ReadFile(filepath.Join("testdata", "choices", name+".json"))
		if err != nil {
			t.Fatal(err)
		}
		if string(got)+"\n" != string(want) {
			t.Errorf("%s is shown as\n%s\nwant\n%s", name, got, want)
		}
	}
}

// TestExamplesAreListedWithoutButtons, which Discord may refuse.
func TestExamplesAreListedWithoutButtons(t *testing.T) {
	t.Parallel()
	r := adapters.Reply{Text: "You can try:", Answer: true, Examples: []adapters.Example{{Key: "draw", Text: "draw *me*"}, {Key: "gif", Text: "make a GIF"}}}
	plain := (&Composer{Phrases: adapters.English{}}).Compose(r, 0)[0].Content.Plain()
	if want := "You can try:\n- draw \\*me\\*\n- make a GIF"; plain.Text != want || len(plain.Components) > 0 {
		t.Errorf("it is %q with %v, want %q", plain.Text, plain.Components, want)
	}
}

func TestSmallPrint(t *testing.T) {
	t.Parallel()
	composer := &Composer{Phrases: adapters.English{}}
	parts := composer.Compose(adapters.Reply{Text: "Here it is.", Small: "seed *42*", Choices: []adapters.Choice{{ID: "r-1-1", Text: "larger"}}, Answer: true}, 0)
	if len(parts) != 1 || !strings.HasPrefix(parts[0].Content.Text, "Here it is.\n\n-# seed \\*42\\*\nAlternatives") {
		t.Errorf("it is shown as %+v", parts)
	}
}
