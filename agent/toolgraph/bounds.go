package toolgraph

import (
	"math/bits"
	"slices"
)

// bounds tell how much a partial derivation must cost more, at least, until it is a
// solution. They never exceed the truth, also where actions are shared, which is what
// makes best-first exact. Two bounds are taken together, the higher one counting: the
// way up to the goal, on which the givens still missing must join (groups), and what
// has to be made on every way (landmarks).
type bounds struct {
	*scope
	// up is the cost of the cheapest way from a resource of the type to the goal.
	up        []cost
	groups    []group
	landmarks []landmark
}

// group is a few required givens, for which every set has bounds of its own: those of
// a cheapest tree that joins the set (Dreyfus and Wagner's), as tools are joints.
//
// What brings a set of givens together is no part of a derivation that was made
// without them, since every action on their ways uses one of them; nor is it part of
// what brings together another set that is disjoint. So these costs add up, even
// where everything else is shared.
type group struct {
	shift, size int
	// inside is, for each set of the group's givens and each type, the least cost of
	// the actions on the ways of these givens to one resource that may stand for the
	// type.
	inside [][]cost
	// rest is, for each set that a resource uses, and its type, the cost of the
	// cheapest way from it to the goal on which the other givens join.
	rest [][]cost
}

// groupSize is the most givens of a group: the bounds take time in the order of 4^size.
const groupSize = 4

// sets holds a cost for each set of a group's givens.
type sets [1 << groupSize]cost

func (s *scope) bounds() *bounds {
	b := &bounds{scope: s}
	b.up = b.toGoal([]reached{{0, s.goal}})
	given := bits.Len64(s.full)
	for shift := 0; shift < given; shift += groupSize {
		b.groups = append(b.groups, b.group(shift, min(groupSize, given-shift)))
	}
	b.landmarks = s.findLandmarks()
	return b
}

// group finds the bounds of some givens.
func (b *bounds) group(shift, size int) group {
	g := group{shift, size, make([][]cost, 1<<size), make([][]cost, 1<<size)}
	all := 1<<size - 1
	for set := 1; set <= all; set++ { // after all its subsets
		g.inside[set] = b.together(&g, set)
	}
	g.rest[all] = b.up
	for used := all - 1; used >= 0; used-- { // after all sets with more in them
		g.rest[used] = b.toGoal(b.joints(&g, used))
	}
	return g
}

// used are the covered givens of the group.
func (g *group) used(cover uint64) int {
	return int(cover>>g.shift) & (len(g.rest) - 1) //nolint:gosec // only the lowest bits are kept
}

// together is, for every type, the least cost of bringing a set of givens together in
// what may stand for it.
func (b *bounds) together(g *group, set int) []cost {
	f := newFrontier(len(b.types))
	for _, l := range b.leaves {
		if g.used(l.cover)&set == set {
			f.offer(l.typ, 0)
		}
	}
	for t, live := range b.live {
		if tool := num(t); live && b.brings(tool, set) {
			f.offer(b.ret[tool], b.price[tool]+b.join(g, b.argsOf(tool), -1, set)[set])
		}
	}
	inside := slices.Repeat([]cost{infinite}, len(b.types))
	for r, ok := f.next(); ok; r, ok = f.next() {
		for _, want := range b.fits[r.typ] {
			if inside[want] < infinite {
				continue
			}
			inside[want] = r.cost
			for _, p := range b.uses[want] {
				if b.live[p.tool] && !b.argument(p).many {
					f.offer(b.ret[p.tool], r.cost+b.price[p.tool])
				}
			}
		}
	}
	return inside
}

// brings reports whether the tool can bring the set together by itself: several givens by
// as many arguments, or by one that takes many.
func (b *bounds) brings(tool int32, set int) bool {
	args := b.argsOf(tool)
	return set&(set-1) != 0 && len(args) > 1 || slices.ContainsFunc(args, func(a argument) bool { return a.many })
}

// join is, for every subset of the set, the least cost of bringing it into the
// arguments other than number except, each taking a part of it.
func (b *bounds) join(g *group, args []argument, except, set int) (least sets) {
	for s := set; s > 0; s = (s - 1) & set {
		least[s] = infinite
	}
	for i, a := range args {
		if i == except {
			continue
		}
		for s := set; s > 0; s = (s - 1) & set { // the larger first: each argument takes one part
			for part := s; part > 0; part = (part - 1) & s {
				if others := least[s&^part]; others < least[s] {
					least[s] = min(least[s], others+b.bring(g, a, part))
				}
			}
		}
	}
	return least
}

// bring is the least cost of bringing a set of givens into an argument.
func (b *bounds) bring(g *group, a argument, set int) cost {
	if !a.many {
		if g.inside[set] == nil {
			return infinite // being found
		}
		return g.inside[set][a.typ]
	}
	if len(b.many[a.typ]) == 0 {
		return infinite
	}
	for _, leaf := range b.many[a.typ] {
		set &^= g.used(b.leaves[leaf].cover)
	}
	if set != 0 {
		return infinite
	}
	return 0
}

// joints are the types that can stand in one argument of a tool while other givens of
// the group come in by the others, with the cost from there to the goal.
func (b *bounds) joints(g *group, used int) []reached {
	least := slices.Repeat([]cost{infinite}, len(b.types)) // by type of argument
	for t, live := range b.live {
		tool := num(t)
		if !live || b.up[b.ret[tool]] == infinite || len(b.argsOf(tool)) == 1 {
			continue // one argument joins nothing
		}
		for i, a := range b.argsOf(tool) {
			if !a.many {
				least[a.typ] = min(least[a.typ], b.through(g, used, place{tool, num(i)}))
			}
		}
	}
	var ends []reached
	for want, c := range least {
		if c == infinite {
			continue
		}
		for _, typ := range b.fitted[want] {
			ends = append(ends, reached{c, typ})
		}
	}
	return ends
}

// through is the least cost until the goal of what stands in an argument of a tool and
// uses those givens of the group, whatever of the others joins it there. While the
// bound for used itself is being found, something must.
func (b *bounds) through(g *group, used int, p place) cost {
	ret := b.ret[p.tool]
	least := infinite
	if g.rest[used] != nil {
		least = g.rest[used][ret]
	}
	if missing := (len(g.rest) - 1) &^ used; missing != 0 {
		join := b.join(g, b.argsOf(p.tool), int(p.arg), missing)
		for set := missing; set > 0; set = (set - 1) & missing {
			least = min(least, join[set]+g.rest[used|set][ret])
		}
	}
	return min(infinite, least+b.price[p.tool])
}

// rest is the least further cost of a derivation of a resource of the type that uses
// the covered givens and has passed those landmarks, infinite if it can be part of no
// solution.
func (b *bounds) rest(typ int32, cover, passed uint64) cost {
	most := max(b.up[typ], b.ahead(passed))
	for i := range b.groups {
		g := &b.groups[i]
		most = max(most, g.rest[g.used(cover)][typ])
	}
	return most
}
