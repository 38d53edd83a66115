package offline

import (
	"slices"

	"atelier/agent/plan"
	"atelier/agent/toolbox"
	"atelier/agent/toolbox/retrieve"
)

// What people mark on a picture comes with the message as points, boxes or a mask. It
// stands for nothing by itself: only a clause that points at it ("this", "here", "the
// marked part") or that orders something done to a part means it. It is then as if the
// clause named the mark and the picture that it is on, whatever other pictures there are.

// hold is how firmly a clause points at what is marked.
type hold int

const (
	vague   hold = iota // "it", or not at all
	firm                // "this"
	placed              // "here"
	express             // "the marked part"
)

// hold reads how firmly the clause points at what is marked.
func (s *scene) hold(u *understood) hold {
	found := vague
	for i, w := range u.clause.words {
		if w.Kind != retrieve.Plain {
			continue
		}
		switch {
		case s.m.speaksOfMark(u.clause.words, i):
			return express
		case s.demonstrates(u, i) || s.asksWhatItIs(u, i):
			found = max(found, firm)
		case s.locates(u, i):
			found = placed
		}
	}
	if slices.ContainsFunc(u.files, func(e entity) bool { return e.on != "" }) {
		return express
	}
	return found
}

// speaksOfMark tells whether the word at i says that something is marked: "the part that I
// marked", "the box"; not the order to mark something.
func (m *Mind) speaksOfMark(words []retrieve.Word, i int) bool {
	if i == 0 || words[i].Kind != retrieve.Plain {
		return false
	}
	return m.phrases.marked.has(words[i]) || m.phrases.marks.has(words[i]) && (determined(words, i) || lower(words[i-1]) == "i") ||
		m.phrases.parts.has(words[i]) && shownWords.has(words[i-1]) // "this part"
}

// withoutMarks leaves out the words that say that something is marked: they do not say
// what is wanted.
func (m *Mind) withoutMarks(words []retrieve.Word) []retrieve.Word {
	var out []retrieve.Word
	for i, w := range words {
		if !m.speaksOfMark(words, i) {
			out = append(out, w)
		}
	}
	return out
}

// demonstrates tells whether the word at i points with the finger: "this", "that", but
// not "this picture", which means the whole of it.
func (s *scene) demonstrates(u *understood, i int) bool {
	words := u.clause.words
	last := i+1 == len(words) || words[i+1].Kind == retrieve.Mark
	switch text := lower(words[i]); text {
	case "this", "these", "those":
		return last || !s.m.isMedia(words[i+1])
	case "that":
		before := i == 0 || s.m.isVerb(words[i-1]) || s.m.isPreposition(words[i-1]) || auxiliaries.has(words[i-1])
		return before && (last || !s.m.isMedia(words[i+1]))
	}
	return false
}

// asksWhatItIs tells whether the word at i is the thing that a question is about: "what is
// it", but not "what is in it".
func (s *scene) asksWhatItIs(u *understood, i int) bool {
	return i > 0 && u.form != retrieve.Order && lower(u.clause.words[i]) == "it" && !s.m.isPreposition(u.clause.words[i-1])
}

// locates tells whether the word at i says that something is where the finger points:
// "here", but not "there are".
func (s *scene) locates(u *understood, i int) bool {
	words := u.clause.words
	last := i+1 == len(words) || words[i+1].Kind == retrieve.Mark
	switch lower(words[i]) {
	case "here":
		return last || !auxiliaries.has(words[i+1])
	case "there":
		return last && u.form != retrieve.Count
	}
	return false
}

// marksFor are the marks that a clause may mean: those that came with the message, and
// earlier ones only where they are spoken of. Of those, and of the pictures that the
// clause names, just the ones that belong together.
func (s *scene) marksFor(u *understood, held hold) []entity {
	if named := slices.DeleteFunc(slices.Clone(u.files), func(e entity) bool { return e.on == "" }); len(named) > 0 {
		return named
	}
	marks := slices.DeleteFunc(slices.Clone(s.marks), func(e entity) bool { return !e.given })
	if len(marks) == 0 && held == express && len(s.marks) > 0 {
		on := s.marks[len(s.marks)-1].on
		for _, e := range s.marks {
			if e.on == on {
				marks = slices.DeleteFunc(marks, func(o entity) bool { return o.typ == e.typ })
				marks = append(marks, e) // what was marked anew is meant now
			}
		}
	}
	return marks
}

// movesBySaying tells whether the clause itself says that the picture is turned, cropped
// or made of another size.
func (s *scene) movesBySaying(u *understood) bool {
	return slices.ContainsFunc(u.clause.words, func(w retrieve.Word) bool {
		return w.Kind == retrieve.Plain && s.m.phrases.moving[s.m.lexicon.Class(w.Stem)]
	})
}

// picturesOf are the pictures that the marks are on, each once.
func (s *scene) picturesOf(marks []entity) []entity {
	var pictures []entity
	for _, mark := range marks {
		i := slices.IndexFunc(s.entities, func(e entity) bool { return e.source.Kind == plan.OfResource && e.source.Name == mark.on })
		if i >= 0 && !among(pictures, s.entities[i]) {
			pictures = append(pictures, s.entities[i])
		}
	}
	return pictures
}

// preferred are the marks on a picture of the one kind that serves the clause best: what
// its tool takes, else the most exact.
func (s *scene) preferred(u *understood, picture entity, marks []entity, name string) []entity {
	all := slices.DeleteFunc(slices.Clone(marks), func(e entity) bool { return e.on != name })
	v := *u
	v.files = append([]entity{picture}, all...)
	s.aim(&v, s.references(&v))
	order := []plan.Type{plan.Mask, plan.BBox, plan.Points}
	for i, t := range order {
		if takesType(v.head, t) && slices.ContainsFunc(all, func(e entity) bool { return e.typ == t }) {
			order[0], order[i] = order[i], order[0]
			break
		}
	}
	for _, t := range order {
		if of := slices.DeleteFunc(slices.Clone(all), func(e entity) bool { return e.typ != t }); len(of) > 0 {
			return of
		}
	}
	return nil
}

// marked tells whether the clause means something that is marked on a picture.
func (u *understood) marked() bool {
	return slices.ContainsFunc(u.files, func(e entity) bool { return e.on != "" })
}

// takesMark tells whether the tool works on a part of a picture that it is shown.
func takesMark(t toolbox.Tool) bool {
	return takesType(t, plan.Image) && slices.ContainsFunc(t.Args, func(a toolbox.Arg) bool { return !a.Optional && markType(a.Type) })
}

// markType tells whether things of the type say where on a picture something is.
func markType(t plan.Type) bool { return t == plan.Mask || t == plan.BBox || t == plan.Points }

// calledAmong tells whether one of the things has the name.
func calledAmong(es []entity, name string) bool {
	return slices.ContainsFunc(es, func(e entity) bool {
		return e.source.Kind == plan.OfResource && e.source.Name == name || e.root == name
	})
}
