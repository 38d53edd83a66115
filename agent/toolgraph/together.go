package toolgraph

import (
	"slices"

	"atelier/agent/plan"
)

// A mark is meaningless without its picture, and wrong on another one, so a given is used together
// with the one that it is about.

// pair finds for each required given the one that it is about, if that is required too.
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

// input is an input of an argument: its type, the required givens that it uses, its places, and the
// leaf if it is one.
type input struct {
	leaf  *leaf // nil for the output of an action, and for an argument that takes many
	typ   int32
	cover uint64
	places
}

// places relate a picture or a mark to the required givens: still is the given picture in which
// everything is at the same place, on is the one that a mark in its derivation is on; 0 if there is
// none.
type places struct{ still, on uint64 }

// placesOf returns the places of a leaf.
func (l *leaf) placesOf() places {
	switch {
	case l.made != nil:
		return places{}
	case l.with != 0:
		return places{on: l.with}
	}
	return places{still: l.cover}
}

// result returns the places of the output of a tool with these inputs: those of its only picture,
// unless the tool moves things.
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

// isPicture reports whether an argument of the type takes a whole picture rather than a part of
// one.
func (g *Graph) isPicture(typ int32) bool {
	t := g.types[typ]
	return t.Fits(plan.Image) && t != plan.Mask
}

// together reports whether the action uses marks only with their pictures.
func (s *scope) together(tool int32, inputs []input) bool {
	for i, in := range inputs {
		switch {
		case in.on == 0:
		case in.leaf == nil: // made from a mark
			if slices.ContainsFunc(inputs, func(o input) bool { return s.elsewhere(in.on, o) }) {
				return false
			}
		case in.typ != s.argsOf(tool)[i].typ || !slices.ContainsFunc(inputs, func(o input) bool { return s.about(in.leaf, o) }):
			return false
		}
	}
	return true
}

// about reports whether an input is the picture that the mark is on, or was made from it and fits
// its place.
func (s *scope) about(mark *leaf, o input) bool {
	if o.still != mark.with || o.on != 0 {
		return false
	}
	return slices.ContainsFunc(s.leaves, func(l leaf) bool {
		return l.cover == mark.with && slices.ContainsFunc(s.fits[o.typ], func(t int32) bool { return slices.Contains(s.fits[l.typ], t) })
	})
}

// elsewhere reports whether an input is a picture in which things are at other places than in the
// marked one.
func (s *scope) elsewhere(marked uint64, o input) bool {
	return o.cover != 0 && o.on == 0 && o.still != marked && s.isPicture(o.typ)
}

// pairs reports whether some given is about another one.
func (s *scope) pairs() bool {
	return slices.ContainsFunc(s.leaves, func(l leaf) bool { return l.with != 0 })
}
