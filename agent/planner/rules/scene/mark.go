package scene

import (
	"slices"
	"strings"

	"atelier/agent/planner/rules/english"
	"atelier/agent/toolbox/retrieve"
)

// MarkEffect is what a clause does with the marked part. Tools that keep the part are the opposite of those that
// remove it, so the effect is read before tools are matched.
type MarkEffect int

// Effects on the marked part.
const (
	NoEffect        MarkEffect = iota // something else
	RemovesMarked                     // it goes, the rest stays: "black this out"
	KeepsOnlyMarked                   // it stays, the rest goes: "remove everything but this"
	EditsRest                         // it stays, and the rest is changed: "blur everything else"
)

// MarkEffect returns what the clause does with the marked part.
func (s *Scene) MarkEffect(words []retrieve.Word) MarkEffect {
	away := s.RemovesObject(words)
	at := slices.IndexFunc(words, func(w retrieve.Word) bool { return s.IsVerb(w) || s.Is("blotting", w) })
	if s.speaksOfRest(words) {
		switch {
		case at >= 0 && s.Is("leaving", words[at]) && s.excepts(words):
			return RemovesMarked // "keep everything but this"
		case at < 0 || away || s.Is("keeping", words[at]) || s.Is("clearing", words[at]) || s.Is("blotting", words[at]) && english.Has(words, "out"):
			return KeepsOnlyMarked
		}
		return EditsRest
	}
	switch {
	case away:
		return RemovesMarked
	case s.Any("only", words) && (at < 0 || s.Is("keeping", words[at]) || s.Is("clearing", words[at])):
		return KeepsOnlyMarked
	}
	return NoEffect
}

// LeavesRest reports whether the clause only says that the rest stays: "and keep everything else".
func (s *Scene) LeavesRest(words []retrieve.Word) bool {
	return s.Any("leaving", words) && s.speaksOfRest(words) && !s.excepts(words) && !s.RemovesObject(words)
}

// speaksOfRest reports whether a clause is about everything that is not marked: "everything but this", "the rest".
func (s *Scene) speaksOfRest(words []retrieve.Word) bool {
	for i, w := range words[min(1, len(words)):] {
		before := words[i]
		if w.Lower() == "else" && s.Is("all words", before) || w.Lower() == "rest" && before.Lower() == "the" {
			return true
		}
	}
	return s.excepts(words)
}

// excepts reports whether a clause is about everything except something named.
func (s *Scene) excepts(words []retrieve.Word) bool {
	all := s.Find("all words", words)
	return all >= 0 && slices.ContainsFunc(words[all:], func(w retrieve.Word) bool {
		return s.In("excepting", strings.ToLower(s.Text[w.Start:w.End])) // as written, since no tool knows these words
	})
}
