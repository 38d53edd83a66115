package offline

import (
	"slices"

	"atelier/agent/plan"
)

// Which several things a clause means: what "them" and "both" are, and what a tool that
// takes many is given.

// several finds what an argument that takes many is given.
func (s *scene) several(refs references, t plan.Type, files []entity) []entity {
	if fits := loose(files, t); len(fits) >= 2 {
		return fits
	}
	if s.prev != nil {
		if fits := loose(s.prev.results, t); len(fits) >= 2 {
			return fits
		}
	}
	var made, named, given, earlier []entity
	for _, e := range loose(s.entities, t) {
		switch {
		case e.made:
			made = append(made, e)
		case e.clause >= 0:
			named = append(named, e)
		case e.given:
			given = append(given, e)
		default:
			earlier = append(earlier, e)
		}
	}
	sets := [][]entity{given, named, made}
	if refs.result {
		sets = [][]entity{made, given, named}
	}
	if len(files) == 0 || !refs.pronoun {
		for _, set := range sets {
			if len(set) >= 2 {
				return set
			}
		}
	}
	// "put it beside the original": what was named and what was made of it
	return slices.Concat(earlier, given, named, made)
}

// loose are the entities that fit the type.
func loose(es []entity, t plan.Type) []entity {
	var fits []entity
	for _, e := range es {
		if e.typ.Fits(t) && (e.on == "" || e.typ == t) { // what is marked on a picture is no picture
			fits = append(fits, e)
		}
	}
	return fits
}

// group is what "them", "both" and "these pictures" mean where e is one of them.
func (s *scene) group(u *understood, refs references, t plan.Type, e entity) []entity {
	if !refs.plural || len(u.files) > 0 {
		if e.made && s.prev != nil && len(s.prev.results) > 1 && (refs.sequence || refs.pronoun) {
			return loose(s.prev.results, t)
		}
		return nil
	}
	return slices.DeleteFunc(loose(s.entities, t), func(o entity) bool { return !together(o, e) })
}

// together tells whether two entities are spoken of in one breath: made by one clause,
// or named or sent both.
func together(a, b entity) bool {
	switch {
	case a.made || b.made:
		return a.made && b.made && a.clause == b.clause
	case a.given && b.given, a.clause >= 0 && b.clause >= 0:
		return true
	}
	return a.clause < 0 && b.clause < 0 && a.given == b.given
}
