package offline

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"atelier/agent/plan"
	"atelier/agent/toolbox"
)

// The last station: a clause and the media that it is bound to become a subtask. What
// its texts say is taken out of the clause in args.go.

// add makes subtasks of the clause of number n, one for each choice of media; none where its
// words are not all accounted for.
func (s *scene) add(n int, u *understood, refs references, runs binding) {
	for i, media := range runs {
		if s.cutOut(n, u, media) {
			continue
		}
		sub := s.subtask(u, refs, media)
		beside := s.constraints(u, sub, media)
		if unknown := s.leftover(u, sub, beside...); i == 0 && len(unknown) > 0 {
			s.leave(u, unknown)
			return
		}
		for _, c := range beside {
			if c.first {
				media = s.putBefore(n, u, c, media)
			}
		}
		s.push(u, s.subtask(u, refs, media), s.result(n, u, sub, media))
		for _, c := range beside {
			if !c.first {
				s.putAfter(n, u, c)
			}
		}
	}
}

// putBefore puts a constraint on the file that the clause's own tool is given.
func (s *scene) putBefore(n int, u *understood, c constraint, media []entity) []entity {
	i := slices.IndexFunc(media, func(e entity) bool { return e.typ.Media() && takesType(c.tool, e.typ) })
	v, sub := c.subtask(u, media[i])
	s.push(&v, sub, s.result(n, &v, sub, media[i:i+1]))
	media = slices.Clone(media)
	media[i] = v.results[0]
	return media
}

// putAfter puts a constraint on what the clause made last.
func (s *scene) putAfter(n int, u *understood, c constraint) {
	last := len(u.results) - 1
	made := u.results[last]
	u.results = u.results[:last]
	v, sub := c.subtask(u, made)
	s.push(&v, sub, s.result(n, &v, sub, []entity{made}))
	u.results = append(u.results, v.results...)
}

// subtask is what the clause comes to for one choice of media.
func (s *scene) subtask(u *understood, refs references, media []entity) plan.Subtask {
	sub := plan.Subtask{Description: u.text, Returns: u.head.Returns}
	for _, e := range media {
		if e.typ != plan.Text { // texts are given by what they mean, below
			sub.Args = append(sub.Args, plan.Arg{Type: e.typ, Source: e.source})
		}
	}
	sub.Args = append(sub.Args, s.texts(u, refs, media)...)
	sub.Domains = s.m.domains(u.head, sub)
	if u.marked() {
		sub.Domains = s.m.withParts(sub.Domains)
	}
	sub.After = dependencies(sub.Args)
	return sub
}

// dependencies returns the indexes of the subtasks whose results the arguments take.
func dependencies(args []plan.Arg) []int {
	var indexes []int
	for _, a := range args {
		for _, leaf := range a.Source.Leaves() {
			if leaf.Kind == plan.OfSubtask {
				indexes = append(indexes, leaf.Index)
			}
		}
	}
	slices.Sort(indexes)
	return slices.Compact(indexes)
}

// result is what the subtask makes, as later clauses can speak of it.
func (s *scene) result(n int, u *understood, sub plan.Subtask, media []entity) entity {
	ofPicture := slices.ContainsFunc(media, func(e entity) bool { return e.typ == plan.Image || e.typ == plan.Video })
	fresh := !ofPicture || strings.HasSuffix(u.head.Domain, "-generation")
	result := entity{clause: n, fresh: fresh && sub.Returns.Media()}
	if i := slices.IndexFunc(media, func(e entity) bool { return e.typ == plan.Image }); i >= 0 && sub.Returns == plan.Image {
		result.root, result.moved = cmp.Or(media[i].root, media[i].source.Name), media[i].moved || s.m.moves(u.head)
		result.turned = result.moved && (!media[i].moved || media[i].turned) && (!s.m.moves(u.head) || s.turns(u))
	}
	return result
}

// push appends the subtask and enters its result among what can be spoken of.
func (s *scene) push(u *understood, sub plan.Subtask, result entity) {
	result.source, result.typ, result.made = plan.FromSubtask(len(s.subtasks)), sub.Returns, true
	s.subtasks = append(s.subtasks, sub)
	s.stuck = false
	s.entities = append(s.entities, result)
	u.results = append(u.results, result)
}

// domains are the domains of the head, of what may make its inputs, and of other ways to
// the same kind of result.
func (m *Mind) domains(head toolbox.Tool, sub plan.Subtask) []string {
	have := map[plan.Type]bool{}
	for _, a := range sub.Args {
		have[a.Type] = true
		if a.Type.ImageMap() {
			have[plan.Image] = true
		}
	}
	found := map[string]bool{head.Domain: true}
	m.addMakers(found, maps.Clone(have), head, 3)
	for _, i := range m.makers[sub.Returns] {
		tool := m.catalogue.Tools()[i]
		if slices.ContainsFunc(tool.Args, func(a toolbox.Arg) bool { return a.Type.Media() && have[a.Type] }) {
			found[tool.Domain] = true
		}
	}
	return slices.Sorted(maps.Keys(found))
}

// addMakers adds to found the domains of the tools that may make what the tool needs, in
// so many steps. Types that are there or were looked at are seen.
func (m *Mind) addMakers(found map[string]bool, seen map[plan.Type]bool, tool toolbox.Tool, steps int) {
	if steps == 0 {
		return
	}
	for _, a := range tool.Args {
		if a.Optional || seen[a.Type] {
			continue
		}
		seen[a.Type] = true
		for _, i := range m.makers[a.Type] {
			maker := m.catalogue.Tools()[i]
			found[maker.Domain] = true
			m.addMakers(found, seen, maker, steps-1)
		}
	}
}
