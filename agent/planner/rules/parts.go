package rules

import (
	"slices"

	"atelier/agent/plan"
	"atelier/agent/planner/rules/english"
	"atelier/agent/toolbox"
	"atelier/agent/toolbox/quantity"
	"atelier/agent/toolbox/retrieve"
)

// written are the clauses with those written out that order one thing several times: "save it as png and webp" is
// "save it as png" and beside it "save it as webp".
func (s *scene) written(clauses []clause) []clause {
	var out []clause
	for _, c := range clauses {
		parts := s.byFormat(c)
		if len(parts) == 0 {
			parts = s.byText(c)
		}
		if len(parts) == 0 {
			parts = s.byPage(c)
		}
		if len(parts) == 0 {
			out = append(out, c)
			continue
		}
		out = append(out, parts...)
	}
	return out
}

// part is a clause of some words of another one. They are written again behind the text, where they stand side by
// side: what is between two words of a clause belongs to it.
func (s *scene) part(c clause, words []retrieve.Word) clause {
	s.text += "\n"
	begin := len(s.text)
	c.words = slices.Clone(words)
	for i, w := range words {
		if i > 0 && w.Start != words[i-1].End {
			s.text += " "
		}
		c.words[i].Start = len(s.text)
		s.text += s.text[w.Start:w.End]
		c.words[i].End = len(s.text)
	}
	c.text = s.text[begin:]
	return c
}

// row is what clauses that stand beside one another share: each works on what the first one works on.
type row struct {
	things  []thing // there before the first one
	prev    *reading
	stuck   bool
	made    []thing
	results []thing
}

// enter shows a clause that stands beside others only what the first of them was shown.
func (w *row) enter(t *thread, r *reading) {
	if !r.clause.beside {
		*w = row{things: slices.Clone(t.things), prev: t.prev, stuck: t.stuck}
		return
	}
	t.things, t.prev, t.stuck, r.prev = slices.Clone(w.things), w.prev, w.stuck, w.prev
}

// leave puts what the clause made behind what those before it made. All of it is what the next clause goes on from.
func (w *row) leave(t *thread, r *reading) {
	made := without(t.things, w.things)
	w.made, w.results = slices.Concat(w.made, made), slices.Concat(w.results, r.results)
	t.things, r.results = slices.Concat(without(t.things, made), w.made), w.results
}

// byFormat are the clauses of a clause that asks for several formats; none if it asks for one.
func (s *scene) byFormat(c clause) []clause {
	formats, begin, end := s.listOfFormats(c.words)
	var parts []clause
	for i, f := range formats {
		part := s.part(c, slices.Concat(c.words[:begin], []retrieve.Word{f}, c.words[end:]))
		part.beside = i > 0
		parts = append(parts, part)
	}
	return parts
}

// listOfFormats returns the formats that the words ask for, and the bounds of their list. It returns none if the words
// ask for one format, or name the formats of files at hand.
func (s *scene) listOfFormats(words []retrieve.Word) (formats []retrieve.Word, begin, end int) {
	for i, w := range words {
		if !s.isFormat(words, i) || !s.leadsToFormat(words[:i]) {
			continue
		}
		formats, begin, end = []retrieve.Word{w}, i, i+1
		for next := s.NextFormat(words, end); next > 0; next = s.NextFormat(words, end) {
			formats, end = append(formats, words[next]), next+1
		}
		of := end < len(words) && (s.Is("targets", words[end]) || words[end].Lower() == "of") && s.Is("targets", words[i-1])
		if len(formats) > 1 && !of { // "convert to mp3, gif of the first second" wants two things
			return formats, begin, end
		}
	}
	return nil, 0, 0
}

// isFormat reports whether the word at i is a format, and not that of a file at hand.
func (s *scene) isFormat(words []retrieve.Word, i int) bool {
	return words[i].Kind == retrieve.Plain && retrieve.IsFormat(words[i].Lower()) && !s.shownFormat(words, i)
}

// leadsToFormat reports whether words end with what leads to a format that is wanted: "as a", "I need".
func (s *scene) leadsToFormat(words []retrieve.Word) bool {
	for len(words) > 0 && (s.Is("articles", words[len(words)-1]) || words[len(words)-1].Lower() == "both" || words[len(words)-1].Text == ":") {
		words = words[:len(words)-1]
	}
	if len(words) == 0 {
		return false
	}
	last := words[len(words)-1]
	return s.Is("targets", last) || s.Is("wanting", last)
}

