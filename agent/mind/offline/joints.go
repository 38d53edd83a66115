package offline

import (
	"slices"
	"strings"

	"atelier/agent/toolbox/retrieve"
)

// Where a clause may begin and end: the ends of sentences, the points of lists, the
// words that join two clauses, and what must stand on both sides of them.

// endsSentence tells whether the mark at i ends a sentence.
func endsSentence(text string, words []retrieve.Word, i int) bool {
	mark := words[i]
	switch {
	case sentenceMarks.has(mark):
		// not in "write Thanks! at the foot of the video", where what is written has its own end
		return mark.Text != "!" || i+1 == len(words) || !leadsOn.hasPlain(words[i+1]) || words[i+1].Text != lower(words[i+1])
	case mark.Text == ".":
		return i+1 == len(words) || words[i+1].Start > mark.End
	case bulletMarks.has(mark):
		return beginsLine(text, mark.Start)
	}
	return false
}

// beginsLine tells whether nothing but blanks stands between the beginning of the line
// and the place at.
func beginsLine(text string, at int) bool {
	before := strings.TrimRight(text[:at], " \t")
	return before == "" || strings.HasSuffix(before, "\n")
}

// breaksLine tells whether a new line begins between two words.
func breaksLine(text string, before, w retrieve.Word) bool {
	return strings.Contains(text[before.End:w.Start], "\n")
}

// listMark is how many words at i number a point of a list: "2. rotate it", "3) blur it".
func listMark(text string, words []retrieve.Word, i int) int {
	if i+2 >= len(words) {
		return 0
	}
	number, mark, next := words[i], words[i+1], words[i+2]
	switch {
	case len(number.Text) != 1 || number.Kind != retrieve.Number || mark.Kind != retrieve.Mark || next.Kind != retrieve.Plain:
		return 0
	case !strings.ContainsAny(mark.Text, ".):") || mark.Start != number.End || next.Start == mark.End:
		return 0
	case i > 0 && words[i-1].Kind != retrieve.Mark && mark.Text != ")" && !breaksLine(text, words[i-1], number):
		return 0
	}
	return 2
}

// connector is how many words at i join two clauses, 0 if none do.
func (m *Mind) connector(words []retrieve.Word, i int) (int, join) {
	n, how := 0, along
	if words[i].Kind == retrieve.Mark {
		if !joiningMarks.has(words[i]) {
			return 0, apart
		}
		if arrowMarks.has(words[i]) {
			how = after
		}
		n = 1
	}
	rest := words[i+n:]
	longest := 0
	for _, c := range m.phrases.connectors {
		longest = max(longest, startsWith(rest, c))
	}
	switch {
	case longest > 0:
		return n + longest, after
	case len(rest) > 0 && joiningWords.hasPlain(rest[0]):
		return n + 1, along
	case n > 0:
		return n, how
	}
	return 0, apart
}

// startsWith is how many words the phrase takes at the front, 0 if it is not there.
func startsWith(words []retrieve.Word, phrase string) int {
	n := 0
	for part := range strings.FieldsSeq(phrase) {
		if n == len(words) || words[n].Kind != retrieve.Plain || !strings.EqualFold(words[n].Text, part) {
			return 0
		}
		n++
	}
	return n
}

func startsWithAny(words []retrieve.Word, phrases []string) bool {
	return slices.ContainsFunc(phrases, func(p string) bool { return startsWith(words, p) > 0 })
}

// goesOnAnew tells whether a new clause begins after a connector.
func (m *Mind) goesOnAnew(words []retrieve.Word, how join) bool {
	return m.startsClause(words) || how == after && m.speaks(words)
}

// startsClause tells whether what follows a connector is a clause of its own: an
// order, a question, or a polite beginning of one.
func (m *Mind) startsClause(words []retrieve.Word) bool {
	for len(words) > 0 && words[0].Kind == retrieve.Mark && words[0].Text == "," {
		words = words[1:]
	}
	core := m.lexicon.Core(words)
	if len(core) == 0 || core[0].Kind != retrieve.Plain {
		return false
	}
	first := lower(core[0])
	polite := len(core) < len(words)
	switch {
	case len(core) > 1 && m.phrases.notVerbs[first] && orderedThings.has(core[1]):
		return true // "caption that picture", "frame it"
	case m.verbs[first]:
		return len(core) > 1 || polite || first == core[0].Text
	}
	return asking[first] || relating[first] && polite
}

