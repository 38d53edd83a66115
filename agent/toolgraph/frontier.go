package toolgraph

import "slices"

// reached is a type with the cost of reaching it.
type reached struct {
	cost cost
	typ  int32
}

func (r reached) before(other reached) bool { return r.cost < other.cost }

// frontier is the frontier of Dijkstra's algorithm: types in order of their cost.
type frontier struct {
	least []cost
	queue heap[reached]
}

func newFrontier(types int) *frontier {
	return &frontier{least: slices.Repeat([]cost{infinite}, types)}
}

func (f *frontier) offer(typ int32, c cost) {
	if c < f.least[typ] {
		f.least[typ] = c
		f.queue.push(reached{c, typ})
	}
}

// next returns the cheapest unsettled type.
func (f *frontier) next() (reached, bool) {
	for len(f.queue) > 0 {
		if r := f.queue.pop(); r.cost == f.least[r.typ] {
			return r, true
		}
	}
	return reached{}, false
}

// toGoal returns, for every type, the cost of the cheapest way up to one of the ends.
func (b *bounds) toGoal(ends []reached) []cost {
	f := newFrontier(len(b.types))
	for _, e := range ends {
		f.offer(e.typ, e.cost)
	}
	for r, ok := f.next(); ok; r, ok = f.next() {
		for _, tool := range b.makers[r.typ] {
			if !b.live[tool] {
				continue
			}
			for _, a := range b.argsOf(tool) {
				if a.many {
					continue
				}
				for _, t := range b.fitted[a.typ] {
					f.offer(t, r.cost+b.price[tool])
				}
			}
		}
	}
	return f.least
}
