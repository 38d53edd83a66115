package offline

import (
	"slices"

	"atelier/agent/plan"
	"atelier/agent/toolbox/retrieve"
)

// Whether a clause means what is marked, and what it then is about.

// meant are the things that the clause names by pointing: for each marked picture that it
// means, the picture and the mark, beside what it names itself. None if it means no mark.
// ask is a question where it points at a mark that is on none of the pictures it names.
func (s *scene) meant(u *understood) (sets [][]entity, ask plan.Message) {
	held := s.hold(u)
	marks := s.marksFor(u, held)
	if len(marks) == 0 {
		return nil, plan.Message{}
	}
	others := slices.DeleteFunc(slices.Clone(u.files), func(e entity) bool { return e.on != "" })
	if pictures := fitting(others, plan.Image); len(pictures) > 0 && !s.joinsMarked(u) {
		here := slices.DeleteFunc(slices.Clone(marks), func(e entity) bool { return !calledAmong(pictures, e.on) })
		if len(here) == 0 && held > vague {
			return nil, markedElsewhere(s.calledAll(pictures), s.calledAll(s.picturesOf(marks)))
		}
		marks = here
	}
	if len(marks) == 0 {
		return nil, plan.Message{}
	}
	whole, part := *u, *u
	s.aim(&whole, s.references(u))
	part.files = slices.Concat(s.picturesOf(marks), marks)
	s.aim(&part, s.references(&part))
	if s.inscribes(&whole) {
		if held == placed && s.textFor(u, plan.Place, whole.head) == "" {
			return nil, whereToWrite
		}
		return nil, plan.Message{}
	}
	if !s.asksForPart(held, &whole, &part) {
		return nil, plan.Message{}
	}
	if held >= placed && takesMark(part.head) && s.saysPlace(&whole) {
		return nil, whichCrop(s.textFor(u, plan.Place, whole.head))
	}
	for _, picture := range s.picturesOf(marks) {
		base := s.standing(picture)
		beside := slices.DeleteFunc(slices.Clone(others), func(e entity) bool { return e.source.Name == picture.source.Name })
		for _, mark := range s.preferred(u, base, marks, picture.source.Name) {
			sets = append(sets, slices.Concat([]entity{base, mark}, beside))
		}
	}
	return sets, plan.Message{}
}

// inscribes tells whether the clause puts words on a picture: a tool that writes is told
// the place in words.
func (s *scene) inscribes(u *understood) bool {
	return s.quoted(u) != "" && needs(u.head, plan.Content) && takesType(u.head, plan.Image)
}

// saysPlace tells whether the clause itself says which part of the picture its tool takes.
func (s *scene) saysPlace(u *understood) bool {
	return s.m.moves(u.head) && needs(u.head, plan.Place) && s.textFor(u, plan.Place, u.head) != ""
}

// asksForPart tells whether a clause is about what is marked and not about the whole
// picture, by how it was aimed at either.
func (s *scene) asksForPart(held hold, whole, part *understood) bool {
	switch {
	case held >= placed:
		return true
	case s.prev != nil && len(s.prev.results) > 0 && held == vague:
		return false // "it" is what was made
	case s.fate(whole.clause.words) == gone && s.isBare(whole):
		return true // "remove"
	case held == firm && s.joinsMarked(whole):
		return true // "a collage of this and beach.png"
	case held == firm:
		return !s.m.moves(whole.head) || takesMark(whole.head) || !s.movesBySaying(whole)
	}
	if !takesMark(part.head) || s.saysPlace(whole) {
		return false
	}
	byWords := whole.head.Returns == plan.Image && needs(whole.head, plan.Instruction)
	if needs(part.head, plan.Prompt) { // anything can be drawn anew: what is named lies there, or all is meant
		return byWords && s.definiteObject(whole)
	}
	return byWords || takesMark(whole.head) || part.score >= whole.score
}

// isBare tells whether an order names nothing that it could be about: "remove", "delete
// the thing".
func (s *scene) isBare(u *understood) bool {
	p := &s.m.phrases
	return !slices.ContainsFunc(u.words, func(w retrieve.Word) bool {
		return w.Kind != retrieve.Plain || s.m.isMedia(w) || p.results.has(w) ||
			!p.erasing.has(w) && !p.hiding.has(w) && !p.blotting.has(w) && !p.prepositions.has(w) && !p.generic.has(w) && !p.pronouns.has(w) &&
				!s.m.lexicon.Stop(lower(w)) && !s.isFiller(lower(w))
	})
}

// changesRest tells whether the clause orders a change of all that is not marked, which no
// tool can be told.
func (s *scene) changesRest(u *understood) bool {
	return u.form == retrieve.Order && len(s.marksFor(u, s.hold(u))) > 0 && s.fate(u.clause.words) == spared
}

// onlyMarks tells whether the clause says that something was marked, and not what for: "I
// marked the dog", "use these points".
func (s *scene) onlyMarks(u *understood) bool {
	held := s.hold(u)
	words := u.words
	if len(s.marksFor(u, held)) == 0 || len(words) == 0 || u.form != retrieve.Order || s.fate(words) != unsaid {
		return false
	}
	if s.m.phrases.people.has(words[0]) {
		at := slices.IndexFunc(words, func(w retrieve.Word) bool { return s.m.phrases.marked.hasPlain(w) || s.m.phrases.marks.hasPlain(w) })
		return at > 0 && at <= 4 && !slices.ContainsFunc(words[at+1:], s.m.isVerb)
	}
	if s.m.isVerb(words[0]) && !usingWords.has(words[0]) || held < firm {
		return false
	}
	return !slices.ContainsFunc(words, func(w retrieve.Word) bool {
		return w.Kind != retrieve.Plain || s.m.isMedia(w) || onlyWords.has(w) ||
			!usingWords.has(w) && !s.m.phrases.marks.has(w) && !s.m.phrases.marked.has(w) && !s.m.phrases.parts.has(w) &&
				!s.m.phrases.pronouns.has(w) && !s.m.phrases.generic.has(w) && !s.m.lexicon.Stop(lower(w)) && !s.isFiller(lower(w))
	})
}

// whatWithMarked asks what is wanted of what is marked.
func (s *scene) whatWithMarked() plan.Message {
	marks := slices.DeleteFunc(slices.Clone(s.marks), func(e entity) bool { return !e.given })
	if len(marks) == 0 {
		marks = s.marks
	}
	return plan.Say("What should I do with what is marked on %s?", listed(s.calledAll(s.picturesOf(marks))))
}

// usingWords order nothing but to take what is marked.
var usingWords = wordSet("use take consider do try work now look")
