package offline

import (
	"slices"
	"strings"

	"atelier/agent/toolbox/retrieve"
)

// What becomes of a marked part and of all that is not marked is said in many ways, and the
// tools that keep the part are the opposite of those that make away with it. So the clause
// is read for which of the two it wants, before any tool is near to its words.

// fate is what a clause orders of the marked part.
type fate int

const (
	unsaid fate = iota // something else
	gone               // it goes, the rest stays: "black this out"
	alone              // it stays, the rest goes: "remove everything but this"
	spared             // it stays as it is, and the rest is changed: "blur everything else"
)

// fate reads what the clause orders of the marked part.
func (s *scene) fate(words []retrieve.Word) fate {
	m := s.m
	away := m.makesAway(words)
	if s.speaksOfRest(words) {
		verb, orders := m.order(words)
		switch {
		case m.phrases.hiding.has(verb), m.phrases.blotting.has(verb) && has(words, "out"), m.phrases.erasing.has(verb):
			return alone
		case orders && leavingWords.has(verb) && s.excepts(words):
			return gone // "keep everything but this"
		case away, !orders, m.clears(words), m.phrases.keeping.has(verb):
			return alone
		}
		return spared
	}
	if away {
		return gone
	}
	if slices.ContainsFunc(words, onlyWords.hasPlain) {
		if verb, orders := m.order(words); !orders || m.phrases.keeping.has(verb) || m.phrases.clearing.has(verb) || has(words, "visible") {
			return alone
		}
	}
	return unsaid
}

// clears tells whether a clause says that something goes, other than by a verb of it alone.
func (m *Mind) clears(words []retrieve.Word) bool {
	at := slices.IndexFunc(words, m.phrases.clearing.hasPlain)
	return at >= 0 && (lower(words[at]) != "black" || !has(words[at:], "white")) // "black and white"
}

// leavesRest tells whether the clause only says that all else stays as it is: "and keep
// everything else".
func (s *scene) leavesRest(words []retrieve.Word) bool {
	verb, orders := s.m.order(words)
	return orders && leavingWords.has(verb) && s.speaksOfRest(words) && !s.excepts(words)
}

// order is the first verb of the clause that may be an order.
func (m *Mind) order(words []retrieve.Word) (retrieve.Word, bool) {
	for _, w := range words {
		if m.isVerb(w) || w.Kind == retrieve.Plain && m.phrases.blotting.has(w) {
			return w, true
		}
	}
	return retrieve.Word{}, false
}

// makesAway tells whether the clause wants the thing that it speaks of to be gone or hidden.
func (m *Mind) makesAway(words []retrieve.Word) bool {
	_, filled := m.filling(words)
	lifts := false
	for i, w := range words {
		if w.Kind != retrieve.Plain {
			continue
		}
		rest := words[i+1:]
		switch {
		case m.phrases.erasing.has(w), !filled && m.phrases.hiding.has(w):
			return true
		case (m.phrases.blotting.has(w) || m.phrases.blotting[w.Stem]) && m.goesOut(rest) && !lifts && !determined(words, i):
			return true
		case overVerbs.has(w) && has(rest, "over") && !filled:
			return true
		case lower(w) == "out" && !lifts && m.leavesPicture(rest):
			return true
		case lower(w) == "without" && m.pointsAt(rest):
			return true
		case wishing.has(w) && i > 0 && denying[strings.ReplaceAll(lower(words[i-1]), "’", "'")] && m.pointsAt(rest):
			return true
		}
		lifts = lifts || m.phrases.lifting.has(w)
	}
	return false
}

// goesOut tells whether a verb goes on with "out" in the words after it.
func (m *Mind) goesOut(words []retrieve.Word) bool {
	for _, w := range words[:min(5, len(words))] {
		switch {
		case m.phrases.lifting.hasPlain(w):
			return false
		case lower(w) == "out":
			return true
		}
	}
	return false
}

// leavesPicture tells whether the words after "out" say that something leaves the picture:
// "of the picture".
func (m *Mind) leavesPicture(words []retrieve.Word) bool {
	return len(words) > 1 && lower(words[0]) == "of" && slices.ContainsFunc(words[1:min(4, len(words))], func(w retrieve.Word) bool {
		return m.isMedia(w) || scenes.has(w)
	})
}

// pointsAt tells whether the words begin with something that a finger points at: "this",
// "the marked part".
func (m *Mind) pointsAt(words []retrieve.Word) bool {
	for i, w := range words[:min(4, len(words))] {
		if (shownWords.hasPlain(w) || m.phrases.pronouns.hasPlain(w)) && (i+1 == len(words) || !m.isMedia(words[i+1])) || m.speaksOfMark(words, i) {
			return true
		}
	}
	return false
}

// speaksOfRest tells whether a clause is about all that is not marked: "everything but
// this", "the rest".
func (s *scene) speaksOfRest(words []retrieve.Word) bool {
	for i, w := range words {
		if i > 0 && (lower(w) == "else" && allWords.hasPlain(words[i-1]) || lower(w) == "rest" && lower(words[i-1]) == "the") {
			return true
		}
	}
	return s.excepts(words)
}

// excepts tells whether a clause is about all but what is named after it: "remove
// everything except this".
func (s *scene) excepts(words []retrieve.Word) bool {
	all := slices.IndexFunc(words, allWords.hasPlain)
	return all >= 0 && slices.ContainsFunc(words[all:], func(w retrieve.Word) bool {
		return exceptingWords[strings.ToLower(s.text[w.Start:w.End])] // as it was written: no tool knows these words
	})
}

// partFeatures are the features of a clause that orders something done to what is marked.
func (s *scene) partFeatures(features []string, words []retrieve.Word) []string {
	as := func(text string) []string { return s.m.lexicon.Features(s.m.lexicon.Words(text, nil)) }
	switch s.fate(words) {
	case gone:
		return as(eraseThePart)
	case alone:
		if s.speaksOfRest(words) {
			return as(onlyThePart)
		}
		return append(features, as(onlyThePart)...)
	default:
		return features
	}
}

// has tells whether one of the words is that one.
func has(words []retrieve.Word, text string) bool {
	return slices.ContainsFunc(words, func(w retrieve.Word) bool { return w.Kind == retrieve.Plain && lower(w) == text })
}

// The words by which that is told.
var (
	// allWords and then exceptingWords leave out what is named after them.
	allWords       = wordSet("everything all anything")
	exceptingWords = wordSet("except but besides outside around beside beyond apart")
	// onlyWords leave out all that is not named after them.
	onlyWords = wordSet("only just")
	// leavingWords order that a thing stays.
	leavingWords = wordSet("leave keep retain preserve")
	// overVerbs hide a thing with an "over" after them: "paint over this".
	overVerbs = wordSet("paint draw brush go")
	// wishing and, before it, denying turn a thing away: "I don't want this".
	wishing = wordSet("want need like")
	denying = wordSet("n't not don't dont no")
	// scenes are what a thing is in that leaves a picture.
	scenes = wordSet("scene frame shot view sight here there it")
)
