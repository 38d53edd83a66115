package toolgraph

import (
	"slices"

	"atelier/agent/plan"
)

// takes reports whether the argument uses the source, directly or quoted in a text.
func takes(b plan.Binding, s plan.Source) bool {
	return s.Equal(b.Source) || slices.ContainsFunc(b.Source.Parts, s.Equal)
}

// same reports whether two givens are the same, even if one is optional.
func (g Given) same(other Given) bool {
	return g.Type == other.Type && g.Source.Equal(other.Source)
}

// sourcesOf returns the sources of the givens of that type, without duplicates.
func (q *Query) sourcesOf(t plan.Type, optional bool) []plan.Source {
	var sources []plan.Source
	for i, g := range q.Given {
		if g.Type == t && q.optional(g) == optional && slices.IndexFunc(q.Given, g.same) == i {
			sources = append(sources, g.Source)
		}
	}
	return sources
}

// optional reports whether the given need not be used. A duplicate must be used if one of its
// copies is required.
func (q *Query) optional(g Given) bool {
	return !slices.ContainsFunc(q.Given, func(other Given) bool { return !other.Optional && g.same(other) })
}
