package toolgraph

import (
	"cmp"
	"math/bits"
	"slices"
)

// bounds are lower bounds on the remaining cost of a partial derivation until it is a solution.
// They never exceed the true cost, even if actions are shared, which makes best-first exact. The
// higher of two bounds counts: the way up to the goal, on which the missing givens must join
// (groups), and the types that every solution must make (landmarks).
type bounds struct {
	*scope
	// up is the cost of the cheapest way from each type to the goal.
	up        []cost
	groups    []group
	landmarks []landmark
}

// group is a small set of required givens. Each of its subsets has bounds of its own: the cost of a
// cheapest tree that joins the subset (Dreyfus and Wagner), where tools are the joints.
//
// The actions that join a set of givens are not part of a derivation made without these givens,
// since each of them uses one of the givens; nor do they join a disjoint set. So these costs add up,
// even if everything else is shared.
type group struct {
	shift, size int
	// inside is, for each subset and each type, the minimum cost of the actions that join the
	// subset in one resource that fits the type.
	inside [][]cost
	// rest is, for each subset used by a resource, and its type, the cost of the cheapest way from
	// it to the goal on which the other givens join.
	rest [][]cost
}

// groupSize is the maximum number of givens per group: computing the bounds takes O(4^size).
const groupSize = 4

// sets holds a cost for each subset of a group's givens.
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

// group computes the bounds of some givens.
func (b *bounds) group(shift, size int) group {
	g := group{shift, size, make([][]cost, 1<<size), make([][]cost, 1<<size)}
	all := 1<<size - 1
	for set := 1; set <= all; set++ { // subsets come first
		g.inside[set] = b.together(&g, set)
	}
	g.rest[all] = b.up
	for used := all - 1; used >= 0; used-- { // supersets come first
		g.rest[used] = b.toGoal(b.joints(&g, used))
	}
	return g
}

// used returns the covered givens of the group.
func (g *group) used(cover uint64) int {
	return int(cover>>g.shift) & (len(g.rest) - 1) //nolint:gosec // only the lowest bits remain
}

// together returns, for every type, the minimum cost of joining a set of givens in a resource that
// fits it.
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

// brings reports whether the tool can join the set by itself: several givens in several arguments,
// or in one that takes many.
func (b *bounds) brings(tool int32, set int) bool {
	args := b.argsOf(tool)
	return set&(set-1) != 0 && len(args) > 1 || slices.ContainsFunc(args, func(a argument) bool { return a.many })
}

// join returns, for every subset of the set, the minimum cost of passing it to the arguments other
// than except, each taking a part of it.
func (b *bounds) join(g *group, args []argument, except, set int) (least sets) {
	for s := set; s > 0; s = (s - 1) & set {
		least[s] = infinite
	}
	for i, a := range args {
		if i == except {
			continue
		}
		for s := set; s > 0; s = (s - 1) & set { // larger ones first: each argument takes one part
			for part := s; part > 0; part = (part - 1) & s {
				if others := least[s&^part]; others < least[s] {
					least[s] = min(least[s], others+b.bring(g, a, part))
				}
			}
		}
	}
	return least
}

// bring returns the minimum cost of passing a set of givens to an argument.
func (b *bounds) bring(g *group, a argument, set int) cost {
	if !a.many {
		if g.inside[set] == nil {
			return infinite // being computed
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

// joints returns the types that fit one argument of a tool while other givens of the group come in
// through its other arguments, with the cost from there to the goal.
func (b *bounds) joints(g *group, used int) []reached {
	least := slices.Repeat([]cost{infinite}, len(b.types)) // by type of argument
	for t, live := range b.live {
		tool := num(t)
		if !live || b.up[b.ret[tool]] == infinite || len(b.argsOf(tool)) == 1 {
			continue // a single argument joins nothing
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

// through returns the minimum cost from an argument of a tool to the goal, for a resource that uses
// those givens of the group, whichever of the others join it there. While the bound for used itself
// is being computed, at least one must.
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

// rest returns the lower bound of the further cost of a derivation of the type that uses the
// covered givens and has passed those landmarks; infinite if no solution can contain it.
func (b *bounds) rest(typ int32, cover, passed uint64) cost {
	most := max(b.up[typ], b.ahead(passed))
	for i := range b.groups {
		g := &b.groups[i]
		most = max(most, g.rest[g.used(cover)][typ])
	}
	return most
}

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

// way is an argument of a tool that can take a resource, and the lower bound of the further cost
// until a solution.
type way struct {
	place
	cost cost
}

func (w way) before(other way) bool {
	return cmp.Or(cmp.Compare(w.cost, other.cost), cmp.Compare(w.tool, other.tool), cmp.Compare(w.arg, other.arg)) < 0
}

// ways are sorted lazily.
type ways struct {
	sorted []way
	rest   heap[way]
}

// at returns way number i, if it exists.
func (w *ways) at(i int32) (way, bool) {
	for int(i) >= len(w.sorted) {
		if len(w.rest) == 0 {
			return way{}, false
		}
		w.sorted = append(w.sorted, w.rest.pop())
	}
	return w.sorted[i], true
}

// ways returns the possible uses of a resource that fits the type and uses the covered givens: most
// promising first, and only those that can lead to a solution.
func (b *bounds) ways(typ int32, cover uint64) *ways {
	ways := &ways{rest: make(heap[way], 0, len(b.uses[typ]))}
	for _, p := range b.uses[typ] {
		if !b.live[p.tool] || b.argument(p).many {
			continue
		}
		rest := min(infinite, b.price[p.tool]+b.up[b.ret[p.tool]])
		for i := range b.groups {
			g := &b.groups[i]
			rest = max(rest, b.through(g, g.used(cover), p))
		}
		if rest < infinite {
			ways.rest.push(way{p, rest})
		}
	}
	return ways
}
