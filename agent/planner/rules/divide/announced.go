package divide

import (
	"slices"

	"atelier/agent/planner/rules/clause"
	"atelier/agent/planner/rules/profile"
	"atelier/agent/planner/rules/scene"
	"atelier/agent/toolbox/retrieve"
)

// Quoter finds the text that a clause announces without quotation marks.
type Quoter struct{ *scene.Scene }

// OrdersLettering reports whether the clause orders writing text on something.
func (q *Quoter) OrdersLettering(c clause.Clause) bool {
	core := q.Lexicon.Core(c.Words)
	return len(core) > 0 && q.Is("lettering", core[0])
}

// QuoteAnnounced quotes the text that a clause announces: "add a note that says see you soon to it" is read like "add a
// note that says "see you soon" to it". A clause is unchanged if the bounds of the text are unclear.
func (q *Quoter) QuoteAnnounced(c clause.Clause) clause.Clause {
	begin := q.announced(c.Words)
	if begin < 0 {
		return c
	}
	end := begin + 1
	for end < len(c.Words) && (!c.Words[end].IsMark() || c.Words[end].Text == ":") && !q.leadsAway(c.Words[end:]) {
		end++
	}
	said := c.Words[begin:end]
	if !slices.ContainsFunc(said, func(w retrieve.Word) bool { return !q.tellsWhere(w) }) || q.mayLeadAway(said) {
		return c
	}
	from, to := said[0].Start, said[len(said)-1].End
	c.Words = slices.Concat(c.Words[:begin], []retrieve.Word{{Text: q.Text[from:to], Kind: retrieve.Quote, Start: from, End: to}}, c.Words[end:])
	return c
}

// announced returns the start of the text that the words announce; -1 if they announce none, or quote it.
func (q *Quoter) announced(words []retrieve.Word) int {
	if slices.ContainsFunc(words, retrieve.Word.IsQuote) {
		return -1
	}
	for i, w := range words {
		if w.Text == ":" && i+1 < len(words) && q.Any("text nouns", words[:i]) && q.OrdersLettering(clause.Clause{Words: words}) {
			return i + 1 // "add a caption under it: our holiday"
		}
		if w.Text == ":" { // the text follows
			return -1
		}
		next := i + q.Begins("announcing", words[i:])
		if next > i && next+1 < len(words) && words[next].Text == ":" { // "saying: hello"
			return next + 1
		}
		if next > i && next < len(words) && words[next].Kind == retrieve.Plain && !q.Is("prepositions", words[next]) && !q.Is("places lead", words[next]) {
			return next
		}
	}
	return -1
}

// leadsAway reports whether the words only give the place or the look of a text: "on it", "in big letters", "to the
// top of a.png".
func (q *Quoter) leadsAway(words []retrieve.Word) bool {
	if !q.Is("prepositions", words[0]) {
		return words[0].IsFile()
	}
	if len(words) > 1 && q.Is("prepositions", words[1]) { // the "out" of "sold out on it"
		return false
	}
	anchored := false
	for _, w := range words[1:] {
		if !q.tellsWhere(w) {
			return false
		}
		anchored = anchored || !q.Is("determiners", w) && !q.Is("articles", w) && !q.Is("prepositions", w) && w.Kind != retrieve.Number
	}
	return anchored
}

// tellsWhere reports whether a word may describe the place or the look of a text.
func (q *Quoter) tellsWhere(w retrieve.Word) bool {
	if w.Kind != retrieve.Plain {
		return true
	}
	sections := []string{
		"prepositions", "determiners", "articles", "pronouns", "plurals", "places", "text looks", "time units", "amount words", "closing words",
	}
	return q.IsMedia(w) || profile.AnyColour.Reads(w.Text) || slices.ContainsFunc(sections, func(section string) bool { return q.Is(section, w) })
}

// mayLeadAway reports whether words may belong to the order instead of the text: "hello under the dog".
func (q *Quoter) mayLeadAway(said []retrieve.Word) bool {
	for i, w := range said {
		if q.Is("text looks", w) || i+1 < len(said) && q.Is("prepositions", w) && (q.Is("determiners", said[i+1]) || q.Is("articles", said[i+1])) {
			return true
		}
	}
	return false
}