// byText are the clauses of a clause that has several texts written, each at a place of its own: "write "Hello" at
// the top and "Bye" at the bottom".
func (s *scene) byText(c clause) []clause {
	core := s.Lexicon.Core(c.words)
	at := s.Find("lettering", core)
	if at < 0 || at > 0 && (!s.Is("places lead", core[0]) || !s.Is("places", core[at-1])) { // "at the top write …"
		return nil
	}
	texts := splitAt(core[at+1:], func(w retrieve.Word) bool { return w.Lower() == "and" || w.Text == "," || w.Text == "&" })
	texts[0] = slices.Concat(texts[0], core[:at])
	if last := len(texts) - 1; last > 1 && !slices.ContainsFunc(texts[last], retrieve.Word.IsQuote) && s.Find("places", texts[last]) < 0 { // "…, in red"
		texts = append(texts[:last-1], slices.Concat(texts[last-1], texts[last]))
	}
	if len(texts) < 2 || slices.ContainsFunc(texts, func(words []retrieve.Word) bool { return !s.hasPlacedText(core[at], words) }) {
		return nil
	}
	looks := s.behindPlace(texts[len(texts)-1])
	var parts []clause
	for i, words := range texts {
		words = slices.Concat(core[at:at+1], words)
		if i+1 < len(texts) && len(s.behindPlace(words)) == 0 { // "… in red" is said once of all
			words = slices.Concat(words, looks)
		}
		part := s.part(c, words)
		if i > 0 {
			part.join = along
		}
		parts = append(parts, part)
	}
	return parts
}

// byPage are the clauses of a clause that wants each of some pages as a file of its own: "extract pages 1 and 3 as
// separate files".
func (s *scene) byPage(c clause) []clause {
	apart := s.Find("apart", c.words)
	pages := slices.IndexFunc(c.words, func(w retrieve.Word) bool { return w.Lower() == "pages" })
	if pages < 0 || apart <= pages+1 || apart+1 >= len(c.words) || !s.Is("targets", c.words[apart-1]) {
		return nil
	}
	end := pages + 1
	for end < len(c.words) && (c.words[end].Kind == retrieve.Number || c.words[end].Lower() == "and" || c.words[end].Text == ",") {
		end++
	}
	file := apart + 1
	for file < len(c.words) && (s.Is("file words", c.words[file]) || s.Is("paper nouns", c.words[file])) {
		file++
	}
	if file == apart+1 || end == apart {
		return nil
	}
	rest := slices.Concat(c.words[end:apart-1], c.words[file:])
	if paper := slices.IndexFunc(c.words[apart+1:file], func(w retrieve.Word) bool { return s.Is("paper nouns", w) }); paper >= 0 {
		rest = slices.Concat(c.words[end:apart], c.words[apart+1+paper:]) // "as pdfs"
	}
	var parts []clause
	for _, w := range c.words[pages+1 : end] {
		if w.Kind != retrieve.Number {
			continue
		}
		part := s.part(c, slices.Concat(c.words[:pages+1], []retrieve.Word{w}, rest))
		part.beside = len(parts) > 0
		parts = append(parts, part)
	}
	return parts
}

// splitAt are the words between those that part them.
func splitAt(words []retrieve.Word, parts func(retrieve.Word) bool) [][]retrieve.Word {
	var runs [][]retrieve.Word
	for {
		at := slices.IndexFunc(words, parts)
		switch {
		case at < 0:
			return append(runs, words)
		case at > 0:
			runs = append(runs, words[:at])
		}
		words = words[at+1:]
	}
}

// behindPlace are the words behind the last place and the text.
func (s *scene) behindPlace(words []retrieve.Word) []retrieve.Word {
	from := len(words)
	for from > 0 && !words[from-1].IsQuote() && !s.Is("places", words[from-1]) {
		from--
	}
	return words[from:]
}

