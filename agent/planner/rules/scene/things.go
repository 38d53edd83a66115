package scene

import (
	"slices"

	"atelier/agent/plan"
)

// Thing is what a clause can speak of: a resource of the thread or the result of an
// earlier subtask.
type Thing struct {
	Source plan.Source
	Typ    plan.Type
	// Clause is the index of the clause that made or named it, -1 if it came before.
	Clause int
	Given  bool // it came with this message
	Made   bool // a subtask of this request makes it
	Fresh  bool // it is made, and not of a picture
	Many   bool // it may be several files
	Inner  bool // it is made for another subtask of the same clause
	Joined bool // it is made of several others
	// On is the picture that a mark is on.
	On string
	// Root is the first file of its own type that it was made of, by however many steps. moved reports that a
	// place on it is elsewhere than on that one.
	Root  string
	Moved bool
}

// Things are what a request can speak of. What was made or spoken of last stands last.
type Things []Thing

// Latest returns the last thing of just that type that passes the test, else the last one that fits it.
func (ts Things) Latest(typ plan.Type, test func(Thing) bool) (Thing, bool) {
	var near Thing
	found := false
	for _, e := range slices.Backward(ts) {
		switch {
		case found && e.Typ != typ, !e.Typ.Fits(typ), !test(e):
		case e.Typ == typ:
			return e, true
		default:
			near, found = e, true
		}
	}
	return near, found
}

// Media reports whether there are files.
func (ts Things) Media() bool {
	return slices.ContainsFunc(ts, func(e Thing) bool { return e.Typ.Media() })
}

// SentText reports whether a text came with the message.
func (ts Things) SentText() bool {
	return slices.ContainsFunc(ts, func(e Thing) bool { return e.Typ == plan.Text && e.Given && !e.Made })
}

// Focus is the type of what was made, spoken of or sent last; "" if nothing was.
func (ts Things) Focus() plan.Type {
	if len(ts) == 0 {
		return ""
	}
	return ts[len(ts)-1].Typ
}

// LastMade is the clause that made something last, -1 if none did.
func (ts Things) LastMade() int {
	for _, e := range slices.Backward(ts) {
		if e.Made {
			return e.Clause
		}
	}
	return -1
}

// Mentioned are the things with one of them at the end: it is what was spoken of last, in that clause.
func (ts Things) Mentioned(e Thing, clause int) Things {
	e.Clause = clause
	return append(slices.DeleteFunc(ts, func(o Thing) bool { return o.Source.Equal(e.Source) }), e)
}

// Anything passes any thing.
func Anything(Thing) bool { return true }

// IsMade reports whether a subtask of this request makes the thing.
func IsMade(e Thing) bool { return e.Made }

// Among reports whether the thing is one of several.
func Among(es []Thing, e Thing) bool {
	return slices.ContainsFunc(es, func(o Thing) bool { return o.Source.Equal(e.Source) })
}

// Without returns the things that are not among others.
func Without(es, gone []Thing) []Thing {
	return slices.DeleteFunc(slices.Clone(es), func(e Thing) bool { return Among(gone, e) })
}

// Fitting returns the things that fit the type. A mark stands for no picture.
func Fitting(es []Thing, t plan.Type) []Thing {
	return slices.DeleteFunc(slices.Clone(es), func(e Thing) bool { return !e.Typ.Fits(t) || e.On != "" && e.Typ != t })
}

// Exactly returns the things of just that type, else those that fit it.
func Exactly(es []Thing, t plan.Type) []Thing {
	if same := slices.DeleteFunc(slices.Clone(es), func(e Thing) bool { return e.Typ != t }); len(same) > 0 {
		return same
	}
	return Fitting(es, t)
}

// TypesOf are the types of things, in their order.
func TypesOf(es []Thing) []plan.Type {
	types := make([]plan.Type, len(es))
	for i, e := range es {
		types[i] = e.Typ
	}
	return types
}
