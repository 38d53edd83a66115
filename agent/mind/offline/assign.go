package offline

import (
	"slices"

	"atelier/agent/plan"
	"atelier/agent/toolbox"
)

// The fourth station: the arguments of the clause's tool are bound to media, first those
// that the clause names, then those that it points at.

// binding is the choice of media for each run of the head: several of them where a
// clause applies to several pictures alike.
type binding [][]entity

// bind finds the media that the clause is applied to. missing is the type that nothing
// gives; choices are the resources among which people must choose.
func (s *scene) bind(u *understood, refs references) (runs binding, missing plan.Type, choices []entity) {
	required := mediaArgs(u.head)
	if len(required) == 0 {
		return s.bindWords(u, refs), "", nil
	}
	b := binder{s: s, u: u, refs: refs, left: slices.Clone(u.files)}
	open, missing := b.bindNamed(required)
	if missing != "" {
		return nil, missing, nil
	}
	for _, t := range open {
		if ok, choices := b.bindUnnamed(t); !ok {
			return nil, t, choices
		}
	}
	return b.runs(), "", nil
}

// mediaArgs are the arguments that a tool cannot do without and that are no texts.
func mediaArgs(t toolbox.Tool) []toolbox.Arg {
	return slices.DeleteFunc(slices.Clone(t.Args), func(a toolbox.Arg) bool {
		return a.Optional || a.Type == plan.Text || smallText(a.Type)
	})
}

// bindWords binds a tool that takes nothing but texts: what a file says must be made
// first.
func (s *scene) bindWords(u *understood, refs references) binding {
	if u.marked() {
		return binding{u.files}
	}
	if len(u.files) > 0 {
		var runs binding
		for _, e := range u.files {
			runs = append(runs, []entity{e})
		}
		return runs
	}
	if e, ok := s.shown(u, refs); ok {
		return binding{{e}}
	}
	return binding{nil}
}

// binder binds the arguments of one clause.
type binder struct {
	s      *scene
	u      *understood
	refs   references
	left   []entity // files of the clause that no argument has taken yet
	fixed  []entity // what each run takes
	spread []entity // what the clause is repeated over
}

// bindNamed gives the files that the clause names to the arguments. open are the types
// that no file fits; missing is the type of an argument that takes many and has too few.
func (b *binder) bindNamed(required []toolbox.Arg) (open []plan.Type, missing plan.Type) {
	for _, a := range required {
		fits := fitting(b.left, a.Type)
		switch {
		case a.Many:
			many := b.s.several(b.refs, a.Type, b.left)
			if len(many) < 2 {
				return nil, a.Type
			}
			b.fixed = append(b.fixed, many...)
			b.left = slices.DeleteFunc(b.left, func(e entity) bool { return e.typ.Fits(a.Type) })
		case len(fits) > 1 && len(b.spread) == 0 && countOf(required, a.Type) == 1:
			b.spread = fits
			b.left = without(b.left, fits)
		case len(fits) > 0:
			b.fixed = append(b.fixed, fits[0])
			b.left = without(b.left, fits[:1])
		default:
			open = append(open, a.Type)
		}
	}
	return open, ""
}

// bindUnnamed finds what the clause means for an argument without naming it, unless it
// can be made of what is there. If it finds nothing, choices are what may be meant.
func (b *binder) bindUnnamed(t plan.Type) (ok bool, choices []entity) {
	if e, ok := b.s.pointed(b.u, b.refs, t); ok && !among(b.fixed, e) {
		b.fixed = append(b.fixed, e)
		return true, nil
	}
	if e, ok := b.s.refer(b.u, b.refs, t); ok {
		if !among(b.fixed, e) {
			b.take(t, e)
		}
		return true, nil
	}
	if b.s.m.closure(typesOf(slices.Concat(b.fixed, b.spread, b.left))...)[t] {
		return true, nil
	}
	base, ok, choices := b.s.base(b.u, b.refs, t)
	if !ok || len(choices) > 1 {
		return false, choices
	}
	b.take(base.typ, base)
	return true, nil
}

// take binds an entity, or the group that is meant with it.
func (b *binder) take(t plan.Type, e entity) {
	if many := b.s.group(b.u, b.refs, t, e); len(many) > 1 && len(b.spread) == 0 {
		b.spread = many
		return
	}
	b.fixed = append(b.fixed, e)
}

// runs are the choices of media that come out. Files that the head does not take itself
// are what its inputs are made from.
func (b *binder) runs() binding {
	spread, fixed := b.spread, slices.Concat(b.fixed, b.left)
	if len(b.spread) == 0 && len(b.fixed) == 0 && len(b.left) > 1 && !b.u.marked() {
		spread, fixed = b.left, nil
	}
	if len(spread) == 0 {
		return binding{fixed}
	}
	var runs binding
	for _, e := range spread {
		runs = append(runs, append([]entity{e}, fixed...))
	}
	return runs
}

func countOf(args []toolbox.Arg, t plan.Type) int {
	n := 0
	for _, a := range args {
		if a.Type == t {
			n++
		}
	}
	return n
}

// smallText tells whether a type is a text under another name, which tools make of texts.
func smallText(t plan.Type) bool {
	return t == plan.Title || t == plan.Tags || t == plan.Location || t == plan.Weather || t == plan.Time
}

func typesOf(es []entity) []plan.Type {
	types := make([]plan.Type, len(es))
	for i, e := range es {
		types[i] = e.typ
	}
	return types
}

// fitting are the entities of just that type, else those that fit it.
func fitting(es []entity, t plan.Type) []entity {
	var exact []entity
	for _, e := range es {
		if e.typ == t {
			exact = append(exact, e)
		}
	}
	if len(exact) > 0 {
		return exact
	}
	return loose(es, t)
}

func without(es, gone []entity) []entity {
	return slices.DeleteFunc(slices.Clone(es), func(e entity) bool { return among(gone, e) })
}
