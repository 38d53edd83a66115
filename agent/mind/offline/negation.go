package offline

import (
	"slices"

	"atelier/agent/toolbox/retrieve"
)

// What a wish rules out: orders not to do something are not done, and files that it
// excepts are not touched.

// forbids tells whether the clause orders that something be not done: "don't blur it".
func (m *Mind) forbids(c clause) bool {
	return startsWithAny(m.lexicon.Core(c.words), m.phrases.forbidding)
}

// spares tells whether the file at i is named to be left alone: "not b.png", "except
// a.png".
func (m *Mind) spares(words []retrieve.Word, i int) bool {
	for k := i - 1; k >= 0 && k >= i-3; k-- {
		switch {
		case m.phrases.sparing.hasPlain(words[k]):
			return true
		case !m.lexicon.Stop(words[k].Text) && !m.isMedia(words[k]):
			return false
		}
	}
	return false
}

// spare takes what the clause excepts out of the scene.
func (s *scene) spare(c clause) {
	for i, w := range c.words {
		if !isFile(w) || !s.m.spares(c.words, i) {
			continue
		}
		if r, ok := s.lookup(w.Text); ok {
			s.entities = slices.DeleteFunc(s.entities, func(e entity) bool { return e.source.Name == r.Name })
		}
	}
}
