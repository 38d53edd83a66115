package rules

import (
	"slices"

	"atelier/agent/toolbox/retrieve"
)

// ordersLettering reports whether the clause orders that written words be put on something.
func (t *thread) ordersLettering(c clause) bool {
	core := t.Lexicon.Core(c.words)
	return len(core) > 0 && t.Is("lettering", core[0])
}

// quoteAnnounced is a clause with the text that it announces as a quotation: "add a note that says see you soon
// to it" is read like "add a note that says "see you soon" to it". It is unchanged where it is not clear which
// words are the text.
func (t *thread) quoteAnnounced(c clause) clause {
	begin := t.announced(c.words)
	if begin < 0 {
		return c
	}
	end := begin + 1
	for end < len(c.words) && (!c.words[end].IsMark() || c.words[end].Text == ":") && !t.leadsAway(c.words[end:]) {
		end++
	}
	said := c.words[begin:end]
	if !slices.ContainsFunc(said, func(w retrieve.Word) bool { return !t.tellsWhere(w) }) || t.mayLeadAway(said) {
		return c
	}
	from, to := said[0].Start, said[len(said)-1].End
	c.words = slices.Concat(c.words[:begin], []retrieve.Word{{Text: t.text[from:to], Kind: retrieve.Quote, Start: from, End: to}}, c.words[end:])
	return c
}

// announced is where the text begins that the words announce; -1 if they announce none, or quote it.
func (t *thread) announced(words []retrieve.Word) int {
	if slices.ContainsFunc(words, retrieve.Word.IsQuote) {
		return -1
	}
	for i, w := range words {
		if w.Text == ":" { // what follows is the text
			return -1
		}
		next := i + t.Begins("announcing", words[i:])
		if next > i && next+1 < len(words) && words[next].Text == ":" { // "saying: hello"
			return next + 1
		}
		if next > i && next < len(words) && words[next].Kind == retrieve.Plain && !t.Is("prepositions", words[next]) && !t.Is("places lead", words[next]) {
			return next
		}
	}
	return -1
}

// leadsAway reports whether the words only say where a text goes, or how it is to look: "on it", "in big letters",
// "to the top of a.png".
func (t *thread) leadsAway(words []retrieve.Word) bool {
	if !t.Is("prepositions", words[0]) {
		return words[0].IsFile()
	}
	if len(words) > 1 && t.Is("prepositions", words[1]) { // the "out" of "sold out on it"
		return false
	}
	anchored := false
	for _, w := range words[1:] {
		if !t.tellsWhere(w) {
			return false
		}
		anchored = anchored || !t.Is("determiners", w) && !t.Is("articles", w) && !t.Is("prepositions", w) && w.Kind != retrieve.Number
	}
	return anchored
}

// tellsWhere reports whether a word may stand where it is said where a text goes, or how it is to look.
func (t *thread) tellsWhere(w retrieve.Word) bool {
	if w.Kind != retrieve.Plain {
		return true
	}
	sections := []string{
		"prepositions", "determiners", "articles", "pronouns", "plurals", "places", "text looks", "time units", "amount words", "closing words",
	}
	return t.IsMedia(w) || anyColour.Reads(w.Text) || slices.ContainsFunc(sections, func(section string) bool { return t.Is(section, w) })
}

// mayLeadAway reports whether words may belong to the order and not to the text: "hello under the dog".
func (t *thread) mayLeadAway(said []retrieve.Word) bool {
	for i, w := range said {
		if t.Is("text looks", w) || i+1 < len(said) && t.Is("prepositions", w) && (t.Is("determiners", said[i+1]) || t.Is("articles", said[i+1])) {
			return true
		}
	}
	return false
}
