package scene

import (
	"slices"

	"atelier/agent/plan"
)

// Thing is what a clause can refer to: a resource of the thread or the result of an earlier subtask.
type Thing struct {
	Source plan.Source
	Typ    plan.Type
	// Clause is the index of the clause that made or named it, -1 if it came before.
	Clause int
	Given  bool // came with this message
	Made   bool // made by a subtask of this request
	Fresh  bool // made, but not from a picture
	Many   bool // may be several files
	Inner  bool // made for another subtask of the same clause
	Joined bool // made from several others
	// On is the picture that a mark is on.
	On string
	// Root is the first file of its own type in its derivation. Moved means that positions on it differ from
	// those on Root.
	Root  string
	Moved bool
}

// Things are what a request can refer to. The latest made or mentioned thing is last.
type Things []Thing

// Latest returns the last thing of exactly the type that passes the test, else the last one that fits it.
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

// Focus returns the type of the latest made, mentioned or sent thing; "" if there is none.
func (ts Things) Focus() plan.Type {
	if len(ts) == 0 {
		return ""
	}
	return ts[len(ts)-1].Typ
}

// LastMade returns the last clause that made something, -1 if none did.
func (ts Things) LastMade() int {
	for _, e := range slices.Backward(ts) {
		if e.Made {
			return e.Clause
		}
	}
	return -1
}

// Mentioned moves a thing to the end, as the latest mentioned one, in a clause.
func (ts Things) Mentioned(e Thing, clause int) Things {
	e.Clause = clause
	return append(slices.DeleteFunc(ts, func(o Thing) bool { return o.Source.Equal(e.Source) }), e)
}

// Anything accepts every thing.
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

// Fitting returns the things that fit the type. A mark does not count as a picture.
func Fitting(es []Thing, t plan.Type) []Thing {
	return slices.DeleteFunc(slices.Clone(es), func(e Thing) bool { return !e.Typ.Fits(t) || e.On != "" && e.Typ != t })
}

// Exactly returns the things of exactly the type, else those that fit it.
func Exactly(es []Thing, t plan.Type) []Thing {
	if same := slices.DeleteFunc(slices.Clone(es), func(e Thing) bool { return e.Typ != t }); len(same) > 0 {
		return same
	}
	return Fitting(es, t)
}

// TypesOf returns the types of things, in order.
func TypesOf(es []Thing) []plan.Type {
	types := make([]plan.Type, len(es))
	for i, e := range es {
		types[i] = e.Typ
	}
	return types
}
