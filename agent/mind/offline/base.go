package offline

import (
	"slices"
	"strings"

	"atelier/agent/plan"
)

// What a clause means without naming it: the one picture, video, sound or mask. Which
// several are meant is decided in groups.go.

// shown finds the picture, video or sound of which a text tool is to work on the words:
// "tags for this picture".
func (s *scene) shown(u *understood, refs references) (entity, bool) {
	if s.quoted(u) != "" || !needs(u.head, plan.Content) {
		return entity{}, false
	}
	for _, t := range []plan.Type{plan.Image, plan.Video, plan.Audio} {
		if !refs.definite[t] {
			continue
		}
		if e, ok, _ := s.baseOf(u, refs, t); ok {
			return e, true
		}
	}
	return entity{}, false
}

// pointed finds the sound or video that the clause speaks of as there: "put that music
// on the video", "put both together", "compose a tune and dub the video with it".
func (s *scene) pointed(u *understood, refs references, t plan.Type) (entity, bool) {
	if t == plan.Audio && refs.pronoun && s.prev != nil {
		if made := loose(s.prev.results, t); len(made) == 1 {
			return made[0], true
		}
	}
	if t != plan.Audio && t != plan.Video || !refs.definite[t] && !refs.plural && !refs.result {
		return entity{}, false
	}
	return s.latest(t, func(e entity) bool { return len(u.files) == 0 || e.made })
}

// refer finds the mask, the boxes or the like that the clause means without naming it:
// only something that was made or given as such.
func (s *scene) refer(u *understood, refs references, t plan.Type) (entity, bool) {
	if t.Media() && !t.ImageMap() || u.marked() {
		return entity{}, false
	}
	e, ok := s.latest(t, func(e entity) bool { return e.typ == t })
	switch {
	case !ok, e.made && !s.stillMeant(u, refs, e):
		return entity{}, false
	case !e.made && !e.given && !refs.definite[t] && len(s.unnamed(plan.Image)) > 0:
		return entity{}, false // a picture came with the message, and boxes of an earlier one are not of it
	}
	return e, true
}

// stillMeant tells whether the clause goes on with what an earlier one made.
func (s *scene) stillMeant(u *understood, refs references, e entity) bool {
	pointing := refs.definite[e.typ] || refs.pronoun
	switch {
	case len(u.files) > 0 && !refs.sequence && !pointing:
		return false // the files of the clause are what it is about
	case s.prev == nil:
		return true
	case e.clause != s.prevClause() && !pointing:
		return false
	}
	return u.object == "" || sameObject(u.object, s.prev.object) // not boxes of something else
}

// prevClause is the clause that made or named something last.
func (s *scene) prevClause() int {
	if len(s.entities) == 0 {
		return -1
	}
	return s.entities[len(s.entities)-1].clause
}

// sameObject tells whether one of two names of things may mean the other.
func sameObject(a, b string) bool {
	a, b = strings.ToLower(a), strings.ToLower(b)
	return strings.Contains(a, b) || strings.Contains(b, a)
}

// base finds the picture, video or sound that t, or what t is made from, comes from. If
// several may be meant, they are returned instead.
func (s *scene) base(u *understood, refs references, t plan.Type) (_ entity, ok bool, choices []entity) {
	for _, k := range s.sourceTypes(t) {
		if e, ok, choices := s.baseOf(u, refs, k); ok || len(choices) > 1 {
			return e, ok, choices
		}
	}
	return entity{}, false, nil
}

// sourceTypes are the kinds of media that t can come from, the likeliest first.
func (s *scene) sourceTypes(t plan.Type) []plan.Type {
	types := []plan.Type{t}
	if !t.Media() || t.ImageMap() {
		types = append(types, plan.Image)
	}
	for _, k := range []plan.Type{plan.Image, plan.Video, plan.Audio} {
		if !slices.Contains(types, k) && s.m.closure(k)[t] {
			types = append(types, k)
		}
	}
	return types
}

