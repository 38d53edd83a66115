package adapters_test

import (
	"fmt"
	"strings"
	"testing"
	"unicode"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"atelier/adapters"
)

// styledLetters returns every visible character of texts, with its style.
func styledLetters(texts ...string) []string {
	var all []string
	for _, text := range texts {
		for _, b := range adapters.Parse(text) {
			for _, s := range append(b.Spans, adapters.Span{Text: b.Code}) {
				for _, r := range s.Text {
					if !unicode.IsSpace(r) {
						all = append(all, fmt.Sprintf("%c %t %t %t %t %s %s", r, b.Kind == adapters.Code, s.Bold, s.Italic, s.Code, s.URL, b.Language))
					}
				}
			}
		}
	}
	return all
}

// TestSplitKeepsStyle checks that each character looks the same in the parts as in the whole, if there are
// words to cut between and no markup takes half of a part.
func TestSplitKeepsStyle(t *testing.T) {
	t.Parallel()
	piece := rapid.SampledFrom([]string{
		"日本", "語。", strings.Repeat("語", 10), "日*b*日", "*語*",
		"a", "word", "\n", "\n\n", "*", "**", "*b*", "**bold**", "***c***", "`d`", "`", "``", "\\", "\\*", "[", "]", "](", ")",
		"[e](https://f.g)", "https://h.i/j*k*l", "- item\n", "- ", "12. ", "> ", "> quoted\n", "```\n", "\n```go\ncode\n```\n", "```", ". ", "! ",
		"(", "*(", ")*", "-", "1.", ">", "  ", "👍🏽", "e\u0301", "https://example.com/", strings.Repeat("x", 20),
	})
	rapid.Check(t, func(t *rapid.T) {
		var text strings.Builder
		for _, pieces := range rapid.SliceOfN(rapid.SliceOfN(piece, 1, 4), 0, 30).Draw(t, "pieces") {
			text.WriteString(strings.Join(pieces, "") + rapid.SampledFrom([]string{" and ", "\n", " 語"}).Draw(t, "between"))
		}
		limit := rapid.IntRange(200, 400).Draw(t, "limit")
		if long(text.String(), limit) {
			return
		}
		parts := adapters.Split(text.String(), limit, nil)
		if d := cmp.Diff(styledLetters(text.String()), styledLetters(parts...)); d != "" {
			t.Errorf("%q has become %q:\n%s", text.String(), parts, d)
		}
	})
}

// long reports whether a markup takes a large share of the limit.
func long(text string, limit int) bool {
	for _, b := range adapters.Parse(text) {
		n := 0
		for _, s := range b.Spans {
			if s.Bold || s.Italic || s.Code || s.URL != "" {
				n += len(s.Text) + len(s.URL) + 8
			} else {
				n = 0
			}
			if n > limit/2 {
				return true
			}
		}
	}
	return false
}
