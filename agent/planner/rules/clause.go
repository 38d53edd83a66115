package rules

import (
	"slices"
	"strings"

	"atelier/agent/toolbox/quantity"
	"atelier/agent/toolbox/retrieve"
)

// join tells how a clause follows the one before.
type join int

const (
	apart join = iota // a sentence of its own
	along             // "… and …"
	after             // "… and then …": it goes on with the result
)

// clause is a part of a request that asks for one thing.
type clause struct {
	words []retrieve.Word
	text  string
	join  join
	bare  bool // it has no verb, and goes on with the result of the one before
	asks  bool // it ends in a question mark
	// beside marks one that works on what the clause before works on: the "and webp" of "as png and webp".
	beside bool
	more   []string // later clauses that only say more about this one
}

// splitter walks over the words of a request.
type splitter struct {
	p     *Planner
	text  string
	words []retrieve.Word
	found []clause
	begin int  // where the clause begins that is being read
	how   join // how that clause follows the one before
	bare  bool // it has no verb
}

// clauses splits a request at the ends of sentences, at connectors ("and then"), and at
// "and" or a comma before an order or a question.
func (p *Planner) clauses(text string, words []retrieve.Word) []clause {
	s := splitter{p: p, text: text, words: words}
	for i := 0; i < len(words); {
		i = s.step(i)
	}
	s.cut(len(words), len(words), apart)
	return p.merge(s.found)
}

// step reads the word at i and returns where to go on.
func (s *splitter) step(i int) int {
	if i > s.begin && strings.Contains(s.text[s.words[i-1].End:s.words[i].Start], "\n") {
		s.cut(i, i, apart)
	}
	if s.textBegins(i) {
		return len(s.words)
	}
	if s.ends(i) {
		if s.cut(i, i+1, apart) && strings.ContainsAny(s.words[i].Text, "?？") {
			s.found[len(s.found)-1].asks = true
		}
		return i + 1
	}
	if s.leadsIn(i) {
		s.begin = i + 1
		return i + 1
	}
	n, how := s.connector(i)
	switch {
	case n == 0 && lower(s.words[i]) == "without" && i > s.begin && s.p.complete(s.words[s.begin:i]) && s.isWish(i): // "play it backwards without sound"
		s.cut(i, i, along)
		s.bare = true
		return i + 1
	case n == 0, s.listsTags(i, i+n), s.listsFormats(i):
	case i == s.begin:
		if how == after && len(s.found) > 0 {
			s.how = after // "Then …" at the front of a sentence
		}
	case !s.p.complete(s.words[s.begin:i]):
	case s.keepsSide(i, i+n), s.listsFiles(i, i+n), s.limitsTo(i + n):
	case s.p.beginsClause(s.words[i+n:]), s.p.leavesFile(s.upToConnector(i + n)):
		s.cut(i, i+n, how)
		return i + n
	case s.words[i].Text == "," && (s.p.complains(s.rest(i+n)) || s.p.givesReason(s.rest(i+n), how)):
		s.cut(i, i+n, how)
		return i + n
	case s.words[i].Text == "," && s.isWish(i+n):
		s.cut(i, i+n, how)
		s.bare = true
		return i + n
	}
	return i + 1
}

// keepsSide reports whether a connector leads from a shape or a size to the side of the picture that stays in it:
// "crop to 16:9, keep the top".
func (s *splitter) keepsSide(end, next int) bool {
	rest := s.upToConnector(next)
	if len(rest) < 2 || !s.p.is("leaving", rest[0]) || slices.ContainsFunc(rest[1:], func(w retrieve.Word) bool {
		return !s.p.is("places", w) && !s.p.lexicon.Stop(lower(w)) && !s.p.isMedia(w) && !s.p.is("parts", w) && !s.p.is("prepositions", w)
	}) {
		return false
	}
	_, told := quantity.Place(textOf(rest))
	part, ok := quantity.Region(s.text[s.words[s.begin].Start:s.words[end-1].End])
	return told && ok && part.Anchor == (quantity.Anchor{}) && (part.Width > 0 || part.Ratio[1] > 0)
}

