// Package clause splits a request into clauses, each of which asks for one thing.
package clause

import (
	"slices"
	"strings"

	"atelier/agent/planner/rules/english"
	"atelier/agent/planner/rules/profile"
	"atelier/agent/toolbox/quantity"
	"atelier/agent/toolbox/retrieve"
)

// join is the relation of a clause to the previous one.
type join int

// Relations of a clause to the previous one.
const (
	Apart join = iota // a sentence of its own
	Along             // "… and …"
	After             // "… and then …": continues with the result
)

// Clause is a part of a request that asks for one thing.
type Clause struct {
	Words []retrieve.Word
	Text  string
	Join  join
	Bare  bool // has no verb, and continues with the previous result
	Asks  bool // ends with a question mark
	// Beside marks a clause that works on the same things as the previous one: "and webp" in "as png and webp".
	Beside bool
	More   []string // later clauses that only add detail to this one
}

// splitter iterates over the words of a request.
type splitter struct {
	*profile.Tools

	asides asides
	text   string
	words  []retrieve.Word
	found  []Clause
	begin  int  // start of the current clause
	how    join // relation of the current clause to the previous one
	bare   bool // the current clause has no verb
	beside bool // the current clause works on the same things as the previous one
}

// Split splits a request at the ends of sentences, at connectors ("and then"), and at
// "and" or a comma before an order or a question.
func Split(ts *profile.Tools, text string, words []retrieve.Word) []Clause {
	s := splitter{Tools: ts, asides: asides{ts}, text: text, words: words}
	for i := 0; i < len(words); {
		i = s.step(i)
	}
	s.cut(len(words), len(words), Apart)
	return s.asides.merge(s.found)
}

// step reads the word at i and returns where to continue.
func (s *splitter) step(i int) int {
	if i > s.begin && strings.Contains(s.text[s.words[i-1].End:s.words[i].Start], "\n") {
		s.cut(i, i, Apart)
	}
	if s.textBegins(i) {
		return len(s.words)
	}
	if s.ends(i) {
		if s.cut(i, i+1, Apart) && strings.ContainsAny(s.words[i].Text, "?？") {
			s.found[len(s.found)-1].Asks = true
		}
		return i + 1
	}
	if s.leadsIn(i) {
		s.begin = i + 1
		return i + 1
	}
	n, how := s.connector(i)
	switch {
	case n == 0 && s.words[i].Lower() == "without" && i > s.begin && s.complete(s.words[s.begin:i]) && s.isWish(i): // "play it backwards without sound"
		s.cut(i, i, Along)
		s.bare = true
		return i + 1
	case n == 0, s.listsTags(i, i+n), s.listsFormats(i):
	case i == s.begin:
		if how == After && len(s.found) > 0 {
			s.how = After // "Then …" at the front of a sentence
		}
	case s.words[i].Text == "," && s.asides.staysAsIs(s.rest(i+n)): // "3 semitones lower, same tempo"
		s.cut(i, i+n, how)
		return i + n
	case !s.complete(s.words[s.begin:i]):
	case s.keepsSide(i, i+n), s.listsFiles(i, i+n), s.limitsTo(i + n):
	case how == Along && s.ordersVersion(i+n):
		s.cut(i, i+n, how)
		s.beside = true
		return i + n
	case s.BeginsClause(s.words[i+n:]), s.LeavesFile(s.upToConnector(i + n)),
		s.words[i].Lower() == "and" && s.limitsBytes(s.words[i+n:]):
		s.cut(i, i+n, how)
		return i + n
	case s.words[i].Text == "," && (s.Complains(s.rest(i+n)) || s.asides.givesReason(s.rest(i+n), how)):
		s.cut(i, i+n, how)
		return i + n
	case s.words[i].Text == "," && s.isWish(i+n):
		s.cut(i, i+n, how)
		s.bare = true
		return i + n
	}
	return i + 1
}

// ordersVersion reports whether the words from next order a changed copy, besides another new thing: "make a thumbnail
// and a grey version".
func (s *splitter) ordersVersion(next int) bool {
	orders := func(words []retrieve.Word) bool {
		i := slices.IndexFunc(words, func(w retrieve.Word) bool { return s.Is("articles", w) })
		return i >= 0 && !s.Any("pronouns", words[:i])
	}
	version := s.upToConnector(next)
	return orders(s.words[s.begin:next]) && orders(version) && s.Any("versions", version)
}

// keepsSide reports whether a connector joins a shape or size and the side of the picture to keep: "crop to 16:9, keep
// the top".
func (s *splitter) keepsSide(end, next int) bool {
	rest := s.upToConnector(next)
	if len(rest) < 2 || !s.Is("leaving", rest[0]) || slices.ContainsFunc(rest[1:], func(w retrieve.Word) bool {
		return !s.Is("places", w) && !s.Lexicon.Stop(w.Lower()) && !s.IsMedia(w) && !s.Is("parts", w) && !s.Is("prepositions", w)
	}) {
		return false
	}
	_, told := quantity.Place(english.TextOf(rest))
	part, ok := quantity.Region(s.text[s.words[s.begin].Start:s.words[end-1].End])
	return told && ok && part.Anchor == (quantity.Anchor{}) && (part.Width > 0 || part.Ratio[1] > 0)
}

