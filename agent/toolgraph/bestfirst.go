package toolgraph

import (
	"context"
	"slices"
)

// Limits of best-first, for queries whose givens cannot all be joined: it then reports that it was
// capped, after some tens of milliseconds. The search for alternatives to the best solution stops
// after maxMore tries; the search for a solution that ends with a likely tool stops after
// maxLikely, and all of these together start from at most maxEdges arguments.
const (
	maxItems  = 1 << 15
	maxTries  = 1 << 18
	maxMore   = 1 << 8
	maxLikely = 1 << 12
	maxEdges  = 10_000
)

// Inputs of arguments that no item fills.
const (
	blank  int32 = -1 // an optional argument that is left out
	takeIn int32 = -2 // an argument for many, filled by the givens
)

// item is a derivation of one resource: a leaf, or an action on other items. Each combination is
// made once, so that the same action on the same inputs is the same item wherever it is shared.
type item struct {
	tool  int32 // noTool for a leaf
	typ   int32 // the type that it derives
	in    int32 // start of its inputs in bestFirst.inputs, one for each argument of the tool
	parts int32 // start of its parts in bestFirst.parts
	count int32 // number of parts: all items of its derivation that cost anything, including itself
	steps int32 // number of parts that are actions
	joins bool  // whether it uses more of the required givens than any of its arguments
	weak  bool  // whether one of its tools is weak
	// misfits counts the special pictures used where any picture will do.
	misfits int32
	rank    int32  // its position in the order of derivation, from 1
	cover   uint64 // the required givens it uses
	marks   uint64 // the landmarks it has passed
	own     cost   // of the item itself
	places
	total cost // of its derivation, counting every part once
}

const noTool int32 = -1

// bestFirst enumerates derivations bottom-up from the leaves, always continuing with the one that
// could be part of the cheapest solution (A* with admissible bounds). Every part of a solution is
// cheaper than the whole and so is derived before it; hence solutions are found in the order of
// their cost. It is lazy: a derived item is combined with a tool only when that tool has the lowest
// bound, and anything that cannot get one of the K places is skipped.
//
// Once the best solution is known, only alternatives are derived: with good tools only, and nothing
// that was already derived with a subset of the same tools.
type bestFirst struct {
	*scope
	bounds  *bounds
	items   []item
	inputs  []int32
	parts   []int32
	ready   [][]int32 // type → derived items that fit it, in the order of derivation
	ways    map[stand]*ways
	queue   heap[entry]
	ranks   int32 // number of derived items
	making  making
	marked  bool // whether some given goes with another one
	best    choice
	bar     cost     // the cost below which a solution gets a place
	likely  []string // see scope.likely
	known   bool     // whether the best solution is known
	derived map[node][]derivation
	haste   cost // the weight of the estimated remaining cost; 1 is exact
	// Work done so far: combinations of a tool with an item, and of their inputs; and the limit of
	// the latter.
	visited, tries, mayTry int
}

// derivation is how something was derived: the sorted tools, and the number of misfits.
type derivation struct {
	tools   []int32
	misfits int32
}

// node is what interchangeable derivations have in common.
type node struct {
	stand
	places
}

// stand is the type that a resource is used as, and the givens it uses.
type stand struct {
	cover uint64
	typ   int32
}

// entry is an entry of the queue: an item to derive next, or, with a way, a derived item to use
// that way next. estimate is the lower bound of the cost of a solution with it.
type entry struct {
	estimate, total cost
	item            int32
	way             int32 // index in the ways of the type as, or noWay
	as              int32
}

const noWay int32 = -1

// before prefers, at equal estimates, the entry closer to the goal, then the older one.
func (e entry) before(other entry) bool {
	if e.estimate != other.estimate {
		return e.estimate < other.estimate
	}
	if e.total != other.total {
		return e.total > other.total
	}
	return e.item < other.item
}

