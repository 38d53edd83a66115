package divide

import (
	"slices"

	"atelier/agent/planner/rules/clause"
	"atelier/agent/planner/rules/scene"
	"atelier/agent/toolbox/quantity"
	"atelier/agent/toolbox/retrieve"
)

// lister turns a clause with a list, such as of formats or places, into a clause for each entry.
type lister struct{ *scene.Scene }

// written expands clauses that order the same thing several times: "save it as png and webp" becomes "save it as png"
// and, beside it, "save it as webp".
func (l *lister) written(clauses []clause.Clause) []clause.Clause {
	var out []clause.Clause
	for _, c := range clauses {
		parts := firstParts(c, l.byFormat, l.byText, l.byPage)
		if len(parts) == 0 {
			parts = []clause.Clause{c}
		}
		out = append(out, parts...)
	}
	return out
}

// byFormat splits a clause that asks for several formats; none if it asks for one.
func (l *lister) byFormat(c clause.Clause) []clause.Clause {
	formats, begin, end := l.listOfFormats(c.Words)
	var parts []clause.Clause
	for i, f := range formats {
		part := l.Part(c, slices.Concat(c.Words[:begin], []retrieve.Word{f}, c.Words[end:]))
		part.Beside = i > 0
		parts = append(parts, part)
	}
	return parts
}

// listOfFormats returns the formats that the words ask for, and the bounds of their list. It returns none if the words
// ask for one format, or only name the formats of given files.
func (l *lister) listOfFormats(words []retrieve.Word) (formats []retrieve.Word, begin, end int) {
	for i, w := range words {
		if !l.isFormat(words, i) || !l.leadsToFormat(words[:i]) {
			continue
		}
		formats, begin, end = []retrieve.Word{w}, i, i+1
		for next := l.NextFormat(words, end); next > 0; next = l.NextFormat(words, end) {
			formats, end = append(formats, words[next]), next+1
		}
		of := end < len(words) && (l.Is("targets", words[end]) || words[end].Lower() == "of") && l.Is("targets", words[i-1])
		if len(formats) > 1 && !of { // "convert to mp3, gif of the first second" wants two things
			return formats, begin, end
		}
	}
	return nil, 0, 0
}

// isFormat reports whether the word at i is a wanted format, not that of a given file.
func (l *lister) isFormat(words []retrieve.Word, i int) bool {
	return words[i].Kind == retrieve.Plain && retrieve.IsFormat(words[i].Lower()) && !l.ShownFormat(words, i)
}

// leadsToFormat reports whether words end with an introduction of a wanted format: "as a", "I need".
func (l *lister) leadsToFormat(words []retrieve.Word) bool {
	for len(words) > 0 && (l.Is("articles", words[len(words)-1]) || words[len(words)-1].Lower() == "both" || words[len(words)-1].Text == ":") {
		words = words[:len(words)-1]
	}
	if len(words) == 0 {
		return false
	}
	last := words[len(words)-1]
	return l.Is("targets", last) || l.Is("wanting", last)
}

// byText splits a clause that writes several texts, each at its own place: "write "Hello" at the top and "Bye" at the
// bottom".
func (l *lister) byText(c clause.Clause) []clause.Clause {
	core := l.Lexicon.Core(c.Words)
	at := l.Find("lettering", core)
	if at < 0 || at > 0 && (!l.Is("places lead", core[0]) || !l.Is("places", core[at-1])) { // "at the top write …"
		return nil
	}
	texts := splitAt(core[at+1:], func(w retrieve.Word) bool { return w.Lower() == "and" || w.Text == "," || w.Text == "&" })
	texts[0] = slices.Concat(texts[0], core[:at])
	if last := len(texts) - 1; last > 1 && !slices.ContainsFunc(texts[last], retrieve.Word.IsQuote) && l.Find("places", texts[last]) < 0 { // "…, in red"
		texts = append(texts[:last-1], slices.Concat(texts[last-1], texts[last]))
	}
	if len(texts) < 2 || slices.ContainsFunc(texts, func(words []retrieve.Word) bool { return !l.hasPlacedText(core[at], words) }) {
		return nil
	}
	looks := l.behindPlace(texts[len(texts)-1])
	var parts []clause.Clause
	for i, words := range texts {
		words = slices.Concat(core[at:at+1], words)
		if i+1 < len(texts) && len(l.behindPlace(words)) == 0 { // "… in red" applies to all
			words = slices.Concat(words, looks)
		}
		part := l.Part(c, words)
		if i > 0 {
			part.Join = clause.Along
		}
		parts = append(parts, part)
	}
	return parts
}

