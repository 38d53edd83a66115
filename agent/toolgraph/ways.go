package toolgraph

import (
	"cmp"
	"slices"
)

// way is an argument of a tool in which a resource can stand, and the least further
// cost until a solution if it does.
type way struct {
	place
	cost cost
}

// ways lists what can be done with a resource that may stand for the type and uses
// the covered givens: the most promising first, and only what can lead to a solution.
func (b *bounds) ways(typ int32, cover uint64) []way {
	ways := make([]way, 0, len(b.uses[typ]))
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
			ways = append(ways, way{p, rest})
		}
	}
	slices.SortFunc(ways, func(x, y way) int {
		if x.cost != y.cost {
			return cmp.Compare(x.cost, y.cost)
		}
		return cmp.Or(cmp.Compare(x.tool, y.tool), cmp.Compare(x.arg, y.arg))
	})
	return ways
}