// bestFirst searches in the exact order and, if that finds nothing within the limits, once more in
// haste. Then it looks for the best solution that ends with each likely tool that is in no solution
// yet.
func (s *scope) bestFirst(ctx context.Context) (Found, error) {
	bounds := s.bounds()
	b := s.bestFirstAt(ctx, bounds, 1, maxTries)
	found := Found{Visited: b.visited, Capped: !b.known}
	if found.Capped && len(b.best) == 0 && s.spend(b.visited) {
		b = s.bestFirstAt(ctx, bounds, hurry, maxTries)
		found.Visited += b.visited
	}
	all, likely := b.best, b.likely
	_, missing, _ := all.places(likely, s.query.K)
	for i, name := range missing {
		if _, still, _ := all.places(likely, s.query.K); !slices.Contains(still, name) {
			continue
		}
		if !s.spend(b.visited) || (i+1)*len(s.args) > maxEdges {
			break
		}
		tool, _ := s.find(name)
		end := s.endingIn(num(tool))
		b = end.bestFirstAt(ctx, end.bounds(), 1, maxLikely)
		found.Visited += b.visited
		if len(b.best) > 0 && !slices.ContainsFunc(all, b.best[0].alike) {
			all = append(all, b.best[0])
		}
	}
	if err := ctx.Err(); err != nil {
		return Found{}, err
	}
	slices.SortFunc(all, draft.compare)
	taken, _, _ := all.places(likely, s.query.K)
	for _, d := range taken {
		found.Solutions = append(found.Solutions, d.solution)
	}
	return found, nil
}

// spend subtracts visits from the query's limit, and reports whether any are left.
func (s *scope) spend(visited int) bool {
	s.query.VisitCap -= visited
	return s.query.VisitCap > 0
}

// endingIn returns the query for the best solution whose last action uses the tool.
func (s *scope) endingIn(tool int32) *scope {
	graph, end := *s.Graph, *s
	goal := num(len(graph.types))
	graph.types = append(slices.Clip(graph.types), s.types[s.goal])
	graph.ret = slices.Clone(graph.ret)
	graph.ret[tool] = goal
	graph.makers = append(slices.Clip(graph.makers), []int32{tool})
	graph.makers[s.goal] = slices.DeleteFunc(slices.Clone(s.makers[s.goal]), func(t int32) bool { return t == tool })
	graph.uses = append(slices.Clip(graph.uses), nil)
	graph.fits = append(slices.Clip(graph.fits), []int32{goal})
	graph.fitted = append(slices.Clip(graph.fitted), []int32{goal})
	end.Graph, end.goal = &graph, goal
	end.many = append(slices.Clip(end.many), nil)
	end.query.K = 1
	return &end
}

// hurry is the weight of the remaining cost in haste: the search then heads for the goal and gives
// up the exact order.
const hurry = 4

func (s *scope) bestFirstAt(ctx context.Context, bounds *bounds, haste cost, mayTry int) *bestFirst {
	b := &bestFirst{
		scope: s, bounds: bounds, marked: s.pairs(), likely: s.likely(),
		ready: make([][]int32, len(s.types)), ways: map[stand]*ways{}, derived: map[node][]derivation{},
		bar: infinite, haste: haste, mayTry: mayTry,
	}
	goOn := b.begin()
	for rounds := 0; goOn && len(b.queue) > 0; rounds++ {
		if rounds%64 == 0 && ctx.Err() != nil {
			break
		}
		e := b.queue.pop()
		if e.estimate >= b.best.first() || b.haste > 1 && len(b.best) > 0 {
			b.know()
		}
		if b.haste == 1 && e.estimate >= b.bar {
			break
		}
		switch {
		case !b.wanted(e):
		case e.way == noWay:
			b.derive(e.item)
		default:
			goOn = b.follow(e)
		}
	}
	if goOn {
		b.know()
	}
	return b
}

// know records that the best solution is known.
func (b *bestFirst) know() {
	if !b.known {
		b.known = true
		b.mayTry = min(b.mayTry, b.tries+maxMore)
	}
}

// limit returns the cost below which a solution is kept.
func (b *bestFirst) limit(weak bool) cost {
	if weak {
		return b.best.first()
	}
	return b.bar
}

// wanted reports whether the entry can still lead to a solution that is kept.
func (b *bestFirst) wanted(e entry) bool {
	return !b.known || !b.items[e.item].weak
}

// offer adds a solution. One with a weak tool is kept only as the best.
func (b *bestFirst) offer(d draft, weak bool) {
	d.weak = weak
	if weak && d.cost >= b.best.first() {
		return
	}
	var added bool
	if b.best, added = b.best.with(d); !added {
		return
	}
	b.best = append(b.best[:1], slices.DeleteFunc(b.best[1:], func(o draft) bool { return o.weak })...)
	b.bar = infinite
	if len(b.best) < b.query.K {
		return
	}
	if taken, _, settled := b.best.places(b.likely, b.query.K); settled {
		b.bar = taken[len(taken)-1].cost
	}
}

