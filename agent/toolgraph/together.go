package toolgraph

import (
	"slices"

	"atelier/agent/plan"
)

// What is marked on a picture means nothing without that picture, and something else
// with another one: a given goes together with the one that it is about.

// pair finds for each required given the one that it goes with, if that must be used too.
func (s *scope) pair() {
	for _, g := range s.query.Given {
		if g.With.Kind == plan.Blank || s.query.optional(g) {
			continue
		}
		at := func(src plan.Source) int {
			return slices.IndexFunc(s.leaves, func(l leaf) bool { return l.source().Equal(src) })
		}
		if mark, about := at(g.Source), at(g.With); mark >= 0 && about >= 0 && mark != about {
			s.leaves[mark].with = s.leaves[about].cover
		}
	}
}

// input is what an argument is given: its type, the required givens that it uses, the one
// whose places it keeps, the one that it is a mark on and, where it is a leaf, which one.
type input struct {
	leaf  *leaf // nil for the output of an action, and for an argument that takes many
	typ   int32
	cover uint64
	places
}

// places tell where a picture or a mark on one belongs: still is the required given on
// which things are in the same places, on the one that a mark that it was made of is on; 0
// for none.
type places struct{ still, on uint64 }

// placesOf are those of a leaf.
func (l *leaf) placesOf() places {
	switch {
	case l.made != nil:
		return places{}
	case l.with != 0:
		return places{on: l.with}
	}
	return places{still: l.cover}
}

// result is where the output of a tool with these inputs belongs: where its one picture
// does, unless the tool moves what is on it.
func (g *Graph) result(tool int32, inputs []input) places {
	var p places
	pictures := 0
	for i, in := range inputs {
		p.on |= in.on
		if in.on != 0 || !g.isPicture(in.typ) || !g.isPicture(g.argsOf(tool)[i].typ) {
			continue
		}
		pictures++
		p.still = in.still
	}
	if pictures != 1 || g.tools[tool].Moves {
		p.still = 0
	}
	if t := g.tools[tool].Returns; t != plan.Mask && t != plan.BBox && t != plan.Points {
		p.on = 0
	}
	return p
}

// isPicture reports whether an argument of the type takes a picture rather than a part of one.
func (g *Graph) isPicture(typ int32) bool {
	t := g.types[typ]
	return t.Fits(plan.Image) && t != plan.Mask
}

// together reports whether what the action takes keeps together what belongs together.
func (s *scope) together(tool int32, inputs []input) bool {
	for i, in := range inputs {
		switch {
		case in.on == 0:
		case in.leaf == nil: // made of a mark
			if slices.ContainsFunc(inputs, func(o input) bool { return s.elsewhere(in.on, o) }) {
				return false
			}
		case in.typ != s.argsOf(tool)[i].typ || !slices.ContainsFunc(inputs, func(o input) bool { return s.about(in.leaf, o) }):
			return false
		}
	}
	return true
}

// about reports whether an input is what the leaf goes with, or was made of it and can stand
// for it.
func (s *scope) about(mark *leaf, o input) bool {
	if o.still != mark.with || o.on != 0 {
		return false
	}
	return slices.ContainsFunc(s.leaves, func(l leaf) bool {
		return l.cover == mark.with && slices.ContainsFunc(s.fits[o.typ], func(t int32) bool { return slices.Contains(s.fits[l.typ], t) })
	})
}

// elsewhere reports whether an input is a picture on which things are in other places than
// on the one that is marked.
func (s *scope) elsewhere(marked uint64, o input) bool {
	return o.cover != 0 && o.on == 0 && o.still != marked && s.isPicture(o.typ)
}

// pairs reports whether some given goes with another one.
func (s *scope) pairs() bool {
	return slices.ContainsFunc(s.leaves, func(l leaf) bool { return l.with != 0 })
}
