package toolgraph

import (
	"cmp"
	"context"
	"slices"
)

// depthFirst is ControlLLM's Algorithm 1: starting from the givens, take a tool whose arguments are
// all available, add its result, and continue until the path has m tools. Each path whose last tool
// returns the goal is a solution as a sequence of tools. Algorithm 1 leaves the rest to
// post-processing; here it happens at once: inputs are assigned, which drops sequences with unused
// tools or givens, and the K best are kept, one per canonical form.
type depthFirst struct {
	*scope
	strategy Strategy
	byScore  []int32 // the candidates, best first
	there    []int32 // type → number of resources that fit it
	onPath   []bool
	path     []int32
	price    cost // of the tools in the path
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

// search is one call of Algorithm 1's function: it tries every extension of the path. It reports
// whether the search may continue.
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

// enough is the strategy's filter: it reports whether, after some tools were taken, tools with this
// or a lower score are skipped.
func (d *depthFirst) enough(taken int, score float64) bool {
	switch d.strategy {
	case Greedy:
		return taken == 1
	case Beam:
		return taken == beamWidth
	case Adaptive:
		return taken > 0 && score < adaptiveAtLeast
	case Exhaustive, BestFirst: // best-first is not a filter
	}
	return false
}

// take extends the path by the tool.
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

// count adds by resources of the type.
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

// record keeps the path if it is a solution and among the K best.
func (d *depthFirst) record() {
	if (len(d.best) < d.query.K || d.price < d.best[d.query.K-1].cost) && d.assign.assign(d.path) {
		d.best, _ = d.best.with(d.draft(num(len(d.leaves)+len(d.path)-1), d.assign.action))
		d.best = d.best[:min(len(d.best), d.query.K)]
	}
}