// hasPlacedText reports whether the words are one text to write, and its place.
func (l *lister) hasPlacedText(verb retrieve.Word, words []retrieve.Word) bool {
	quotes, places := 0, 0
	for i, w := range words {
		switch {
		case w.IsQuote():
			quotes++
		case l.Is("places", w) && (i > 0 || verb.Lower() != "write"):
			places++
		}
	}
	if quotes == 0 { // "Bye at the bottom"
		lead := slices.IndexFunc(words, func(w retrieve.Word) bool { return l.Is("places lead", w) })
		return verb.Lower() == "write" && lead > 0 && places > 0 && !slices.ContainsFunc(words[:lead], func(w retrieve.Word) bool { return l.Is("places", w) })
	}
	return quotes == 1 && places > 0
}

// behindPlace returns the words after the last place and the text.
func (l *lister) behindPlace(words []retrieve.Word) []retrieve.Word {
	from := len(words)
	for from > 0 && !words[from-1].IsQuote() && !l.Is("places", words[from-1]) {
		from--
	}
	return words[from:]
}

// byPage splits a clause that wants several pages as separate files: "extract pages 1 and 3 as separate files".
func (l *lister) byPage(c clause.Clause) []clause.Clause {
	apart := l.Find("apart", c.Words)
	pages := slices.IndexFunc(c.Words, func(w retrieve.Word) bool { return w.Lower() == "pages" })
	if pages < 0 || apart <= pages+1 || apart+1 >= len(c.Words) || !l.Is("targets", c.Words[apart-1]) {
		return nil
	}
	end := pages + 1
	for end < len(c.Words) && (c.Words[end].Kind == retrieve.Number || c.Words[end].Lower() == "and" || c.Words[end].Text == ",") {
		end++
	}
	file := apart + 1
	for file < len(c.Words) && (l.Is("file words", c.Words[file]) || l.Is("paper nouns", c.Words[file])) {
		file++
	}
	if file == apart+1 || end == apart {
		return nil
	}
	rest := slices.Concat(c.Words[end:apart-1], c.Words[file:])
	if paper := slices.IndexFunc(c.Words[apart+1:file], func(w retrieve.Word) bool { return l.Is("paper nouns", w) }); paper >= 0 {
		rest = slices.Concat(c.Words[end:apart], c.Words[apart+1+paper:]) // "as pdfs"
	}
	var parts []clause.Clause
	for _, w := range c.Words[pages+1 : end] {
		if w.Kind != retrieve.Number {
			continue
		}
		part := l.Part(c, slices.Concat(c.Words[:pages+1], []retrieve.Word{w}, rest))
		part.Beside = len(parts) > 0
		parts = append(parts, part)
	}
	return parts
}

// byPlace splits a clause that lists places: "cut 50 px off the top and the bottom".
func (l *lister) byPlace(c clause.Clause) []clause.Clause {
	core := l.Lexicon.Core(c.Words)
	place := func(i int) (int, bool) { // where the place at i begins, after its article
		for i < len(core) && l.Is("determiners", core[i]) {
			i++
		}
		return i, i < len(core) && l.Is("places", core[i])
	}
	first := l.Find("places", core)
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
	var parts []clause.Clause
	for _, at := range places {
		part := l.Part(c, slices.Concat(core[:first], core[at:at+1], core[end:]))
		area, ok := quantity.Region(part.Text)
		if ok && area.Share >= 0.5 && (area.Anchor.X == 0 || area.Anchor.Y == 0) { // two halves are the whole
			return nil
		}
		parts = append(parts, part)
	}
	return parts
}

// byObject splits an order before the "and" that adds a second thing: "add a drop shadow and a white border", "give
// it a border and rounded corners".
func (l *lister) byObject(c clause.Clause) []clause.Clause {
	core := l.Lexicon.Core(c.Words)
	if len(core) == 0 || !l.Is("adding", core[0]) {
		return nil
	}
	for i := 2; i+1 < len(core); i++ {
		if core[i].Lower() == "and" && core[i+1].Kind == retrieve.Plain && !l.Is("prepositions", core[i+1]) {
			return []clause.Clause{l.Part(c, core[:i]), l.Part(c, append([]retrieve.Word{l.Coined("add")}, core[i+1:]...))}
		}
	}
	return nil
}

// byAddition splits a clause before the "with" that adds something to its result: "a square crop with a black border".
func (l *lister) byAddition(c clause.Clause) []clause.Clause {
	core := l.Lexicon.Core(c.Words)
	at := slices.IndexFunc(core, func(w retrieve.Word) bool { return w.Lower() == "with" })
	if at < 1 || at+1 == len(core) {
		return nil
	}
	return []clause.Clause{l.Part(c, core[:at]), l.Part(c, append([]retrieve.Word{l.Coined("add")}, core[at+1:]...))}
}

// splitAt splits words at those for which parts is true, without these.
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

// firstParts returns the parts from the first of the ways that splits the clause.
func firstParts(c clause.Clause, ways ...func(clause.Clause) []clause.Clause) (parts []clause.Clause) {
	for _, split := range ways {
		if parts = split(c); len(parts) > 0 {
			break
		}
	}
	return parts
}
