package toolgraph

import (
	"slices"
)

// making is the action being built.
type making struct {
	tool, fixed, newest int32
	inputs              []int32
	parts               []int32 // the parts of the inputs, without duplicates
	in                  []bool  // item → whether it is in parts
}

// noArg is for an action whose only inputs are arguments for many.
const noArg int32 = -1

// tally sums up the inputs so far.
type tally struct {
	cover, marks uint64
	own, total   cost // of the action; of the parts
	steps        int
	some         bool  // whether there is an input
	weak         bool  // whether one of the tools is weak
	misfits      int32 // of the inputs
}

// combine makes every action of the tool that uses the item newest for the argument fixed, and
// items derived no later for the others. Arguments before fixed use only items derived earlier, so
// that each combination is made once. It reports whether the search may continue.
func (b *bestFirst) combine(tool, fixed, newest int32) bool {
	if b.visited == b.query.VisitCap {
		return false
	}
	b.visited++
	if b.tries++; b.tries > b.mayTry {
		return false
	}
	m := &b.making
	m.tool, m.fixed, m.newest = tool, fixed, newest
	m.inputs = slices.Grow(m.inputs[:0], len(b.argsOf(tool)))[:len(b.argsOf(tool))]
	s := tally{own: b.price[tool], weak: b.weak(tool)}
	if fixed == noArg {
		return b.fill(0, s)
	}
	return b.take(fixed, newest, s, 0)
}

// fill assigns inputs to the arguments from number next on.
func (b *bestFirst) fill(next int32, s tally) bool {
	m := &b.making
	args := b.argsOf(m.tool)
	if int(next) == len(args) {
		return b.act(s)
	}
	if next == m.fixed {
		return b.fill(next+1, s)
	}
	a := args[next]
	if a.optional {
		m.inputs[next] = blank
		if !b.fill(next+1, s) {
			return false
		}
	}
	if a.many {
		if len(b.many[a.typ]) == 0 {
			return true
		}
		s.cover |= b.takenBy(a)
		for _, leaf := range b.many[a.typ] {
			s.own += b.misfitting(b.leaves[leaf].typ, a.typ)
		}
		s.some = true
		m.inputs[next] = takeIn
		return b.fill(next+1, s)
	}
	if m.fixed == noArg {
		return true
	}
	latest := b.items[m.newest].rank
	for _, id := range b.ready[a.typ] {
		if r := b.items[id].rank; r > latest || r == latest && next < m.fixed {
			break // ready is sorted by rank
		}
		if !b.take(next, id, s, next+1) {
			return false
		}
	}
	return true
}

// take assigns the item to argument arg and continues with number next.
func (b *bestFirst) take(arg, id int32, s tally, next int32) bool {
	if b.tries++; b.tries > b.mayTry {
		return false
	}
	m := &b.making
	m.inputs[arg] = id
	before := len(m.parts)
	goOn := true
	if b.unite(arg, id, &s) && s.total+s.own+b.bounds.up[b.ret[m.tool]] < b.limit(s.weak) {
		goOn = b.fill(next, s)
	}
	for _, part := range m.parts[before:] {
		m.in[part] = false
	}
	m.parts = m.parts[:before]
	return goOn
}

// unite adds the item's parts that are not included yet. It reports whether there are not too many
// actions.
func (b *bestFirst) unite(arg, id int32, s *tally) bool {
	m := &b.making
	it := &b.items[id]
	s.some = true
	s.cover |= it.cover
	s.marks |= it.marks
	s.weak = s.weak || it.weak
	a := b.argsOf(m.tool)[arg]
	if it.typ != a.typ {
		s.misfits++
	}
	s.own += b.misfitting(it.typ, a.typ) + misplacing(b.means(id, it.typ), a.means)
	for _, id := range b.parts[it.parts : it.parts+it.count] {
		if m.in[id] {
			continue
		}
		part := &b.items[id]
		if part.tool != noTool {
			s.steps++
		}
		s.total += part.own
		m.in[id] = true
		m.parts = append(m.parts, id)
	}
	return s.steps < b.query.MaxActions
}

// act makes the item of the action if a solution can contain it.
func (b *bestFirst) act(s tally) bool {
	m := &b.making
	it := item{tool: m.tool, typ: b.ret[m.tool], cover: s.cover, own: s.own, total: s.total + s.own, steps: num(s.steps + 1), weak: s.weak, misfits: s.misfits}
	it.marks = s.marks | b.bounds.passes(it.typ)
	it.joins = b.joins(s.cover)
	if b.marked {
		taken := m.taken(b)
		if !b.together(m.tool, taken) {
			return true
		}
		it.places = b.result(m.tool, taken)
	}
	if !s.some || s.steps >= b.query.MaxActions || b.repeats(it.joins) ||
		it.total+b.bounds.rest(it.typ, it.cover, it.marks) >= b.limit(it.weak) {
		return true
	}
	if len(b.items) >= maxItems {
		return false
	}
	id := num(len(b.items))
	it.parts, it.count = num(len(b.parts)), num(len(m.parts)+1)
	b.parts = append(append(b.parts, m.parts...), id)
	it.in = num(len(b.inputs))
	b.inputs = append(b.inputs, m.inputs...)
	b.add(it)
	if it.typ == b.goal && it.cover == b.full {
		b.offer(b.draft(id, b.action), it.weak)
	}
	return true
}

// taken returns the inputs of the action being built.
func (m *making) taken(b *bestFirst) []input {
	inputs := make([]input, len(m.inputs))
	for i, id := range m.inputs {
		switch id {
		case blank:
		case takeIn:
			a := b.argsOf(m.tool)[i]
			inputs[i] = input{typ: a.typ, cover: b.takenBy(a)}
		default:
			inputs[i] = input{typ: b.items[id].typ, cover: b.items[id].cover, places: b.items[id].places}
			if int(id) < len(b.leaves) {
				inputs[i].leaf = &b.leaves[id]
			}
		}
	}
	return inputs
}

// repeats reports whether the tool is already used in the action's inputs, except for joins of
// joins.
func (b *bestFirst) repeats(joins bool) bool {
	return slices.ContainsFunc(b.making.parts, func(id int32) bool {
		if part := &b.items[id]; part.tool != noTool {
			return part.tool == b.making.tool && (!joins || !part.joins)
		}
		return slices.Contains(b.leaves[id].tools, b.making.tool)
	})
}

// joins reports whether the action uses more of the required givens than any single argument.
func (b *bestFirst) joins(cover uint64) bool {
	args := b.argsOf(b.making.tool)
	for i, input := range b.making.inputs {
		var used uint64
		switch input {
		case blank:
		case takeIn:
			used = b.takenBy(args[i])
		default:
			used = b.items[input].cover
		}
		if used == cover {
			return false
		}
	}
	return true
}

// takenBy returns the required givens that an argument for many takes.
func (b *bestFirst) takenBy(a argument) (cover uint64) {
	for _, leaf := range b.many[a.typ] {
		cover |= b.leaves[leaf].cover
	}
	return cover
}
