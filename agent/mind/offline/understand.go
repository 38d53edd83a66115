package offline

import (
	"slices"
	"strings"

	"atelier/agent/plan"
	"atelier/agent/toolbox"
	"atelier/agent/toolbox/retrieve"
)

// The second station: a clause is taken in as words, as a form and as the files that it
// names. Which tool it asks for is found in aim.go, what it points at in references.go.

// understood is what a clause was found to ask for.
type understood struct {
	clause clause
	words  []retrieve.Word // without the polite wrapping
	text   string          // the clause with what was said more about it
	form   retrieve.Form
	head   toolbox.Tool // the tool that gives what is asked for
	score  float64      // how sure that is, 0 to 1
	hits   []retrieve.Hit
	files  []entity // named in the clause
	object string   // the thing that it is about, if any
	// results are the entities of its subtasks.
	results []entity
}

// read takes the clause of number n in: its words, its form, the files that it names.
func (s *scene) read(n int, c clause) understood {
	u := understood{clause: c, words: s.m.lexicon.Core(c.words), text: c.text, form: s.m.lexicon.FormOf(c.words)}
	if s.asksUnasked(&u) {
		u.form = retrieve.YesNo
	}
	if len(c.more) > 0 {
		u.text += ". " + strings.Join(c.more, ". ")
	}
	s.spare(c)
	for i, w := range c.words {
		if !isFile(w) || s.m.spares(c.words, i) {
			continue
		}
		r, ok := s.lookup(w.Text)
		switch e := s.fileEntity(n, r); {
		case ok && c.onward && baseType(e.typ) == plan.Image:
		case ok && !among(u.files, e):
			u.files = append(u.files, e)
		case !ok && !s.isOutputName(w):
			s.unknown = append(s.unknown, w.Text)
		}
	}
	for _, e := range u.files {
		if e.on == "" {
			s.mention(e, n)
		}
	}
	return u
}

// asksUnasked tells whether only its mark makes the clause a question, as in "any chance
// that there are gulls in it?".
func (s *scene) asksUnasked(u *understood) bool {
	polite := len(u.words) < len(u.clause.words)
	if !u.clause.asks || u.form != retrieve.Order || polite {
		return false
	}
	lead := s.m.lexicon.Lead(u.words)
	return len(lead) > 0 && !s.m.verbs[lower(lead[0])] && !retrieve.IsModal(lead[0].Text)
}

// fileEntity is the entity of a resource that the clause of number n names.
func (s *scene) fileEntity(n int, r plan.Resource) entity {
	e := entity{source: plan.FromResource(r.Name), typ: r.Type, clause: n, on: r.On}
	if t, ok := s.types[r.Name]; ok {
		e.typ = t
	}
	e.given = slices.ContainsFunc(slices.Concat(s.entities, s.marks), func(known entity) bool { return known.given && known.source.Equal(e.source) })
	return e
}

// isOutputName tells whether a name that nothing has is the name wished for a result:
// "save it as edges.png".
func (s *scene) isOutputName(w retrieve.Word) bool {
	i, ok := slices.BinarySearchFunc(s.words, w.Start, func(o retrieve.Word, start int) int { return o.Start - start })
	return ok && i > 0 && namingWords.has(s.words[i-1])
}
