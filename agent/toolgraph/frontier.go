package toolgraph

import (
	"math"
	"slices"
)

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

// ordered is an element of a heap.
type ordered[T any] interface{ before(other T) bool }

var (
	_ ordered[entry]   = entry{}
	_ ordered[reached] = reached{}
	_ ordered[way]     = way{}
)

// heap is a priority queue with the lowest element first. (container/heap would box every entry.)
type heap[T ordered[T]] []T

func (h *heap[T]) push(v T) {
	*h = append(*h, v)
	q := *h
	i := len(q) - 1
	for i > 0 {
		up := (i - 1) / 2
		if !v.before(q[up]) {
			break
		}
		q[i] = q[up]
		i = up
	}
	q[i] = v
}

func (h *heap[T]) pop() T {
	q := *h
	top, v := q[0], q[len(q)-1]
	q = q[:len(q)-1]
	*h = q
	if len(q) == 0 {
		return top
	}
	i := 0
	for {
		child := 2*i + 1
		if child >= len(q) {
			break
		}
		if child+1 < len(q) && q[child+1].before(q[child]) {
			child++
		}
		if !q[child].before(v) {
			break
		}
		q[i] = q[child]
		i = child
	}
	q[i] = v
	return top
}

// cost is a fixed-point number, so that sums are exact and do not depend on their order.
type cost = int64

const (
	unit     cost = 1 << 20   // the cost of an action with score 5
	extra    cost = unit / 16 // the cost of something optional, or that runs anyway
	misfit   cost = unit      // the cost of a special picture where any picture will do
	infinite cost = math.MaxInt64 / 4

	unscored = 3 // the score of every tool if no scores are given
)

// costOf returns the cost of an action with that score, clamped to 1–5.
func costOf(score float64) cost {
	return cost(math.Round(float64(unit) * math.Exp2(5-inRange(score))))
}

// inRange clamps a score to 1–5; NaN becomes 1.
func inRange(score float64) float64 {
	if !(score > 1) {
		return 1
	}
	return min(score, 5)
}

// scoreOf returns the score that corresponds to the mean cost of some actions.
func scoreOf(total cost, actions int) float64 {
	mean := float64(total) / float64(unit) / float64(actions)
	return inRange(5 - math.Log2(mean))
}