// baseOf is base for one kind of media. What is pointed at goes first, then what was
// made of nothing, what the wish named last, what came with it, and what the thread has.
func (s *scene) baseOf(u *understood, refs references, k plan.Type) (_ entity, ok bool, choices []entity) {
	if e, ok := s.nth(refs.ordinal, k); ok {
		return e, true, nil
	}
	if e, ok := s.original(k); ok && refs.first {
		return e, true, nil
	}
	if e, ok := s.meantResult(refs, k); ok {
		return e, true, nil
	}
	if s.goesOn(u, k) {
		return s.prev.results[len(s.prev.results)-1], true, nil
	}
	if e, ok := s.latest(k, func(e entity) bool { return e.made && e.fresh }); ok {
		return e, true, nil
	}
	if e, ok := s.latest(k, func(e entity) bool { return !e.made && e.clause >= 0 }); ok {
		return e, true, nil
	}
	unnamed := s.unnamed(k)
	switch {
	case len(unnamed) == 1, len(unnamed) > 1 && refs.plural:
		return unnamed[0], true, nil
	case len(unnamed) > 1:
		return entity{}, false, unnamed
	}
	for _, e := range slices.Backward(s.entities) {
		if !e.made && e.typ.Fits(k) {
			return e, true, nil // of the thread the latest, whatever kind of picture it is
		}
	}
	e, ok := s.latest(k, anyEntity)
	return e, ok, nil
}

// original is the first that was not made here.
func (s *scene) original(k plan.Type) (entity, bool) {
	i := slices.IndexFunc(s.entities, func(e entity) bool { return e.typ.Fits(k) && !e.made })
	if i < 0 {
		return entity{}, false
	}
	return s.entities[i], true
}

// meantResult is what was made last, if the clause means that: "the result", "and
// then", "it" where nothing was made since.
func (s *scene) meantResult(refs references, k plan.Type) (entity, bool) {
	e, ok := s.latest(k, func(e entity) bool { return e.made })
	if !ok || s.aboutObject(refs) {
		return entity{}, false
	}
	return e, refs.result || refs.sequence || refs.pronoun && e.clause == s.lastMade()
}

// unnamed are those that came with the message and that it does not name: of pictures
// just those on which something is marked, if there are any.
func (s *scene) unnamed(k plan.Type) []entity {
	var found []entity
	for _, e := range s.picturesOf(s.marks) {
		if e.given && e.typ.Fits(k) {
			found = append(found, e)
		}
	}
	if len(found) > 0 {
		return found
	}
	for _, e := range s.entities {
		if e.given && !e.made && e.typ.Fits(k) {
			found = append(found, e)
		}
	}
	return found
}

// nth is the picture that an ordinal means among those that the wish names or that came
// with it, else among those of the thread.
func (s *scene) nth(n int, k plan.Type) (entity, bool) {
	if n == 0 {
		return entity{}, false
	}
	var here, thread []entity
	for _, r := range s.request.Resources() {
		i := slices.IndexFunc(s.entities, func(e entity) bool { return e.source.Name == r.Name && e.typ.Fits(k) })
		switch {
		case i < 0:
		case s.entities[i].given || s.entities[i].clause >= 0:
			here = append(here, s.entities[i])
		default:
			thread = append(thread, s.entities[i])
		}
	}
	of := here
	if len(of) < 2 {
		of = thread
	}
	if n < 0 {
		n += len(of) + 1
	}
	if n < 1 || n > len(of) {
		return entity{}, false
	}
	return of[n-1], true
}

// goesOn tells whether the clause is one more change in a row: "make it grey, rotate it
// and write Hello on top" changes what was changed before.
func (s *scene) goesOn(u *understood, k plan.Type) bool {
	if u.clause.join != along || s.prev == nil || len(s.prev.results) == 0 || len(u.files) > 0 {
		return false
	}
	edited := s.prev.head.Returns == k && takesType(s.prev.head, k)
	return edited || s.prev.head.Returns == k && u.head.Returns == k && s.prev.head.Domain == u.head.Domain
}

// lastMade is the clause that made something last.
func (s *scene) lastMade() int {
	for _, e := range slices.Backward(s.entities) {
		if e.made {
			return e.clause
		}
	}
	return -1
}

// aboutObject tells whether "it" is rather the thing that the clause before looked for
// ("find the bench and highlight it") than that clause's result.
func (s *scene) aboutObject(refs references) bool {
	return refs.pronoun && !refs.result && s.prev != nil && s.prev.object != "" && s.prev.head.Returns != plan.Image
}
