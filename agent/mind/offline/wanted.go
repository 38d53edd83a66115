package offline

import (
	"slices"

	"atelier/agent/plan"
	"atelier/agent/toolbox/retrieve"
)

// What a clause says of kinds of things, for aiming: which kind it asks for by name, and
// which of its nouns only speak of what is there.

// wanted is the special kind of picture, the boxes or the sound that the clause asks
// for by name: "give me a mask of …", "depth map for …"; "" if it asks for none. It is
// the last such noun before the first preposition.
func (s *scene) wanted(u *understood) plan.Type {
	words := s.m.lexicon.Lead(u.words)
	start, hands := s.handing(words)
	if u.form != retrieve.Order || !hands {
		return ""
	}
	var found plan.Type
	for i := start; i < len(words) && words[i].Kind == retrieve.Plain; i++ {
		text := lower(words[i])
		if text == "me" || text == "us" || text == "with" && i <= 2 {
			continue // "show me", "come up with"
		}
		if s.m.phrases.prepositions[text] {
			break
		}
		t, named := s.kindNamed(words, i, found == "")
		switch {
		case named:
			found = t
		case found != "" && !s.m.phrases.mapTails[text] && !s.m.lexicon.Stop(text):
			return "" // "an edge case", "mask wearing people"
		}
	}
	return found
}

// handing is where the things stand that an order hands over; false if it does something
// else with them.
func (s *scene) handing(words []retrieve.Word) (int, bool) {
	if len(words) == 0 || words[0].Kind != retrieve.Plain {
		return 0, false
	}
	switch text := lower(words[0]); {
	case text == "can" || text == "could" || text == "may":
		return 1, true // "can a mask be made"
	case s.m.verbs[text]:
		return 1, s.m.phrases.handing[s.m.lexicon.Class(words[0].Stem)]
	}
	return 0, true
}

// kindNamed is the kind of thing that the noun at i names: a map or boxes, or, with
// media, any media that are not spoken of as there.
func (s *scene) kindNamed(words []retrieve.Word, i int, media bool) (plan.Type, bool) {
	if t, ok := s.m.mapNoun(lower(words[i])); ok {
		return t, true
	}
	if s.m.lexicon.Class(words[i].Stem) == "box" {
		return plan.BBox, true
	}
	if !media || i == 0 || determined(words, i) {
		return "", false
	}
	t := s.m.lexicon.MediaNoun(words[i : i+1])
	return t, t != ""
}

// after are the special pictures that something new is to follow: "using the pose of
// …", "based on the edges".
func (s *scene) after(u *understood) []plan.Type {
	var types []plan.Type
	for i, w := range u.clause.words {
		if t, ok := s.m.mapNoun(lower(w)); ok && i > 0 && determined(u.clause.words, i) {
			types = append(types, t)
		}
	}
	return types
}

// definiteObject tells whether the clause orders something done to a thing that is
// there: its verb is followed by "the" and no kind of media.
func (s *scene) definiteObject(u *understood) bool {
	w := u.words
	return u.form == retrieve.Order && len(w) > 2 && s.m.phrases.owners.has(w[1]) && !s.m.phrases.results.has(w[2]) &&
		!slices.ContainsFunc(w[2:min(4, len(w))], s.m.isMedia)
}

// withoutReferences leaves out the nouns by which a clause speaks of what was made
// before ("read the summary aloud"): they do not say what is wanted now.
func (s *scene) withoutReferences(u *understood) []retrieve.Word {
	var out []retrieve.Word
	all := u.marked() && s.fate(u.clause.words) != alone // "only" leaves nothing out but what it says itself
	for i, w := range u.clause.words {
		if u.marked() && (s.m.speaksOfMark(u.clause.words, i) || all && onlyWords.hasPlain(w)) {
			continue
		}
		if w.Kind != retrieve.Plain || i == 0 || !s.refersTo(u, lower(w)) || !determined(u.clause.words, i) {
			out = append(out, w)
		}
	}
	return out
}

// refersTo tells whether a noun can speak of something that is there.
func (s *scene) refersTo(u *understood, noun string) bool {
	p := &s.m.phrases
	if p.results[noun] || p.textNouns[noun] && s.there(plan.Text) || p.soundNouns[noun] && s.there(plan.Audio) {
		return true
	}
	t, ok := s.m.mapNoun(noun)
	return ok && s.focus() == t && len(u.files) == 0
}

// there tells whether something of just that type is there.
func (s *scene) there(t plan.Type) bool {
	return slices.ContainsFunc(s.entities, func(e entity) bool { return e.typ == t })
}
