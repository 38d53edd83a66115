package toolgraph

import (
	"cmp"
	"context"
	"slices"
)

// depthFirst is ControlLLM's Algorithm 1: from what is given, take a tool whose
// arguments are all there, add what it returns, and go on from there, until the path
// has m tools. Each path whose last tool returns the goal is a solution as a sequence
// of tools. What Algorithm 1 leaves to post-processing is done as they come: the
// inputs are assigned, which drops the sequences that have no use for one of their
// tools or of the givens, and of the others the K best are kept, one per canonical form.
type depthFirst struct {
	*scope
	strategy Strategy
	byScore  []int32 // the candidates, best first
	there    []int32 // type → how many resources may stand for it
	onPath   []bool
	path     []int32
	price    cost // of the path's tools
	assign   assignment
	best     choice
	found    Found
}

func (s *scope) depthFirst(ctx context.Context, strategy Strategy) (Found, error) {
	d := &depthFirst{
		scope:    s,
		strategy: strategy,
		there:    make([]int32, len(s.types)),
		onPath:   make([]bool, len(s.tools)),
		assign:   assignment{scope: s},
	}
	for t, live := range s.live {
		if live {
			d.byScore = append(d.byScore, num(t))
		}
	}
	slices.SortStableFunc(d.byScore, func(a, b int32) int { return cmp.Compare(s.score[b], s.score[a]) })
	for _, l := range s.leaves {
		d.count(l.typ, 1)
	}
	d.search(ctx)
	if err := ctx.Err(); err != nil {
		return Found{}, err
	}
	for _, b := range d.best {
		d.found.Solutions = append(d.found.Solutions, b.solution)
	}
	return d.found, nil
}

// search is one call of Algorithm 1's function: every way on from the path. It tells
// whether the search may go on.
func (d *depthFirst) search(ctx context.Context) bool {
	if len(d.path) == d.query.MaxActions {
		return true
	}
	taken := 0
	for _, tool := range d.byScore {
		if d.onPath[tool] || !d.applicable(tool) {
			continue
		}
		if d.enough(taken, d.score[tool]) {
			break
		}
		taken++
		if !d.take(ctx, tool) {
			return false
		}
	}
	return true
}

// enough is the strategy's filter: whether, after so many tools, those of this score
// and less are left out.
func (d *depthFirst) enough(taken int, score float64) bool {
	switch d.strategy {
	case Greedy:
		return taken == 1
	case Beam:
		return taken == beamWidth
	case Adaptive:
		return taken > 0 && score < adaptiveAtLeast
	case Exhaustive, BestFirst: // best-first is no filter
	}
	return false
}

// take goes on over the tool.
func (d *depthFirst) take(ctx context.Context, tool int32) bool {
	if d.found.Visited == d.query.VisitCap {
		d.found.Capped = true
		return false
	}
	if d.found.Visited++; d.found.Visited%256 == 0 && ctx.Err() != nil {
		return false
	}
	d.path = append(d.path, tool)
	d.onPath[tool] = true
	d.price += d.scope.price[tool]
	d.count(d.ret[tool], 1)
	if d.ret[tool] == d.goal {
		d.record()
	}
	goOn := d.search(ctx)
	d.count(d.ret[tool], -1)
	d.price -= d.scope.price[tool]
	d.onPath[tool] = false
	d.path = d.path[:len(d.path)-1]
	return goOn
}

// count notes that one more resource of the type is there, or one less.
func (d *depthFirst) count(typ, by int32) {
	for _, want := range d.fits[typ] {
		d.there[want] += by
	}
}

// applicable reports whether all arguments of the tool have a source.
func (d *depthFirst) applicable(tool int32) bool {
	some := false
	for _, a := range d.argsOf(tool) {
		has := a.many && len(d.many[a.typ]) > 0 || !a.many && d.there[a.typ] > 0
		if !has && !a.optional {
			return false
		}
		some = some || has
	}
	return some
}

// record keeps the path if it is a solution, and among the K best.
func (d *depthFirst) record() {
	if (len(d.best) < d.query.K || d.price < d.best[d.query.K-1].cost) && d.assign.assign(d.path) {
		d.best, _ = d.best.with(d.draft(num(len(d.leaves)+len(d.path)-1), d.assign.action))
		d.best = d.best[:min(len(d.best), d.query.K)]
	}
}