// speaks tells whether words without a verb ask for something all the same: "then half
// the size".
func (m *Mind) speaks(words []retrieve.Word) bool {
	if end := slices.IndexFunc(words, isMark); end >= 0 {
		words = words[:end]
	}
	return len(words) > 0 && m.stands(words)
}

func isMark(w retrieve.Word) bool { return w.Kind == retrieve.Mark }

// complete tells whether the words already ask for something, so that a new clause
// may begin: an order, a question, or a sentence that brings something in.
func (m *Mind) complete(words []retrieve.Word) bool {
	core := m.lexicon.Core(words)
	switch {
	case len(core) == 0:
		return false
	case core[0].Kind == retrieve.Plain && (m.isPreposition(core[0]) || retrieve.Leads(core[0].Text)):
		return m.leadsToOrder(core)
	case m.isContext(core):
		return true
	case m.lexicon.FormOf(core) != retrieve.Order:
		return len(core) > 2
	}
	first := core[0]
	return first.Kind != retrieve.Plain || strings.HasSuffix(lower(first), "ing") || m.lexicon.Class(first.Stem) != first.Stem ||
		slices.ContainsFunc(core, m.isVerb) || m.speaks(core)
}

// leadsToOrder tells whether words that lead into something have come to it: "in
// photo.jpg find the cat", not yet "in photo.jpg".
func (m *Mind) leadsToOrder(words []retrieve.Word) bool {
	led := slices.IndexFunc(words, func(w retrieve.Word) bool {
		return w.Kind == retrieve.File || w.Kind == retrieve.Mark && (w.Text == "," || w.Text == ":")
	})
	return led >= 0 && slices.ContainsFunc(words[led:], func(w retrieve.Word) bool {
		return w.Kind == retrieve.Plain && m.verbs[w.Text]
	})
}

// isContext tells whether the clause only brings a resource in: "I have a photo",
// "here is a.png".
func (m *Mind) isContext(words []retrieve.Word) bool {
	switch {
	case len(words) == 0, m.handsOver(words):
		return true
	case words[0].Kind == retrieve.Plain && m.isPreposition(words[0]):
		return false // "with the mask m.png, …" leads into what is wanted
	}
	for _, p := range m.phrases.context {
		if n := startsWith(words, p); n > 0 {
			return !slices.ContainsFunc(words[n:], func(w retrieve.Word) bool {
				return w.Kind == retrieve.Plain && strings.EqualFold(w.Text, "to") // "I have to …"
			})
		}
	}
	if len(words) > 2 && isFile(words[0]) && holding.hasPlain(words[1]) {
		return true // "a.png is a sketch of mine"
	}
	return m.onlyMedia(words)
}

// handsOver tells whether the words order nothing but to take a file: "look at a.png".
func (m *Mind) handsOver(words []retrieve.Word) bool {
	if !slices.ContainsFunc(words, isFile) {
		return false
	}
	return slices.ContainsFunc(m.phrases.lead, func(p string) bool {
		n := startsWith(words, p)
		return n > 0 && m.onlyMedia(words[n:])
	})
}

// onlyMedia tells whether the words do nothing but name files and kinds of media.
func (m *Mind) onlyMedia(words []retrieve.Word) bool {
	return !slices.ContainsFunc(words, func(w retrieve.Word) bool {
		switch w.Kind {
		case retrieve.Plain:
			return retrieve.IsFormat(lower(w)) || !m.lexicon.Stop(w.Text) && !m.isMedia(w)
		case retrieve.Number, retrieve.Quote:
			return true
		default:
			return false
		}
	})
}

// introduces tells whether the words before a colon say what a file is: "a.png is a
// depth map: …".
func (m *Mind) introduces(words []retrieve.Word) bool {
	return slices.ContainsFunc(words, isFile) && !m.onlyMedia(words) && m.isContext(m.lexicon.Core(words))
}

// isVerb tells whether the word can begin an order.
func (m *Mind) isVerb(w retrieve.Word) bool { return w.Kind == retrieve.Plain && m.verbs[lower(w)] }

// isMedia tells whether the word speaks of a kind of media: "picture", "clip".
func (m *Mind) isMedia(w retrieve.Word) bool { return m.lexicon.MediaNoun([]retrieve.Word{w}) != "" }

// isPreposition tells whether the word leads from one part of a clause to the next.
func (m *Mind) isPreposition(w retrieve.Word) bool {
	return m.phrases.prepositions.has(w)
}
