package toolgraph

import (
	"cmp"
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

// choice holds the cheapest distinct solutions found so far, in order: one for each set of tools,
// without padded ones.
type choice []draft

// with adds a draft, unless a cheaper one makes it redundant, and removes those that it makes
// redundant. It reports whether it added the draft.
func (c choice) with(d draft) (choice, bool) {
	at, _ := slices.BinarySearchFunc(c, d, draft.compare)
	if slices.ContainsFunc(c[:at], d.pads) {
		return c, false
	}
	dearer := slices.DeleteFunc(c[at:], func(o draft) bool { return o.pads(d) })
	return slices.Insert(c[:at+len(dearer)], at, d), true
}

// first returns the cost of the best solution.
func (c choice) first() cost {
	if len(c) == 0 {
		return infinite
	}
	return c[0].cost
}

// contains reports whether the sorted list all contains all elements of the sorted list some.
func contains[T cmp.Ordered](all, some []T) bool {
	if len(some) > len(all) {
		return false
	}
	for _, one := range all {
		if len(some) > 0 && some[0] == one {
			some = some[1:]
		}
	}
	return len(some) == 0
}

// weak reports whether the tool has less than a good score.
func (s *scope) weak(tool int32) bool { return s.score[tool] < plan.Good }

// likely returns the tools that make the goal and have such a high score that each should be in at
// least one solution, best first.
func (s *scope) likely() []string {
	var tools []int32
	for _, tool := range s.makers[s.goal] {
		if s.live[tool] && s.score[tool] >= plan.Fitting {
			tools = append(tools, tool)
		}
	}
	slices.SortStableFunc(tools, func(a, b int32) int { return cmp.Compare(s.price[a], s.price[b]) })
	names := make([]string, len(tools))
	for i, tool := range tools {
		names[i] = s.tools[tool].Name
	}
	return names
}

// places selects k solutions: the best one, the cheapest one with each likely tool, and the
// cheapest others. It returns the likely tools that are in none of them, if there is room for one, and
// reports whether no more expensive solution could be selected.
func (c choice) places(likely []string, k int) (taken choice, missing []string, settled bool) {
	missing = slices.Clone(likely)
	var others choice
	for i, d := range c {
		before := len(missing)
		missing = slices.DeleteFunc(missing, func(tool string) bool {
			_, ok := slices.BinarySearch(d.tools, tool)
			return ok
		})
		if i > 0 && len(missing) == before {
			others = append(others, d)
		} else if len(taken) < k {
			taken = append(taken, d)
		}
	}
	room := k - len(taken)
	if room == 0 {
		missing = nil
	}
	settled = len(missing) == 0 && len(others) >= room
	taken = append(taken, others[:min(len(others), room)]...)
	slices.SortFunc(taken, draft.compare)
	return taken, missing, settled
}
