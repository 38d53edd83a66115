package toolgraph

import (
	"context"
	"slices"
)

// Bounds on what best-first holds and tries, for queries whose givens cannot all be
// joined: it then says that it was capped, after some tens of milliseconds.
const (
	maxItems = 1 << 15
	maxTries = 1 << 18
)

// What stands for an argument that no item fills.
const (
	blank  int32 = -1 // an optional argument that is left out
	takeIn int32 = -2 // an argument for many, which the givens fill
)

// item is a derivation of one resource: a leaf, or an action on other items. Items are
// made of each combination once, so that the same action on the same inputs is the
// same item wherever it is shared.
type item struct {
	tool  int32  // noTool for a leaf
	typ   int32  // what it derives
	in    int32  // its inputs in bestFirst.inputs, one for each argument of the tool
	parts int32  // where its parts stand in bestFirst.parts
	count int32  // how many parts: all items of its derivation that cost anything, itself included
	steps int32  // how many of these are actions
	joins bool   // does it use more of the required givens than any of its arguments
	rank  int32  // its place in the order in which items are derived, from 1
	cover uint64 // the required givens that it uses
	marks uint64 // the landmarks that it has passed
	own   cost   // of the item by itself
	places
	total cost // of its derivation, every part once
}

const noTool int32 = -1

// bestFirst enumerates derivations from the leaves up, always the one next that could
// be part of the cheapest solution (A*, with bounds that never exceed the truth).
// Every part of a solution is cheaper than the whole and is so derived before it;
// hence solutions come out in the order of their cost. It is lazy: of the tools that
// could take a derived item, each is tried only when its own bound is the least, and
// what cannot become cheaper than K solutions in sight is left out.
type bestFirst struct {
	*scope
	bounds *bounds
	items  []item
	inputs []int32
	parts  []int32
	ready  [][]int32 // type → derived items that may stand for it, in the order derived
	ways   map[stand][]way
	queue  heap[entry]
	ranks  int32 // how many items are derived
	making making
	marked bool // does some given go with another one
	best   best
	haste  cost // how much heavier than in truth what is still to be done weighs
	// What it has done so far: combinations of a tool with an item, of their inputs.
	visited, tries int
}

// stand is what a resource may stand for, and the givens that it uses.
type stand struct {
	cover uint64
	typ   int32
}

// entry is in the queue: an item that could be derived next, or, with a way, a derived
// item that could go that way next. estimate is the least cost of a solution with it.
type entry struct {
	estimate, total cost
	item            int32
	way             int32 // index in the ways of the type as, or noWay
	as              int32
}

const noWay int32 = -1

// before prefers, at the same estimate, what is closer to the goal, then what came first.
func (e entry) before(other entry) bool {
	if e.estimate != other.estimate {
		return e.estimate < other.estimate
	}
	if e.total != other.total {
		return e.total > other.total
	}
	return e.item < other.item
}

// bestFirst searches in the exact order and, where that leads to nothing within the
// bounds on what it may take, once more in haste.
func (s *scope) bestFirst(ctx context.Context) (Found, error) {
	bounds := s.bounds()
	found, err := s.bestFirstAt(ctx, bounds, 1)
	if err == nil && found.Capped && len(found.Solutions) == 0 && found.Visited < s.query.VisitCap {
		s.query.VisitCap -= found.Visited
		before := found.Visited
		found, err = s.bestFirstAt(ctx, bounds, hurry)
		found.Visited += before
		found.Capped = true
	}
	return found, err
}

// hurry is how much heavier what is still to be done weighs in haste: the search then
// makes for the goal and gives up the order.
const hurry = 4

func (s *scope) bestFirstAt(ctx context.Context, bounds *bounds, haste cost) (Found, error) {
	b := &bestFirst{scope: s, bounds: bounds, haste: haste, ready: make([][]int32, len(s.types)), ways: map[stand][]way{}, marked: s.pairs()}
	goOn := b.begin()
	for rounds := 0; goOn && len(b.queue) > 0; rounds++ {
		if rounds%64 == 0 && ctx.Err() != nil {
			break
		}
		e := b.queue.pop()
		if b.enough(e) {
			break
		}
		if e.way == noWay {
			b.derive(e.item)
		} else {
			goOn = b.follow(e)
		}
	}
	found := Found{Visited: b.visited, Capped: !goOn}
	for _, d := range b.best {
		found.Solutions = append(found.Solutions, d.solution)
	}
	if err := ctx.Err(); err != nil {
		return Found{}, err
	}
	return found, nil
}