// limitsTo reports whether the words from i to the next connector only restrict the clause to a time: "…, only the last
// 4 seconds".
func (s *splitter) limitsTo(i int) bool {
	words := s.upToConnector(i)
	if len(words) < 2 || !s.Is("only", words[0]) {
		return false
	}
	rest := words[1:]
	for len(rest) > 1 && s.Is("prepositions", rest[0]) {
		rest = rest[1:]
	}
	text := english.TextOf(rest)
	start, end := quantity.FindBounded(text)
	return end == len(text) && strings.TrimSpace(text[:start]) == ""
}

// listsFiles reports whether counted files stand before and after a connector: "the first one grey, the second one
// brighter", "both as png, the first one grey".
func (s *splitter) listsFiles(end, next int) bool {
	before := s.words[s.begin:end]
	return s.ListsFile(s.words[next:]) && slices.ContainsFunc(before, func(w retrieve.Word) bool {
		return english.Ordinals[w.Lower()] != 0 || s.Is("plurals", w)
	})
}

// listsTags reports whether tags of a sound stand before and after a connector: "artist Ella, title Rain".
func (s *splitter) listsTags(end, next int) bool {
	if s.begin >= end || next >= len(s.words) || !quantity.BeginsTags(s.text[s.words[next].Start:]) {
		return false
	}
	_, before := quantity.FindTags(s.text[s.words[s.begin].Start:s.words[end-1].End])
	return before > 0
}

// listsFormats reports whether the connector at i joins two formats, without more words about the second: "as jpg, png
// and tiff".
func (s *splitter) listsFormats(i int) bool {
	next := s.NextFormat(s.words, i)
	before := s.words[max(0, i-1)]
	if next == 0 || before.Kind != retrieve.Plain || !retrieve.IsFormat(before.Lower()) {
		return false
	}
	next++
	return next == len(s.words) || s.ends(next) || s.NextFormat(s.words, next) > 0 || s.words[next].Text == "," || s.Is("joining words", s.words[next]) ||
		s.Is("versions", s.words[next]) || s.Is("file words", s.words[next])
}

// leadsIn reports whether the words before the colon at i only give the purpose of the result: "podcast ready: mono, -16
// LUFS".
func (s *splitter) leadsIn(i int) bool {
	lead := s.words[s.begin:i]
	return s.words[i].Text == ":" && len(lead) > 0 && len(lead) <= mostWish && i+1 < len(s.words) && s.words[i+1].Start > s.words[i].End &&
		len(QuantitiesIn(s.text, lead)) == 0 && !s.complete(lead) && s.Asks(s.rest(i+1))
}

// rest returns the words from i to the next punctuation mark.
func (s *splitter) rest(i int) []retrieve.Word {
	end := i
	for end < len(s.words) && (!s.words[end].IsMark() || s.words[end].Text == "-") { // a sign: "-16 LUFS"
		end++
	}
	return s.words[i:end]
}

// mostWish is the maximum number of words of a wish without a verb: "no sound", "half speed".
const mostWish = 4

// upToConnector returns the words from i to the next punctuation mark or connector.
func (s *splitter) upToConnector(i int) []retrieve.Word {
	end := i
	for end < len(s.words) && !s.words[end].IsMark() {
		if n, _ := s.connector(end); n > 0 {
			break
		}
		end++
	}
	return s.words[i:end]
}

// isWish reports whether the words from i to the next punctuation mark or connector are a wish without a verb, as in
// "grey, no sound". A quantity may belong to the previous clause instead: "…, 40 % opacity".
func (s *splitter) isWish(i int) bool {
	words := s.upToConnector(i)
	if len(words) == 0 || len(words) > mostWish || words[0].IsQuote() || len(QuantitiesIn(s.text, words)) > 0 {
		return false
	}
	where := func(w retrieve.Word) bool { return s.Is("places", w) || s.Lexicon.Stop(w.Lower()) } // "…, lower right"
	return s.Asks(words) && slices.ContainsFunc(words, func(w retrieve.Word) bool { return !where(w) })
}

// cut ends the current clause before the word at end; the next one begins at next. It reports whether there was a
// clause.
func (s *splitter) cut(end, next int, how join) bool {
	words := s.words[s.begin:end]
	for len(words) > 0 && words[0].IsMark() && !isSign(words) {
		words = words[1:]
	}
	for len(words) > 0 && words[len(words)-1].IsMark() && words[len(words)-1].Text != "%" {
		words = words[:len(words)-1]
	}
	if len(words) > 0 {
		s.found = append(s.found, Clause{Words: words, Text: s.text[words[0].Start:words[len(words)-1].End], Join: s.how, Bare: s.bare, Beside: s.beside})
		s.bare, s.beside = false, false
	}
	if len(words) > 0 || how != Apart {
		s.how = how
	}
	s.begin = next
	return len(words) > 0
}

