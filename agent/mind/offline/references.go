package offline

import (
	"strings"

	"atelier/agent/plan"
	"atelier/agent/toolbox/retrieve"
)

// The third station: how a clause points at things without naming them. What is meant by
// that is decided in base.go and bound to the tool's arguments in assign.go.

// references are the ways in which a clause points at things without naming them.
type references struct {
	pronoun  bool               // it, that
	plural   bool               // them, both, all
	result   bool               // the result, the new picture
	sequence bool               // "… and then …"
	definite map[plan.Type]bool // "the picture", "the mask"
	first    bool               // "the original"
	// ordinal is which of several is meant: 1 the first, -1 the last, 0 not said.
	ordinal int
}

// pointing tells whether the clause points at anything at all.
func (r references) pointing() bool {
	return r.pronoun || r.result || r.sequence || len(r.definite) > 0
}

func (s *scene) references(u *understood) references {
	r := references{sequence: u.clause.join == after, definite: map[plan.Type]bool{}}
	words := u.clause.words
	for i, w := range words {
		if w.Kind != retrieve.Plain {
			continue
		}
		s.readPointer(&r, words, i)
		if determined(words, i) {
			s.readDefinite(&r, w)
		}
	}
	return r
}

// readPointer takes the word at i in as one that stands for something: "it", "both",
// "the second one".
func (s *scene) readPointer(r *references, words []retrieve.Word, i int) {
	text, next := lower(words[i]), ""
	if i+1 < len(words) && words[i+1].Kind == retrieve.Plain {
		next = lower(words[i+1])
	}
	switch {
	case s.m.phrases.results[text]:
		r.result = true
	case s.m.phrases.pronouns[text]:
		r.pronoun = r.pronoun || next == "" || !s.introducesNoun(text, words[i+1])
	case s.m.phrases.plurals[text]:
		r.plural = true
		r.pronoun = r.pronoun || pluralPointers[text]
	case text == "original":
		r.first = true
	case text == "latter", text == "former", countedThings[next] && ordinals[text] != 0:
		r.ordinal = ordinals[text]
	}
}

// introducesNoun tells whether a "this" or "that" belongs to the word after it and does
// not point at anything itself: "this dog", "that shows".
func (s *scene) introducesNoun(text string, next retrieve.Word) bool {
	return (text == "this" || text == "that") &&
		!s.m.lexicon.Stop(lower(next)) && !s.m.isPreposition(next) && !unpointed.has(next) && !s.m.isMedia(next)
}

// readDefinite takes a noun in that speaks of something given.
func (s *scene) readDefinite(r *references, w retrieve.Word) {
	text := lower(w)
	if t := s.m.lexicon.MediaNoun([]retrieve.Word{w}); t != "" {
		r.definite[t] = true
		r.plural = r.plural || strings.HasSuffix(text, "s") && text != "canvas"
	}
	if t, ok := s.m.mapNoun(text); ok {
		r.definite[t] = true
	}
	if s.m.phrases.soundNouns[text] {
		r.definite[plan.Audio] = true
	}
	if s.m.phrases.textNouns[text] {
		r.definite[plan.Text] = true
	}
}

// determined tells whether a noun stands with a word that makes it a given one.
func determined(words []retrieve.Word, i int) bool {
	for k := i - 1; k >= max(0, i-2); k-- {
		switch {
		case determiners.has(words[k]):
			return true
		case articles.has(words[k]):
			return false
		}
	}
	return false
}