// limitsTo reports whether the words from i to the next connector only say when something holds: "…, only the last 4
// seconds".
func (s *splitter) limitsTo(i int) bool {
	words := s.upToConnector(i)
	if len(words) < 2 || !s.p.is("only", words[0]) {
		return false
	}
	text := textOf(words[1:])
	start, end := quantity.FindBounded(text)
	return end == len(text) && strings.TrimSpace(text[:start]) == ""
}

// listsFiles reports whether files that are counted stand before and behind a connector: "the first one grey, the
// second one brighter".
func (s *splitter) listsFiles(end, next int) bool {
	before := s.words[s.begin:end]
	return s.p.listsFile(s.words[next:]) && slices.ContainsFunc(before, func(w retrieve.Word) bool { return ordinals[lower(w)] != 0 })
}

// listsTags reports whether tags of a sound stand before and behind a connector: "artist Ella, title Rain".
func (s *splitter) listsTags(end, next int) bool {
	if s.begin >= end || next >= len(s.words) || !quantity.BeginsTags(s.text[s.words[next].Start:]) {
		return false
	}
	_, before := quantity.FindTags(s.text[s.words[s.begin].Start:s.words[end-1].End])
	return before > 0
}

// listsFormats reports whether the connector at i joins two formats, and nothing is said of the second one alone:
// "as jpg, png and tiff".
func (s *splitter) listsFormats(i int) bool {
	next := s.p.nextFormat(s.words, i)
	before := s.words[max(0, i-1)]
	if next == 0 || before.Kind != retrieve.Plain || !retrieve.IsFormat(lower(before)) {
		return false
	}
	next++
	return next == len(s.words) || s.ends(next) || s.p.nextFormat(s.words, next) > 0 || s.words[next].Text == "," || s.p.is("joining words", s.words[next]) ||
		s.p.is("versions", s.words[next]) || s.p.is("file words", s.words[next])
}

// leadsIn reports whether the words before the colon at i only say what the result is for: "podcast ready: mono,
// -16 LUFS".
func (s *splitter) leadsIn(i int) bool {
	lead := s.words[s.begin:i]
	return s.words[i].Text == ":" && len(lead) > 0 && len(lead) <= mostWish && i+1 < len(s.words) && s.words[i+1].Start > s.words[i].End &&
		len(quantitiesIn(s.text, lead)) == 0 && !s.p.complete(lead) && s.p.asks(s.rest(i+1))
}

// rest are the words from i to the next mark.
func (s *splitter) rest(i int) []retrieve.Word {
	end := i
	for end < len(s.words) && (!isMark(s.words[end]) || s.words[end].Text == "-") { // a sign: "-16 LUFS"
		end++
	}
	return s.words[i:end]
}

// complains reports whether a clause says what does not work: "my phone can't open it". It is the reason for an
// order, and asks for nothing itself. A quantity is a limit: "Discord won't take files over 8 MB".
func (g *grammar) complains(words []retrieve.Word) bool {
	at := slices.IndexFunc(words, func(w retrieve.Word) bool { return g.is("unable", w) })
	if at < 1 || at > 5 || len(words)-at < 2 || g.isVerb(words[0]) || len(quantity.Find(textOf(words))) > 0 {
		return false
	}
	subject := slices.ContainsFunc([]string{"determiners", "owners", "people", "pronouns"}, func(s string) bool { return g.is(s, words[0]) })
	return subject || words[0].Kind == retrieve.Plain && at < 3
}

// givesReason reports whether words behind an order only say why it is given: "need it for the team page".
func (ts *tools) givesReason(words []retrieve.Word, how join) bool {
	if len(quantity.Find(textOf(words))) > 0 { // which may be what the result is to keep to
		return false
	}
	if ts.begins("reasons", words) > 0 || how == along && ts.begins("existing", words) > 0 {
		return true
	}
	n := ts.begins("circumstances", words)
	return n > 0 && !ts.asks(words[n:]) && !slices.ContainsFunc(words[n:], ts.isVerb)
}

// mostWish is how many words a wish without a verb has at most: "no sound", "half speed".
const mostWish = 4

// upToConnector are the words from i to the next mark or connector.
func (s *splitter) upToConnector(i int) []retrieve.Word {
	end := i
	for end < len(s.words) && !isMark(s.words[end]) {
		if n, _ := s.connector(end); n > 0 {
			break
		}
		end++
	}
	return s.words[i:end]
}