// isSign reports whether the words begin with the sign of a number: "-16 LUFS".
func isSign(words []retrieve.Word) bool {
	return words[0].Text == "-" && len(words) > 1 && words[1].Kind == retrieve.Number && words[1].Start == words[0].End
}

// textBegins reports whether a long text to work on begins after the colon at i. It must not be split.
func (s *splitter) textBegins(i int) bool {
	if s.words[i].Text != ":" || i <= s.begin || len(s.words)-i <= LongClause {
		return false
	}
	core := s.Lexicon.Core(s.words[s.begin:i])
	return len(core) > 0 && s.Is("inscribing", core[0]) &&
		!slices.ContainsFunc(s.words[s.begin:], func(w retrieve.Word) bool { return w.IsFile() || w.Lower() == "then" })
}

// ends reports whether the punctuation mark at i ends the clause.
func (s *splitter) ends(i int) bool {
	mark := s.words[i]
	if mark.Kind != retrieve.Mark {
		return false
	}
	next := i + 1
	switch {
	case strings.ContainsAny(mark.Text, "?;。？！…"):
		return true
	case mark.Text == "!": // not in "write Thanks! at the foot", where it is part of the text
		return next == len(s.words) || !s.Is("prepositions", s.words[next]) || s.words[next].Text != s.words[next].Lower()
	case mark.Text == ".":
		return next == len(s.words) || s.words[next].Start > mark.End
	}
	return false
}

// connector returns the number of words at i that join two clauses, 0 if none.
func (s *splitter) connector(i int) (int, join) {
	n, how := 0, Along
	if s.words[i].IsMark() {
		if !slices.Contains([]string{",", "→", ">", "&", "+"}, s.words[i].Text) {
			return 0, Apart
		}
		if s.words[i].Text == "→" || s.words[i].Text == ">" {
			how = After
		}
		n = 1
	}
	rest := s.words[i+n:]
	longest := s.Begins("connectors", rest)
	switch {
	case longest > 0:
		return n + longest, After
	case len(rest) > 0 && s.Is("joining words", rest[0]):
		return n + 1, Along
	case n > 0:
		return n, how
	}
	return 0, Apart
}

// complete reports whether the words already ask for something, so that a new clause may begin.
func (s *splitter) complete(words []retrieve.Word) bool {
	core := s.Lexicon.Core(words)
	switch {
	case len(core) == 0:
		return false
	case s.LeavesFile(core), s.Begins("complaints", core) > 0, s.Forbids(words) && len(core) > 2:
		return true
	case core[0].Kind == retrieve.Plain && (s.Is("prepositions", core[0]) || retrieve.Leads(core[0].Text)):
		led := slices.IndexFunc(core, func(w retrieve.Word) bool { return w.IsFile() || w.Text == "," || w.Text == ":" })
		return led >= 0 && slices.ContainsFunc(core[led:], s.IsVerb) // "in photo.jpg find the cat", not "in photo.jpg"
	}
	first := core[0]
	return first.Kind != retrieve.Plain || strings.HasSuffix(first.Lower(), "ing") || s.Lexicon.Class(first.Stem) != first.Stem ||
		slices.ContainsFunc(core, s.IsVerb) || s.AsksForDelivery(core) || s.Asks(core) ||
		len(core) < 4 && profile.AnyAdjustment.Reads(english.TextOf(core)) || // "sepia"
		len(core) > 2 && s.Is("determiners", words[0]) && s.Any("finite", core) // "the picture is blurry"
}

// QuantitiesIn returns the quantities in words of a text, outside of file names. Their positions are relative to the
// first word.
func QuantitiesIn(text string, words []retrieve.Word) []quantity.Quantity {
	if len(words) == 0 {
		return nil
	}
	start, end := words[0].Start, words[len(words)-1].End
	return slices.DeleteFunc(quantity.Find(text[start:end]), func(q quantity.Quantity) bool {
		return slices.ContainsFunc(words, func(w retrieve.Word) bool { return w.IsFile() && Overlaps(w, q, start) })
	})
}

// Overlaps reports whether a word and a quantity overlap. The quantity's text begins at start.
func Overlaps(w retrieve.Word, q quantity.Quantity, start int) bool {
	return w.Start < start+q.End && w.End > start+q.Start
}

// LongClause is the maximum number of words of a clause that may leave out its object.
const LongClause = 6

// limitsBytes reports whether words limit the size of a file: "under 10 MB".
func (s *splitter) limitsBytes(words []retrieve.Word) bool {
	return len(words) > 1 && s.Is("limiting", words[0]) && slices.ContainsFunc(quantity.Find(english.TextOf(words)), func(q quantity.Quantity) bool {
		return q.Unit == quantity.ByteCount
	})
}