// hasPlacedText reports whether the words are one text to be written, and the place where it goes.
func (s *scene) hasPlacedText(verb retrieve.Word, words []retrieve.Word) bool {
	quotes, places := 0, 0
	for i, w := range words {
		switch {
		case w.IsQuote():
			quotes++
		case s.Is("places", w) && (i > 0 || verb.Lower() != "write"):
			places++
		}
	}
	if quotes == 0 { // "Bye at the bottom"
		lead := slices.IndexFunc(words, func(w retrieve.Word) bool { return s.Is("places lead", w) })
		return verb.Lower() == "write" && lead > 0 && places > 0 && !slices.ContainsFunc(words[:lead], func(w retrieve.Word) bool { return s.Is("places", w) })
	}
	return quotes == 1 && places > 0
}

// inParts splits a clause that no single tool can carry out into parts that tools do one after the other: "crop 1:1
// with rounded corners", "cut 50 px off the top and the bottom". It returns none if one tool does all of it.
func (t *thread) inParts(c clause, r *reading) []clause {
	var parts []clause
	for _, split := range []func(clause) []clause{t.byPlace, t.byObject, t.byAddition} {
		if parts = split(c); len(parts) > 0 {
			break
		}
	}
	whole := *r
	if len(parts) == 0 || r.form != retrieve.Order || r.marked() || !t.IsPassage(parts[0].words) && t.isDone(&whole) && !t.needsStep(&whole) {
		return nil
	}
	for i := range parts {
		if i > 0 {
			parts[i].join = after
		}
		part := t.glance(parts[i])
		part.files = r.files
		if !t.isDone(part) || i > 0 && !t.takesOne(part.head) { // "stack them with a gap" is one order
			return nil
		}
	}
	return parts
}

// takesOne reports whether the tool takes one file.
func (t *thread) takesOne(f *profile) bool {
	_, _, pair := f.pair()
	return !pair && !f.joins()
}

// isDone reports whether a tool accounts for all that the clause says, other than one that takes any order.
func (t *thread) isDone(r *reading) bool {
	t.match(r)
	if !t.isSure(r) {
		return false
	}
	t.preferCovering(r)
	runs, missing, choices := t.bind(r)
	switch {
	case len(choices) > 1 || missing != "":
		return len(choices) > 1
	case !t.lacks(r).IsZero():
		return false
	}
	if _, anything := r.head.arg(func(a toolbox.Arg) bool { return a.Meaning == plan.Instruction && !a.Optional && a.Param == nil }); anything {
		return false
	}
	return t.covers(r, runs[0])
}

// needsStep reports whether another tool than that of the clause has to do a part of it.
func (t *thread) needsStep(r *reading) bool {
	runs, missing, _ := t.bind(r)
	return missing == "" && len(runs) > 0 && len(t.steps(r, t.subtask(r, runs[0]), runs[0])) > 0
}

// byPlace are the clauses of a clause that lists places: "cut 50 px off the top and the bottom".
func (s *scene) byPlace(c clause) []clause {
	core := s.Lexicon.Core(c.words)
	place := func(i int) (int, bool) { // where a place begins at i, behind its article
		for i < len(core) && s.Is("determiners", core[i]) {
			i++
		}
		return i, i < len(core) && s.Is("places", core[i])
	}
	first := s.Find("places", core)
	if first < 1 {
		return nil
	}
	places, end := []int{first}, first+1
	for end+1 < len(core) && (core[end].Lower() == "and" || core[end].Text == "," || core[end].Text == "&") {
		next := end + 1
		if core[end].Text == "," && core[next].Lower() == "and" {
			next++
		}
		at, ok := place(next)
		if !ok {
			break
		}
		places, end = append(places, at), at+1
	}
	if len(places) < 2 {
		return nil
	}
	var parts []clause
	for _, at := range places {
		part := s.part(c, slices.Concat(core[:first], core[at:at+1], core[end:]))
		area, ok := quantity.Region(part.text)
		if ok && area.Share >= 0.5 && (area.Anchor.X == 0 || area.Anchor.Y == 0) { // two halves are the whole
			return nil
		}
		parts = append(parts, part)
	}
	return parts
}

