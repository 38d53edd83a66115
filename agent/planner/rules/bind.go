package rules

import (
	"slices"
	"strings"

	"atelier/agent/plan"
	"atelier/agent/toolbox"
)

// binder binds the arguments of one clause's tool to resources: first to those that the
// clause names, then to those that it points at.
type binder struct {
	*scene
	r      *reading
	left   []thing // files of the clause that no argument has taken yet
	fixed  []thing // what each run takes
	spread []thing // what the clause is repeated over
}

// bind finds the resources that the clause is applied to, one list for each run. missing is
// the type that nothing gives; choices are the resources among which people must choose.
func (s *scene) bind(r *reading) (runs [][]thing, missing plan.Type, choices []thing) {
	if len(r.head.media) == 0 {
		return s.bindTexts(r), "", nil
	}
	b := binder{scene: s, r: r, left: slices.Clone(r.files)}
	var open []plan.Type
	for _, a := range r.head.media {
		fits := exactly(b.left, a.Type)
		switch {
		case a.Many:
			many := s.several(r, a.Type, b.left)
			if len(many) < 2 {
				return nil, a.Type, nil
			}
			b.fixed = append(b.fixed, many...)
			b.left = without(b.left, many)
		case len(fits) > 1 && len(b.spread) == 0 && countOf(r.head.media, a.Type) == 1:
			b.spread, b.left = fits, without(b.left, fits)
		case len(fits) > 0:
			b.fixed, b.left = append(b.fixed, fits[0]), without(b.left, fits[:1])
		default:
			open = append(open, a.Type)
		}
	}
	for _, typ := range open {
		if ok, choices := b.point(typ); !ok {
			return nil, typ, choices
		}
	}
	return b.runs(), "", nil
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

// bindTexts binds a tool that takes nothing but texts: what a file says must be made first.
func (s *scene) bindTexts(r *reading) [][]thing {
	if r.marked() {
		return [][]thing{r.files}
	}
	var runs [][]thing
	for _, e := range r.files {
		runs = append(runs, []thing{e})
	}
	if len(runs) > 0 {
		return runs
	}
	if r.quoted() == "" && r.head.wants(plan.Content) { // "tags for this picture"
		for _, typ := range []plan.Type{plan.Image, plan.Video, plan.Audio} {
			if e, ok, _ := s.meantOf(r, typ); ok && r.refs.definite[typ] {
				return [][]thing{{e}}
			}
		}
	}
	return [][]thing{nil}
}

// point finds what the clause means for an argument without naming it, unless it can be made
// of what is there.
func (b *binder) point(typ plan.Type) (ok bool, choices []thing) {
	if e, ok := b.spoken(typ); ok && !among(b.fixed, e) {
		b.fixed = append(b.fixed, e)
		return true, nil
	}
	if e, ok := b.small(typ); ok {
		if !among(b.fixed, e) {
			b.take(typ, e)
		}
		return true, nil
	}
	if b.closure(typesOf(slices.Concat(b.fixed, b.spread, b.left))...)[typ] {
		return true, nil
	}
	for _, k := range b.sources(typ) {
		e, ok, choices := b.meantOf(b.r, k)
		switch {
		case len(choices) > 1:
			return false, choices
		case ok:
			b.take(e.typ, e)
			return true, nil
		}
	}
	return false, nil
}

// take binds a thing, or the group that is meant with it.
func (b *binder) take(typ plan.Type, e thing) {
	if many := b.group(b.r, typ, e); len(many) > 1 && len(b.spread) == 0 {
		b.spread = many
		return
	}
	b.fixed = append(b.fixed, e)
}

// runs are the lists of resources that come out. Files that the tool does not take itself are
// what its inputs are made from.
func (b *binder) runs() [][]thing {
	spread, fixed := b.spread, slices.Concat(b.fixed, b.left)
	if len(b.spread) == 0 && len(b.fixed) == 0 && len(b.left) > 1 && !b.r.marked() {
		spread, fixed = b.left, nil
	}
	if len(spread) == 0 {
		return [][]thing{fixed}
	}
	var runs [][]thing
	for _, e := range spread {
		runs = append(runs, append([]thing{e}, fixed...))
	}
	return runs
}

// spoken finds the sound or video that the clause speaks of as there: "put that music on the
// video", "compose a tune and dub the video with it".
func (b *binder) spoken(typ plan.Type) (thing, bool) {
	if typ == plan.Audio && b.r.refs.pronoun && b.r.prev != nil {
		if made := fitting(b.r.prev.results, typ); len(made) == 1 {
			return made[0], true
		}
	}
	if typ != plan.Audio && typ != plan.Video || !b.r.refs.definite[typ] && !b.r.refs.plural && !b.r.refs.result {
		return thing{}, false
	}
	return b.latest(typ, func(e thing) bool { return len(b.r.files) == 0 || e.made })
}

// small finds the mask, the boxes or the like that the clause means: only something that was
// made or given as such.
func (b *binder) small(typ plan.Type) (thing, bool) {
	if typ.Media() && !typ.ImageMap() || b.r.marked() {
		return thing{}, false
	}
	e, ok := b.latest(typ, func(e thing) bool { return e.typ == typ })
	refs := b.r.refs
	pointing := refs.definite[typ] || refs.pronoun || refs.plural
	switch {
	case !ok:
		return thing{}, false
	case !e.made: // a picture came with the message, and boxes of an earlier one are not of it
		return e, e.given || refs.definite[typ] || len(b.unnamed(plan.Image)) == 0
	case len(b.r.files) > 0 && !refs.sequence && !pointing, b.r.prev != nil && e.clause != b.lastClause() && !pointing:
		return thing{}, false // the files of the clause are what it is about
	}
	return e, b.r.prev == nil || b.r.object == "" || strings.Contains(strings.ToLower(b.r.prev.object), strings.ToLower(b.r.object))
}

// lastClause is the clause that made or named something last.
func (s *scene) lastClause() int {
	if len(s.things) == 0 {
		return -1
	}
	return s.things[len(s.things)-1].clause
}

// sources are the kinds of media that the type can come from, the likeliest first.
func (ts *tools) sources(typ plan.Type) []plan.Type {
	types := []plan.Type{typ}
	if !typ.Media() || typ.ImageMap() {
		types = append(types, plan.Image)
	}
	for _, k := range []plan.Type{plan.Image, plan.Video, plan.Audio} {
		if !slices.Contains(types, k) && ts.closure(k)[typ] {
			types = append(types, k)
		}
	}
	return types
}

// meantOf finds what the clause means of one kind of media: what is pointed at first, then
// what was made of nothing, what the request named last, what came with it, and what the
// thread has. If several may be meant, they are returned instead.
func (s *scene) meantOf(r *reading, k plan.Type) (_ thing, ok bool, choices []thing) {
	refs := r.refs
	if e, ok := s.nth(refs.ordinal, k); ok {
		return e, true, nil
	}
	if refs.original {
		if i := slices.IndexFunc(s.things, func(e thing) bool { return e.typ.Fits(k) && !e.made }); i >= 0 {
			return s.things[i], true, nil
		}
	}
	if e, ok := s.latest(k, isMade); ok && !s.aboutObject(r) && (refs.result || refs.sequence || refs.pronoun && e.clause == s.lastMade()) {
		return e, true, nil
	}
	if r.clause.join == along && r.prev != nil && len(r.prev.results) > 0 && len(r.files) == 0 && r.prev.head.Returns == k && r.prev.head.takes(k) {
		return r.prev.results[len(r.prev.results)-1], true, nil // "make it grey, rotate it and write Hello on top"
	}
	for _, test := range []func(thing) bool{
		func(e thing) bool { return e.made && e.fresh },
		func(e thing) bool { return !e.made && e.clause >= 0 },
	} {
		if e, ok := s.latest(k, test); ok {
			return e, true, nil
		}
	}
	unnamed := s.unnamed(k)
	switch {
	case len(unnamed) == 1, len(unnamed) > 1 && refs.plural:
		return unnamed[0], true, nil
	case len(unnamed) > 1:
		return thing{}, false, unnamed
	}
	for _, e := range slices.Backward(s.things) {
		if !e.made && e.typ.Fits(k) {
			return e, true, nil // of the thread the latest, whatever kind of picture it is
		}
	}
	e, ok := s.latest(k, anything)
	return e, ok, nil
}

// aboutObject reports whether "it" is rather the thing that the clause before looked for
// ("find the bench and highlight it") than that clause's result.
func (s *scene) aboutObject(r *reading) bool {
	return r.refs.pronoun && !r.refs.result && r.prev != nil && r.prev.object != "" && r.prev.head.Returns != plan.Image
}

// lastMade is the clause that made something last.
func (s *scene) lastMade() int {
	for _, e := range slices.Backward(s.things) {
		if e.made {
			return e.clause
		}
	}
	return -1
}

// unnamed are those that came with the message and that it does not name: of pictures just
// those on which something is marked, if there are any.
func (s *scene) unnamed(k plan.Type) []thing {
	fits := func(e thing) bool { return e.given && !e.made && e.typ.Fits(k) }
	var found []thing
	for _, set := range [][]thing{s.picturesOf(s.marks), s.things} {
		for _, e := range set {
			if fits(e) {
				found = append(found, e)
			}
		}
		if len(found) > 0 {
			break
		}
	}
	return found
}

// nth is the one that an ordinal means among those that the request names or that came with
// it, else among those of the thread.
func (s *scene) nth(n int, k plan.Type) (thing, bool) {
	var here, before []thing
	for _, r := range s.request.Resources() {
		i := slices.IndexFunc(s.things, func(e thing) bool { return e.source.Name == r.Name && e.typ.Fits(k) })
		switch {
		case i < 0:
		case s.things[i].given || s.things[i].clause >= 0:
			here = append(here, s.things[i])
		default:
			before = append(before, s.things[i])
		}
	}
	if len(here) < 2 {
		here = before
	}
	if n < 0 {
		n += len(here) + 1
	}
	if n < 1 || n > len(here) {
		return thing{}, false
	}
	return here[n-1], true
}

// several finds what an argument that takes many is given.
func (s *scene) several(r *reading, typ plan.Type, files []thing) []thing {
	if fits := fitting(files, typ); len(fits) >= 2 {
		return fits
	}
	if r.prev != nil {
		if fits := fitting(r.prev.results, typ); len(fits) >= 2 {
			return fits
		}
	}
	var made, named, given, earlier []thing
	for _, e := range fitting(s.things, typ) {
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
	sets := [][]thing{given, named, made}
	if r.refs.result {
		sets = [][]thing{made, given, named}
	}
	for _, set := range sets {
		if len(set) >= 2 && (len(files) == 0 || !r.refs.pronoun) {
			return set
		}
	}
	return slices.Concat(earlier, given, named, made) // "put it beside the original"
}

// group is what "them", "both" and "these pictures" mean where e is one of them.
func (s *scene) group(r *reading, typ plan.Type, e thing) []thing {
	if !r.refs.plural || len(r.files) > 0 {
		if e.made && r.prev != nil && len(r.prev.results) > 1 && (r.refs.sequence || r.refs.pronoun) {
			return fitting(r.prev.results, typ)
		}
		return nil
	}
	return slices.DeleteFunc(fitting(s.things, typ), func(o thing) bool {
		switch {
		case o.made || e.made:
			return !o.made || !e.made || o.clause != e.clause
		case o.given && e.given, o.clause >= 0 && e.clause >= 0:
			return false
		}
		return o.clause >= 0 || e.clause >= 0 || o.given != e.given
	})
}
