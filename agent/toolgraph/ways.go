package toolgraph

import "cmp"

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
