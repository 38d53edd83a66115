package rules

import (
	"slices"

	"atelier/agent/plan"
	"atelier/agent/toolbox/retrieve"
)

// thing is what a clause can speak of: a resource of the thread or the result of an
// earlier subtask.
type thing struct {
	source plan.Source
	typ    plan.Type
	// clause is the index of the clause that made or named it, -1 if it came before.
	clause int
	given  bool // it came with this message
	made   bool // a subtask of this request makes it
	fresh  bool // it is made, and not of a picture
	// on is the picture that a mark is on.
	on string
	// root is the first of the pictures that a picture was made of. moved reports that a
	// place on it is elsewhere than on that one.
	root  string
	moved bool
}

// thread is what is known while the clauses of a request are read one after another.
type thread struct {
	*Planner
	request plan.Request
	text    string
	words   []retrieve.Word
	things  []thing // what was made or spoken of last stands last
	marks   []thing // what is marked on pictures; they stand for nothing by themselves
	tasks   []plan.Subtask
	left    []plan.Leftover
	doubt   *reading  // the clause that was left last
	stuck   bool      // the clause before was left
	lost    plan.Type // what it would have made
	chose   bool      // a clause said which files it means
	types   map[string]plan.Type
	unknown []string // names of files that are not there
	prev    *reading // the clause before
	told    string   // what a statement before the clause told
}

func (p *Planner) newThread(r plan.Request, text string) *thread {
	t := &thread{Planner: p, request: r, text: text, types: map[string]plan.Type{}}
	for i, res := range r.Resources() {
		e := thing{source: plan.FromResource(res.Name), typ: res.Type, clause: -1, given: i >= len(r.Earlier), on: res.On}
		if e.on != "" {
			t.marks = append(t.marks, e)
		} else {
			t.things = append(t.things, e)
		}
	}
	t.words = p.index.Correct(p.lexicon.Words(text, t.fileSpans()))
	t.inferTypes()
	return t
}

// latest returns the last thing of just that type that passes the test, else the last one that fits it.
func (t *thread) latest(typ plan.Type, test func(thing) bool) (thing, bool) {
	var near thing
	found := false
	for _, e := range slices.Backward(t.things) {
		switch {
		case found && e.typ != typ, !e.typ.Fits(typ), !test(e):
		case e.typ == typ:
			return e, true
		default:
			near, found = e, true
		}
	}
	return near, found
}

func anything(thing) bool { return true }
func isMade(e thing) bool { return e.made }

// mention moves a resource to the end: it is what was spoken of last.
func (t *thread) mention(e thing, clause int) {
	t.things = slices.DeleteFunc(t.things, func(o thing) bool { return o.source.Equal(e.source) })
	e.clause = clause
	t.things = append(t.things, e)
}

// media reports whether there are files.
func (t *thread) media() bool {
	return slices.ContainsFunc(t.things, func(e thing) bool { return e.typ.Media() })
}

// focus is the type of what was made, spoken of or sent last; "" if nothing was.
func (t *thread) focus() plan.Type {
	if len(t.things) == 0 {
		return ""
	}
	return t.things[len(t.things)-1].typ
}

// among reports whether the thing is one of several.
func among(es []thing, e thing) bool {
	return slices.ContainsFunc(es, func(o thing) bool { return o.source.Equal(e.source) })
}

// without returns the things that are not among others.
func without(es, gone []thing) []thing {
	return slices.DeleteFunc(slices.Clone(es), func(e thing) bool { return among(gone, e) })
}

// fitting returns the things that fit the type. A mark stands for no picture.
func fitting(es []thing, t plan.Type) []thing {
	return slices.DeleteFunc(slices.Clone(es), func(e thing) bool { return !e.typ.Fits(t) || e.on != "" && e.typ != t })
}

// exactly returns the things of just that type, else those that fit it.
func exactly(es []thing, t plan.Type) []thing {
	if same := slices.DeleteFunc(slices.Clone(es), func(e thing) bool { return e.typ != t }); len(same) > 0 {
		return same
	}
	return fitting(es, t)
}

func typesOf(es []thing) []plan.Type {
	types := make([]plan.Type, len(es))
	for i, e := range es {
		types[i] = e.typ
	}
	return types
}