// enough tells whether K solutions are there that e and all after it cannot better.
func (b *bestFirst) enough(e entry) bool {
	return e.estimate >= b.best.worst(b.query.K) || b.haste > 1 && len(b.best) == b.query.K
}

// estimate is where in the queue something stands that has cost total and will cost
// rest at least.
func (b *bestFirst) estimate(total, rest cost) cost { return total + b.haste*rest }

// action is the tool and the inputs of an item.
func (b *bestFirst) action(id int32) (tool int32, in []int32) {
	it := &b.items[id]
	return it.tool, b.inputs[it.in : it.in+b.first[it.tool+1]-b.first[it.tool]]
}

// begin queues the leaves, and the actions that take nothing but many givens. Like all
// that makes actions, it tells whether the search may go on.
func (b *bestFirst) begin() bool {
	for i, l := range b.leaves {
		it := item{tool: noTool, typ: l.typ, cover: l.cover, own: l.price, total: l.price, parts: num(len(b.parts)), places: l.placesOf()}
		if l.price > 0 {
			b.parts = append(b.parts, num(i))
			it.count = 1
		}
		b.add(it)
	}
	for typ, leaves := range b.many {
		if len(leaves) < 2 {
			continue
		}
		for _, p := range b.uses[typ] {
			if b.live[p.tool] && b.argument(p).many && !b.start(p) {
				return false
			}
		}
	}
	return true
}

// start makes the actions of a tool whose only inputs are arguments for many, once: at
// the first of them that can be filled.
func (b *bestFirst) start(p place) bool {
	fillable := func(a argument) bool { return a.many && len(b.many[a.typ]) >= 2 }
	first := slices.IndexFunc(b.argsOf(p.tool), fillable)
	return first != int(p.arg) || b.combine(p.tool, noArg, 0)
}

// add queues an item, unless it can be part of no solution that is wanted still.
func (b *bestFirst) add(it item) {
	rest := b.bounds.rest(it.typ, it.cover, it.marks)
	id := num(len(b.items))
	b.items = append(b.items, it)
	b.making.in = append(b.making.in, false)
	if it.total+rest < b.best.worst(b.query.K) {
		b.queue.push(entry{estimate: b.estimate(it.total, rest), total: it.total, item: id, way: noWay})
	}
}

// derive makes the item an input for others, on whatever ways there are for it.
func (b *bestFirst) derive(id int32) {
	it := &b.items[id]
	b.ranks++
	it.rank = b.ranks
	for _, want := range b.fits[it.typ] {
		b.ready[want] = append(b.ready[want], id)
		b.queueWay(entry{item: id, as: want})
	}
}

// queueWay queues the way of the entry, if there is one that is worth it.
func (b *bestFirst) queueWay(e entry) {
	it := &b.items[e.item]
	at := stand{it.cover, e.as}
	ways, ok := b.ways[at]
	if !ok {
		ways = b.bounds.ways(e.as, it.cover)
		b.ways[at] = ways
	}
	if int(e.way) == len(ways) {
		return
	}
	rest := max(ways[e.way].cost+b.misfitting(it.typ, e.as), b.bounds.ahead(it.marks))
	e.total, e.estimate = it.total, b.estimate(it.total, rest)
	if it.total+rest < b.best.worst(b.query.K) {
		b.queue.push(e)
	}
}

// follow makes the actions of the entry's way: its item with whatever was derived
// before it. It tells whether the search may go on.
func (b *bestFirst) follow(e entry) bool {
	it := &b.items[e.item]
	w := b.ways[stand{it.cover, e.as}][e.way]
	e.way++
	b.queueWay(e)
	return b.combine(w.tool, w.arg, e.item)
}
