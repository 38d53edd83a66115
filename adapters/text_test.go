package adapters_test

import (
	"testing"

	"atelier/adapters"
)

func TestCutTexts(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, got, want string }{
		{"a short text stays", adapters.Shorten("abc", 3), "abc"},
		{"a cut is marked", adapters.Shorten("abc def", 5), "abc…"},
		{"an emoji counts as two", adapters.Shorten("🙂🙂🙂", 5), "🙂🙂…"},
		{"no character is cut in two", adapters.Cut("aé", 2), "a"},
		{"invalid bytes are replaced", adapters.Cut("a\xff", 9), "a\uFFFD"},
		{"an extension stays", adapters.CutName("a long name.jpeg", 9), "a lo.jpeg"},
		{"a long extension does not", adapters.CutName("a.name that is no extension", 4), "a.na"},
	} {
		if c.got != c.want {
			t.Errorf("%s: %q, want %q", c.name, c.got, c.want)
		}
	}
}

func TestLabelled(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{"blur": true, "blur it a lot": false, "": false, " ": false, "\u202e\u200b": false, "🙂": true} {
		choices := []adapters.Choice{{Text: "crop"}, {Text: text}}
		if got := adapters.Labelled(choices, 8); got != want {
			t.Errorf("%q: %t, want %t", text, got, want)
		}
	}
}