// estimate returns the queue priority of something that has cost total so far and will cost at
// least rest more.
func (b *bestFirst) estimate(total, rest cost) cost { return total + b.haste*rest }

// action returns the tool and the inputs of an item.
func (b *bestFirst) action(id int32) (tool int32, in []int32) {
	it := &b.items[id]
	return it.tool, b.inputs[it.in : it.in+b.first[it.tool+1]-b.first[it.tool]]
}

// begin queues the leaves, and the actions that only use arguments for many. Like all methods that
// make actions, it reports whether the search may continue.
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
		if len(leaves) == 0 {
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

// start makes the actions of a tool whose only inputs are arguments for many, once: for the first
// of them that can be filled.
func (b *bestFirst) start(p place) bool {
	fillable := func(a argument) bool { return a.many && len(b.many[a.typ]) > 0 }
	first := slices.IndexFunc(b.argsOf(p.tool), fillable)
	return first != int(p.arg) || b.combine(p.tool, noArg, 0)
}

// add queues an item, unless no wanted solution can contain it.
func (b *bestFirst) add(it item) {
	rest := b.bounds.rest(it.typ, it.cover, it.marks)
	id := num(len(b.items))
	b.items = append(b.items, it)
	b.making.in = append(b.making.in, false)
	if it.total+rest < b.limit(it.weak) {
		b.queue.push(entry{estimate: b.estimate(it.total, rest), total: it.total, item: id, way: noWay})
	}
}

// derive makes the item an input for others, in every possible way. Solutions are not extended,
// since that would only add steps. Once the best solution is known, nothing is derived again that
// was derived with fewer tools.
func (b *bestFirst) derive(id int32) {
	it := &b.items[id]
	if it.tool != noTool && it.typ == b.goal && it.cover == b.full || b.again(id) {
		return
	}
	b.ranks++
	it.rank = b.ranks
	for _, want := range b.fits[it.typ] {
		b.ready[want] = append(b.ready[want], id)
		b.queueWay(entry{item: id, as: want})
	}
}

// again reports whether something equivalent to the item was derived already, with a subset of its
// tools.
func (b *bestFirst) again(id int32) bool {
	it := &b.items[id]
	var d derivation
	for _, part := range b.parts[it.parts : it.parts+it.count] {
		if t := b.items[part].tool; t != noTool {
			d.tools = append(d.tools, t)
			d.misfits += b.items[part].misfits
		} else {
			d.tools = append(d.tools, b.leaves[part].tools...)
		}
	}
	slices.Sort(d.tools)
	d.tools = slices.Compact(d.tools)
	at := node{stand{it.cover, it.typ}, it.places}
	if b.known && slices.ContainsFunc(b.derived[at], func(before derivation) bool {
		return before.misfits <= d.misfits && contains(d.tools, before.tools)
	}) {
		return true
	}
	b.derived[at] = append(b.derived[at], d)
	return false
}

// queueWay queues the way of the entry, or the next one, if it is worth it.
func (b *bestFirst) queueWay(e entry) {
	it := &b.items[e.item]
	at := stand{it.cover, e.as}
	all, ok := b.ways[at]
	if !ok {
		all = b.bounds.ways(e.as, it.cover)
		b.ways[at] = all
	}
	w, ok := all.at(e.way)
	for ok && b.known && b.weak(w.tool) {
		e.way++
		w, ok = all.at(e.way)
	}
	if !ok {
		return
	}
	rest := max(w.cost+b.misfitting(it.typ, e.as), b.bounds.ahead(it.marks))
	e.total, e.estimate = it.total, b.estimate(it.total, rest)
	if it.total+rest < b.limit(it.weak) {
		b.queue.push(e)
	}
}

// follow makes the actions of the entry's way: its item with everything derived before it. It
// reports whether the search may continue.
func (b *bestFirst) follow(e entry) bool {
	w, _ := b.ways[stand{b.items[e.item].cover, e.as}].at(e.way)
	e.way++
	b.queueWay(e)
	return b.known && b.weak(w.tool) || b.combine(w.tool, w.arg, e.item)
}
