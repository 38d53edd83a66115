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

// input is what an argument is given: its type, the required givens that it uses and,
// where it is a leaf, which one.
type input struct {
	leaf  *leaf // nil for the output of an action, and for an argument that takes many
	typ   int32
	cover uint64
}

// together tells whether what the action takes keeps together what belongs together.
func (s *scope) together(tool int32, inputs []input) bool {
	for i, in := range inputs {
		if in.leaf == nil || in.leaf.with == 0 {
			continue
		}
		if in.typ != s.argsOf(tool)[i].typ || !slices.ContainsFunc(inputs, func(o input) bool { return s.about(in.leaf, o) }) {
			return false
		}
	}
	return true
}

// about tells whether an input is what the leaf goes with, or was made of it and can stand
// for it.
func (s *scope) about(mark *leaf, o input) bool {
	if o.cover&mark.with == 0 || o.leaf == mark {
		return false
	}
	return slices.ContainsFunc(s.leaves, func(l leaf) bool {
		return l.cover == mark.with && slices.ContainsFunc(s.fits[o.typ], func(t int32) bool { return slices.Contains(s.fits[l.typ], t) })
	})
}

// pairs tells whether some given goes with another one.
func (s *scope) pairs() bool {
	return slices.ContainsFunc(s.leaves, func(l leaf) bool { return l.with != 0 })
}