// isWish reports whether the words from i to the next mark or connector are a wish of their own without
// a verb, as in "grey, no sound". A quantity may belong to the clause before: "…, 40 % opacity".
func (s *splitter) isWish(i int) bool {
	words := s.upToConnector(i)
	if len(words) == 0 || len(words) > mostWish || isQuote(words[0]) || len(quantitiesIn(s.text, words)) > 0 {
		return false
	}
	return s.p.asks(words)
}

// cut ends the clause before the word at end; the next one begins at next. It reports
// whether there was a clause.
func (s *splitter) cut(end, next int, how join) bool {
	words := s.words[s.begin:end]
	for len(words) > 0 && isMark(words[0]) && !isSign(words) {
		words = words[1:]
	}
	for len(words) > 0 && isMark(words[len(words)-1]) {
		words = words[:len(words)-1]
	}
	if len(words) > 0 {
		s.found = append(s.found, clause{words: words, text: s.text[words[0].Start:words[len(words)-1].End], join: s.how, bare: s.bare})
		s.bare = false
	}
	if len(words) > 0 || how != apart {
		s.how = how
	}
	s.begin = next
	return len(words) > 0
}

// isSign reports whether the words begin with the sign of a number: "-16 LUFS".
func isSign(words []retrieve.Word) bool {
	return words[0].Text == "-" && len(words) > 1 && words[1].Kind == retrieve.Number && words[1].Start == words[0].End
}

// textBegins reports whether a long text that is to be worked on begins after the colon at
// i: it is not split.
func (s *splitter) textBegins(i int) bool {
	if s.words[i].Text != ":" || i <= s.begin || len(s.words)-i <= longClause {
		return false
	}
	core := s.p.lexicon.Core(s.words[s.begin:i])
	return len(core) > 0 && s.p.is("inscribing", core[0]) &&
		!slices.ContainsFunc(s.words[s.begin:], func(w retrieve.Word) bool { return isFile(w) || lower(w) == "then" })
}

// ends reports whether the mark at i ends the clause.
func (s *splitter) ends(i int) bool {
	mark := s.words[i]
	if mark.Kind != retrieve.Mark {
		return false
	}
	next := i + 1
	switch {
	case strings.ContainsAny(mark.Text, "?;。？！…"):
		return true
	case mark.Text == "!": // not in "write Thanks! at the foot", where what is written has its own end
		return next == len(s.words) || !s.p.is("prepositions", s.words[next]) || s.words[next].Text != lower(s.words[next])
	case mark.Text == ".":
		return next == len(s.words) || s.words[next].Start > mark.End
	}
	return false
}

// connector returns how many words at i join two clauses, 0 if none do.
func (s *splitter) connector(i int) (int, join) {
	n, how := 0, along
	if isMark(s.words[i]) {
		if !slices.Contains([]string{",", "→", ">", "&", "+"}, s.words[i].Text) {
			return 0, apart
		}
		if s.words[i].Text == "→" || s.words[i].Text == ">" {
			how = after
		}
		n = 1
	}
	rest := s.words[i+n:]
	longest := s.p.begins("connectors", rest)
	switch {
	case longest > 0:
		return n + longest, after
	case len(rest) > 0 && s.p.is("joining words", rest[0]):
		return n + 1, along
	case n > 0:
		return n, how
	}
	return 0, apart
}

// merge puts clauses that only say more about the one before to it.
func (ts *tools) merge(all []clause) []clause {
	var out []clause
	for _, c := range all {
		if len(out) == 0 {
			out = append(out, c)
			continue
		}
		switch last := &out[len(out)-1]; {
		case !slices.ContainsFunc(c.words, func(w retrieve.Word) bool { return !isQuote(w) && !isMark(w) }):
			last.words = append(slices.Clip(last.words), c.words...) // a quotation alone is what the clause before is about
			last.text += " " + c.text
		case ts.givesReason(c.words, c.join) && !ts.isContext(last.words):
			// the order stands without its reason
		case ts.staysAsIs(c.words) && !ts.isContext(last.words):
			// the tool leaves alone what it is not told
		case ts.elaborates(c) && (ts.prohibits(c) || ts.complains(c.words) || !ts.asks(c.words)) && !ts.isContext(last.words):
			last.more = append(last.more, c.text)
		default:
			out = append(out, c)
		}
	}
	return out
}

