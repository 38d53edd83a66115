package toolgraph

import "cmp"

// way is an argument of a tool in which a resource can stand, and the least further
// cost until a solution if it does.
type way struct {
	place
	cost cost
}

func (w way) before(other way) bool {
	return cmp.Or(cmp.Compare(w.cost, other.cost), cmp.Compare(w.tool, other.tool), cmp.Compare(w.arg, other.arg)) < 0
}

// ways are sorted as far as they are asked for.
type ways struct {
	sorted []way
	rest   heap[way]
}

// at is way number i, if there are so many.
func (w *ways) at(i int32) (way, bool) {
	for int(i) >= len(w.sorted) {
		if len(w.rest) == 0 {
			return way{}, false
		}
		w.sorted = append(w.sorted, w.rest.pop())
	}
	return w.sorted[i], true
}

// ways lists what can be done with a resource that may stand for the type and uses
// the covered givens: the most promising first, and only what can lead to a solution.
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
