package english

import (
	"slices"
	"strings"

	"atelier/agent/toolbox/quantity"
	"atelier/agent/toolbox/retrieve"
)

// Complains reports whether a clause says what does not work: "my phone can't open it". It is the reason for an order,
// not an order itself, unless a quantity makes it a limit: "Discord won't take files over 8 MB".
func (g *Grammar) Complains(words []retrieve.Word) bool {
	at := slices.IndexFunc(words, func(w retrieve.Word) bool { return g.Is("unable", w) })
	if at < 1 || at > 5 || len(words)-at < 2 || g.IsVerb(words[0]) || len(quantity.Find(TextOf(words))) > 0 {
		return false
	}
	subject := slices.ContainsFunc([]string{"determiners", "owners", "people", "pronouns"}, func(s string) bool { return g.Is(s, words[0]) })
	return subject || words[0].Kind == retrieve.Plain && at < 5
}

// BeginsClause reports whether the words after a connector begin a new clause: an order or a question.
func (g *Grammar) BeginsClause(words []retrieve.Word) bool {
	for len(words) > 1 && (words[0].Text == "," || words[0].Lower() == "just") { // "…, just make it smaller"
		words = words[1:]
	}
	core := g.Lexicon.Core(words)
	if len(core) == 0 || core[0].Kind != retrieve.Plain {
		return false
	}
	first, polite := core[0].Lower(), len(core) < len(words)
	if g.verbs[first] {
		return len(core) > 1 || polite || first == core[0].Text
	}
	return g.AsksForDelivery(core) || g.In("questions", first) || polite && g.In("relatives", first) || g.UnknownOrder(core)
}

// UnknownOrder reports whether a clause begins with an unknown word that can only be a verb: "pixelate the plates",
// "straighten it". It is not part of the previous clause.
func (g *Grammar) UnknownOrder(words []retrieve.Word) bool {
	if len(words) < 2 || !g.Is("pronouns", words[1]) && !g.Is("determiners", words[1]) {
		return false
	}
	if len(words) > 2 && g.Is("pronouns", words[1]) && words[2].Lower() == "out" { // "black it out"
		return true
	}
	text := words[0].Text
	inflected := strings.HasSuffix(text, "s") || strings.HasSuffix(text, "ed") || strings.HasSuffix(text, "ing")
	known := g.Listed(text) || g.Lexicon.Stop(text) || g.IsMedia(words[0]) || retrieve.IsFormat(text)
	return text == words[0].Lower() && !inflected && !known
}

// Forbids reports whether a clause forbids something.
func (g *Grammar) Forbids(words []retrieve.Word) bool {
	return g.Begins("forbidding", g.Lexicon.Core(words)) > 0
}