// staysAsIs reports whether a clause says only that a property stays: "same speed", "keep the quality".
func (g *grammar) staysAsIs(words []retrieve.Word) bool {
	if len(words) < 2 || !g.is("leaving", words[0]) && lower(words[0]) != "same" {
		return false
	}
	return g.is("properties that stay", words[len(words)-1]) && !slices.ContainsFunc(words[1:len(words)-1], func(w retrieve.Word) bool {
		return lower(w) != "same" && !g.is("determiners", w) && !g.is("owners", w) && lower(w) != "original"
	})
}

// elaborates reports whether the clause only says more about the one before.
func (g *grammar) elaborates(c clause) bool {
	core := g.lexicon.Core(c.words)
	if g.leavesFile(core) {
		return false
	}
	if g.begins("elaborations", c.words) > 0 || g.begins("elaborations", core) > 0 || g.complains(c.words) {
		return true
	}
	for i, w := range core { // "the new picture should be …"
		if i > 5 || w.Kind != retrieve.Plain {
			return false
		}
		if g.is("obliging", w) || g.is("prohibiting", w) {
			return i > 0 && (g.is("determiners", core[0]) || g.isMedia(core[0]) || g.is("sound nouns", core[0]))
		}
	}
	return false
}

// prohibits reports whether the clause says how something must not be: it orders nothing.
func (g *grammar) prohibits(c clause) bool { return g.any("prohibiting", c.words) }

// textOf writes words behind one another.
func textOf(words []retrieve.Word) string {
	texts := make([]string, len(words))
	for i, w := range words {
		texts[i] = w.Text
	}
	return strings.Join(texts, " ")
}

// beginsClause reports whether a clause of its own follows a connector: an order or a question.
func (g *grammar) beginsClause(words []retrieve.Word) bool {
	for len(words) > 0 && words[0].Text == "," {
		words = words[1:]
	}
	core := g.lexicon.Core(words)
	if len(core) == 0 || core[0].Kind != retrieve.Plain {
		return false
	}
	first, polite := lower(core[0]), len(core) < len(words)
	if g.verbs[first] {
		return len(core) > 1 || polite || first == core[0].Text
	}
	return g.delivers(core) || g.in("questions", first) || polite && g.in("relatives", first) || g.unknownOrder(core)
}

// unknownOrder reports whether a clause begins with a word that can only be a verb, although
// nothing knows it: "pixelate the plates", "straighten it". It is no part of the clause before.
func (g *grammar) unknownOrder(words []retrieve.Word) bool {
	if len(words) < 2 || !g.is("pronouns", words[1]) && !g.is("determiners", words[1]) {
		return false
	}
	if len(words) > 2 && g.is("pronouns", words[1]) && lower(words[2]) == "out" { // "black it out"
		return true
	}
	text := words[0].Text
	inflected := strings.HasSuffix(text, "s") || strings.HasSuffix(text, "ed") || strings.HasSuffix(text, "ing")
	known := g.listed(text) || g.lexicon.Stop(text) || g.isMedia(words[0]) || retrieve.IsFormat(text)
	return text == lower(words[0]) && !inflected && !known
}

// complete reports whether the words already ask for something, so that a new clause may begin.
func (ts *tools) complete(words []retrieve.Word) bool {
	core := ts.lexicon.Core(words)
	switch {
	case len(core) == 0:
		return false
	case ts.leavesFile(core):
		return true
	case core[0].Kind == retrieve.Plain && (ts.is("prepositions", core[0]) || retrieve.Leads(core[0].Text)):
		led := slices.IndexFunc(core, func(w retrieve.Word) bool { return isFile(w) || w.Text == "," || w.Text == ":" })
		return led >= 0 && slices.ContainsFunc(core[led:], ts.isVerb) // "in photo.jpg find the cat", not "in photo.jpg"
	}
	first := core[0]
	return first.Kind != retrieve.Plain || strings.HasSuffix(lower(first), "ing") || ts.lexicon.Class(first.Stem) != first.Stem ||
		slices.ContainsFunc(core, ts.isVerb) || ts.delivers(core) || ts.asks(core) || len(core) < 4 && anyAdjustment.Reads(textOf(core)) || // "sepia"
		len(core) > 2 && ts.is("determiners", words[0]) && ts.any("finite", core) // "the picture is blurry"
}
