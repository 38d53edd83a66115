package english

import (
	"slices"
	"strings"

	"atelier/agent/toolbox/quantity"
	"atelier/agent/toolbox/retrieve"
)

// Complains reports whether a clause says what does not work: "my phone can't open it". It is the reason for an
// order, and asks for nothing itself. A quantity is a limit: "Discord won't take files over 8 MB".
func (g *Grammar) Complains(words []retrieve.Word) bool {
	at := slices.IndexFunc(words, func(w retrieve.Word) bool { return g.Is("unable", w) })
	if at < 1 || at > 5 || len(words)-at < 2 || g.IsVerb(words[0]) || len(quantity.Find(TextOf(words))) > 0 {
		return false
	}
	subject := slices.ContainsFunc([]string{"determiners", "owners", "people", "pronouns"}, func(s string) bool { return g.Is(s, words[0]) })
	return subject || words[0].Kind == retrieve.Plain && at < 5
}

// StaysAsIs reports whether a clause says only that a property stays: "same speed", "keep the quality", "keep the pitch of
// the voice normal".
func (g *Grammar) StaysAsIs(words []retrieve.Word) bool {
	for len(words) > 2 && (g.Is("unchanged", words[len(words)-1]) || words[len(words)-1].Lower() == "the") {
		words = words[:len(words)-1]
	}
	if of := len(words) - 3; of > 1 && words[of].Lower() == "of" && g.Is("determiners", words[of+1]) {
		words = words[:of]
	}
	if len(words) < 2 || !g.Is("leaving", words[0]) && words[0].Lower() != "same" {
		return false
	}
	return g.Is("properties that stay", words[len(words)-1]) && !slices.ContainsFunc(words[1:len(words)-1], func(w retrieve.Word) bool {
		return w.Lower() != "same" && !g.Is("determiners", w) && !g.Is("owners", w) && w.Lower() != "original"
	})
}

// KeepsSound reports whether a clause says only that the sound stays, as it does where nobody takes it away.
func (g *Grammar) KeepsSound(words []retrieve.Word) bool {
	if len(words) < 2 || !g.Is("leaving", words[0]) {
		return false
	}
	return !slices.ContainsFunc(words[1:], func(w retrieve.Word) bool {
		return !g.Is("sound nouns", w) && !g.Is("determiners", w) && !g.Is("owners", w) && !g.Is("unchanged", w)
	})
}

// BeginsClause reports whether a clause of its own follows a connector: an order or a question.
func (g *Grammar) BeginsClause(words []retrieve.Word) bool {
	for len(words) > 0 && words[0].Text == "," {
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
	return g.Delivers(core) || g.In("questions", first) || polite && g.In("relatives", first) || g.UnknownOrder(core)
}

// LimitsBytes reports whether words say how large a file may be: "under 10 MB".
func (g *Grammar) LimitsBytes(words []retrieve.Word) bool {
	return len(words) > 1 && g.Is("limiting", words[0]) && slices.ContainsFunc(quantity.Find(TextOf(words)), func(q quantity.Quantity) bool {
		return q.Unit == quantity.ByteCount
	})
}

// UnknownOrder reports whether a clause begins with a word that can only be a verb, although
// nothing knows it: "pixelate the plates", "straighten it". It is no part of the clause before.
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

// SaysWhere reports whether the words end with what leads to a place, as "write the words under the" does: what
// comes next is no text.
func (g *Grammar) SaysWhere(words []retrieve.Word) bool {
	for len(words) > 0 && (g.Is("determiners", words[len(words)-1]) || g.Is("articles", words[len(words)-1])) {
		words = words[:len(words)-1]
	}
	return len(words) > 0 && g.Is("places lead", words[len(words)-1])
}

// Forbids reports whether a clause orders that something be not done.
func (g *Grammar) Forbids(words []retrieve.Word) bool {
	return g.Begins("forbidding", g.Lexicon.Core(words)) > 0
}
