package toolgraph

import "slices"

// landmark is a type that every solution must make, and the minimum cost of an action that makes
// it. An action makes only one type, so the costs of all landmarks that a derivation has not passed
// add up.
type landmark struct {
	typ  int32
	cost cost
}

const maxLandmarks = 64 // one bit each

// findLandmarks starts with the goal and continues with the types that all makers of a landmark
// require, unless a leaf or another type fits them.
func (s *scope) findLandmarks() []landmark {
	there := make([]bool, len(s.types))
	for _, l := range s.leaves {
		for _, want := range s.fits[l.typ] {
			there[want] = true
		}
	}
	found := []landmark{{typ: s.goal}}
	for i := 0; i < len(found); i++ {
		var asked []int32 // by all makers
		found[i].cost, asked = s.makersOf(found[i].typ)
		for _, typ := range asked {
			isNew := !slices.ContainsFunc(found, func(l landmark) bool { return l.typ == typ })
			if isNew && !there[typ] && len(s.fitted[typ]) == 1 && len(found) < maxLandmarks {
				found = append(found, landmark{typ: typ})
			}
		}
	}
	return found
}

// makersOf returns the minimum cost of an action that makes the type, and the types that every such
// action requires.
func (s *scope) makersOf(made int32) (least cost, asked []int32) {
	least = infinite
	for _, tool := range s.makers[made] {
		if !s.live[tool] {
			continue
		}
		if least == infinite {
			asked = s.requires(tool)
		}
		asked = slices.DeleteFunc(asked, func(typ int32) bool { return !s.asks(tool, typ) })
		least = min(least, s.price[tool])
	}
	return least, asked
}

// requires returns the types of the tool's required arguments.
func (h *hyperedges) requires(tool int32) []int32 {
	var types []int32
	for _, a := range h.argsOf(tool) {
		if !a.optional && !a.many {
			types = append(types, a.typ)
		}
	}
	return types
}

// asks reports whether the tool requires an argument of the type.
func (h *hyperedges) asks(tool, typ int32) bool {
	return slices.ContainsFunc(h.argsOf(tool), func(a argument) bool { return a.typ == typ && !a.optional && !a.many })
}

// passes returns the bit of the landmark passed by making the type, 0 if there is none.
func (b *bounds) passes(typ int32) uint64 {
	for i := range b.landmarks {
		if b.landmarks[i].typ == typ {
			return 1 << i
		}
	}
	return 0
}

// ahead returns the minimum cost of the landmarks that are not passed yet.
func (b *bounds) ahead(passed uint64) cost {
	var sum cost
	for i := range b.landmarks {
		if passed>>i&1 == 0 {
			sum += b.landmarks[i].cost
		}
	}
	return min(infinite, sum)
}
