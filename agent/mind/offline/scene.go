package offline

import (
	"slices"

	"atelier/agent/plan"
	"atelier/agent/toolbox/retrieve"
)

// The stage on which the clauses of a wish are understood one after another: what is
// there to be spoken of, and what was made so far.

// entity is something that a clause can speak of: a resource of the thread or the
// result of an earlier subtask.
type entity struct {
	source plan.Source
	typ    plan.Type
	// clause is the index of the clause that made or named it, -1 if it came before.
	clause int
	// made marks what a subtask of this wish makes, fresh what comes from no picture.
	made, fresh bool
	// given marks what came with this message.
	given bool
	// on is, of a mark, the name of the picture that it is on.
	on string
	// root is, of a picture that was made of another one, the name of the first; moved
	// tells that a place on it is not where it was on that one, turned that it was only
	// turned or scaled as a whole.
	root          string
	moved, turned bool
}

// scene is what is known while the clauses of a wish are understood one by one.
type scene struct {
	m        *Mind
	request  plan.Request
	text     string
	words    []retrieve.Word
	entities []entity // the latest mentioned or made stands last
	marks    []entity // what was marked on pictures; they stand for nothing by themselves
	subtasks []plan.Subtask
	left     []plan.Leftover // clauses that are not carried out
	stuck    bool            // the clause before was left
	lost     plan.Type       // what it would have made
	// chose tells that a clause said which of the files it means, or asked something of the world.
	chose   bool
	unknown []string             // names of files that are not there
	types   map[string]plan.Type // what the wish says of the kinds of pictures, by name
	prev    *understood          // the clause before
	late    *tardy               // the clause that comes too late to be understood where it stands
	// background is what a statement before the clause told: "the form takes 500 KB at most".
	background string
}

func (m *Mind) newScene(r plan.Request, wish string) *scene {
	s := &scene{m: m, request: r, text: wish, types: map[string]plan.Type{}}
	for _, res := range r.Earlier {
		s.enter(res, false)
	}
	for _, res := range r.Given {
		s.enter(res, true)
	}
	s.words = m.index.Correct(m.lexicon.Words(wish, s.fileSpans()))
	s.inferTypes()
	return s
}

// enter takes a resource of the thread in.
func (s *scene) enter(r plan.Resource, given bool) {
	e := entity{source: plan.FromResource(r.Name), typ: r.Type, clause: -1, given: given, on: r.On}
	if e.on != "" {
		s.marks = append(s.marks, e)
	} else {
		s.entities = append(s.entities, e)
	}
}

// latest is the last entity of just that type that passes the test, else the last one
// that fits it.
func (s *scene) latest(t plan.Type, test func(entity) bool) (entity, bool) {
	var near entity
	found := false
	for _, e := range slices.Backward(s.entities) {
		switch {
		case found && e.typ != t, !e.typ.Fits(t) && e.typ != t, !test(e):
		case e.typ == t:
			return e, true
		default:
			near, found = e, true
		}
	}
	return near, found
}

func anyEntity(entity) bool { return true }

// mention moves a resource to the end: it is what was spoken of last.
func (s *scene) mention(e entity, clause int) {
	s.entities = slices.DeleteFunc(s.entities, func(o entity) bool { return o.source.Equal(e.source) })
	e.clause = clause
	s.entities = append(s.entities, e)
}

// among tells whether the entity is one of several.
func among(es []entity, e entity) bool {
	return slices.ContainsFunc(es, func(o entity) bool { return o.source.Equal(e.source) })
}
