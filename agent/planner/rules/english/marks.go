package english

import (
	"slices"

	"atelier/agent/toolbox/retrieve"
)

// RemovesObject reports whether the clause removes or hides the thing that it refers to.
func (g *Grammar) RemovesObject(words []retrieve.Word) bool {
	_, filled := g.Replacement(words)
	for i, w := range words {
		rest := words[i+1:]
		near := rest[:min(5, len(rest))]
		switch {
		case g.Is("erasing", w), !filled && g.Is("hiding", w),
			g.Is("blotting", w) && Has(near, "out") && !g.Determined(words, i),
			g.Is("over verbs", w) && Has(near, "over") && !filled,
			g.Is("denying", w) && slices.ContainsFunc(near, func(w retrieve.Word) bool {
				return g.Is("shown", w) || g.Is("marked", w) || g.Is("marks", w)
			}):
			return true
		}
	}
	return false
}

// Replacement returns the start of the words for what replaces the marked part: "grass" in "with some grass", but nothing
// in "with the mask".
func (g *Grammar) Replacement(words []retrieve.Word) (int, bool) {
	if len(words) > 0 && g.Is("putting", words[0]) {
		return 0, false // "put a dog with a red hat here"
	}
	at := slices.IndexFunc(words, func(w retrieve.Word) bool { return w.Lower() == "with" || w.Lower() == "into" }) + 1
	for at > 0 && at < len(words) && (g.Is("determiners", words[at]) || g.Lexicon.Stop(words[at].Lower())) {
		at++
	}
	return at, at > 0 && at < len(words) && !g.Is("marks", words[at])
}

// SpeaksOfMark reports whether the word at i refers to a mark: "the part that I marked", "the box"; not in an order to
// mark something.
func (g *Grammar) SpeaksOfMark(words []retrieve.Word, i int) bool {
	return i > 0 && words[i].Kind == retrieve.Plain &&
		(g.Is("marked", words[i]) || g.Is("marks", words[i]) && (g.Determined(words, i) || words[i-1].Lower() == "i") ||
			g.Is("parts", words[i]) && g.Is("shown", words[i-1])) // "this part"
}