// byObject splits an order before the "and a" that begins a second thing to be added: "add a drop shadow and a white
// border".
func (s *scene) byObject(c clause) []clause {
	core := s.Lexicon.Core(c.words)
	if len(core) == 0 || !s.Is("adding", core[0]) {
		return nil
	}
	for i := 2; i+2 < len(core); i++ {
		if core[i].Lower() == "and" && s.Is("articles", core[i+1]) {
			return []clause{s.part(c, core[:i]), s.part(c, append([]retrieve.Word{s.coined("add")}, core[i+1:]...))}
		}
	}
	return nil
}

// byAddition splits a clause before the "with" that adds something to its result: "a square crop with a black border".
func (s *scene) byAddition(c clause) []clause {
	core := s.Lexicon.Core(c.words)
	at := slices.IndexFunc(core, func(w retrieve.Word) bool { return w.Lower() == "with" })
	if at < 1 || at+1 == len(core) {
		return nil
	}
	return []clause{s.part(c, core[:at]), s.part(c, append([]retrieve.Word{s.coined("add")}, core[at+1:]...))}
}

// withWish are the two clauses of a clause that was left because its tool cannot be told some of its words, where these
// words are a wish by themselves: "just the audio as mp3, mono" is "just the audio as mp3" and then "mono". The clause is
// no longer left then.
func (t *thread) withWish(c clause, r *reading) []clause {
	last := len(t.left) - 1
	if last < 0 || t.doubt != r || len(r.results) > 0 || c.beside || c.bare || len(c.more) > 0 || r.head.joins() {
		return nil
	}
	begin, end := t.unknownRun(c.words, t.left[last].Unknown)
	if begin == end || end-begin == len(c.words) {
		return nil
	}
	ofRate := func(w retrieve.Word) bool { // a later step would write the sound with another bit rate
		return slices.ContainsFunc(r.stated, func(q quantity.Quantity) bool { return q.Unit == quantity.BitRate && overlaps(w, q, c.words[0].Start) })
	}
	around := slices.Concat(c.words[:begin], c.words[end:])
	f, asked := t.askedBy(c.words[begin:end])
	if !asked || len(f.media) != 1 || f.media[0].Type != r.head.Returns || f.Returns != r.head.Returns || f.Name == r.head.Name {
		return nil
	}
	t.left, t.doubt, t.stuck = t.left[:last], nil, false
	rest := t.part(c, slices.DeleteFunc(slices.Clone(around), ofRate))
	wish := t.part(c, slices.Concat(c.words[begin:end], slices.DeleteFunc(around, func(w retrieve.Word) bool { return !ofRate(w) })))
	wish.join, wish.bare = after, true
	return []clause{rest, wish}
}

// askedBy finds the tool that a few words without a quantity ask for by themselves, or give a value that it must be told.
func (t *thread) askedBy(words []retrieve.Word) (*profile, bool) {
	if len(quantitiesIn(t.text, words)) > 0 {
		return nil, false
	}
	if hits := t.index.Search(t.Lexicon.Features(words)); t.asks(words) {
		return t.tool(hits[0].Tool), true
	}
	r := t.glance(clause{words: words, text: english.TextOf(words)})
	v := t.view(r)
	return r.head, t.isSure(r) && v.isSetting(r.head) && v.unexplained(r.head) == 0
}

// unknownRun returns the bounds of the unknown words where nothing that says something stands between them, with
// what leads to them; else none.
func (t *thread) unknownRun(words []retrieve.Word, unknown []string) (begin, end int) {
	all := set{}
	for _, text := range unknown {
		for _, w := range english.WordsOf(text) {
			all[w] = true
		}
	}
	said := func(w retrieve.Word) bool { return all[w.Lower()] }
	begin, end = slices.IndexFunc(words, said), len(words)
	if begin < 0 {
		return 0, 0
	}
	for !said(words[end-1]) {
		end--
	}
	if slices.ContainsFunc(words[begin:end], func(w retrieve.Word) bool { return !said(w) && !t.SaysNothing(w) }) {
		return 0, 0
	}
	for begin > 0 && (t.Is("targets", words[begin-1]) || t.Is("joining words", words[begin-1])) {
		begin--
	}
	if begin > 0 && (t.Is("determiners", words[begin-1]) || t.Is("prepositions", words[begin-1])) { // "from the background"
		return 0, 0
	}
	return begin, end
}
