package offline

import (
	"slices"

	"atelier/agent/plan"
	"atelier/agent/toolbox"
	"atelier/agent/toolbox/retrieve"
)

// A clause that takes the marked part beside another picture: "make a collage of this and
// beach.png". The part is cut out by a subtask of its own, and stands for a picture then.

// joinsMarked tells whether the clause names pictures beside what it points at, rather than
// the one that this is on.
func (s *scene) joinsMarked(u *understood) bool {
	words := u.clause.words
	pointer := func(i int) bool {
		return s.demonstrates(u, i) || s.m.speaksOfMark(words, i) || i > 0 && s.m.phrases.parts.hasPlain(words[i]) && s.m.speaksOfMark(words, i-1)
	}
	compares := s.says(u, "differ")
	for i, w := range words {
		joins := besideWords.has(w) || compares && comparingWords.has(w)
		if i == 0 || i+1 == len(words) || !joins {
			continue
		}
		next := i + 1
		for next+1 < len(words) && words[next].Kind == retrieve.Plain && (s.m.lexicon.Stop(lower(words[next])) || s.m.isMedia(words[next])) && !pointer(next) {
			next++
		}
		if pointer(i-1) && isFile(words[next]) || isFile(words[i-1]) && pointer(next) {
			return true
		}
	}
	return false
}

// besideWords stand between two things of which neither is in the other; comparingWords do
// where they are compared.
var (
	besideWords    = wordSet("and with plus & + , beside besides alongside")
	comparingWords = wordSet("to from against")
)

// beside carries out a clause that takes the marked parts beside other pictures, or that
// compares them. done is false where it does neither.
func (s *scene) beside(n int, u *understood, sets [][]entity, last bool) (d decomposition, done, stop bool) {
	var others []entity
	for _, e := range sets[0][2:] {
		if e.typ.Fits(plan.Image) {
			others = append(others, e)
		}
	}
	joins := len(others) > 0 && s.joinsMarked(u)
	if !joins && !s.says(u, "differ") {
		return decomposition{}, false, false
	}
	if len(sets)+len(others) < 2 {
		return decomposition{Question: noOther}, true, true
	}
	cutter := *u
	var parts []entity
	for _, set := range sets {
		cutter.files, cutter.results = set[:2], nil
		cutter.text = cutThePart
		cutter.head = s.cutter(set[1].typ)
		if cutter.head.Name == "" {
			return decomposition{}, false, false
		}
		sub := s.subtask(&cutter, references{}, set[:2])
		s.push(&cutter, sub, s.result(n, &cutter, sub, set[:2]))
		parts = append(parts, cutter.results...)
	}
	u.files, u.results = slices.Concat(parts, others), nil
	d, stop = s.carryOut(n, u, last)
	return d, true, stop
}

// cutThePart describes the subtask that cuts a marked part out.
const cutThePart = "Crop to the marked part"

// cutter is the tool that leaves just the marked part of a picture.
func (s *scene) cutter(mark plan.Type) toolbox.Tool {
	test := func(exact bool) func(toolbox.Tool) bool {
		return func(t toolbox.Tool) bool {
			return t.Returns == plan.Image && takesMark(t) && s.m.texts(t) == 0 && (!exact || takesType(t, mark))
		}
	}
	if t := s.byWords(onlyThePart, test(true)); t.Name != "" {
		return t
	}
	return s.byWords(onlyThePart, test(false))
}

// says tells whether the clause has a word of the class.
func (s *scene) says(u *understood, class string) bool {
	return slices.ContainsFunc(u.words, func(w retrieve.Word) bool { return w.Kind == retrieve.Plain && s.m.lexicon.Class(w.Stem) == class })
}
