package toolgraph

import (
	"context"
	"fmt"
	"slices"
	"strings"
)

// Strategy is a search strategy.
type Strategy int

// The strategies. The last four are the filters of ControlLLM's depth-first search, which select
// the next tools among those whose arguments are all available.
const (
	// BestFirst takes the cheapest action that a solution could contain next.
	BestFirst Strategy = iota
	// Greedy takes the best tool.
	Greedy
	// Beam takes the five best tools.
	Beam
	// Adaptive takes every tool with a score of at least 3, else the best one.
	Adaptive
	// Exhaustive takes every tool.
	Exhaustive
)

const (
	beamWidth       = 5
	adaptiveAtLeast = 3
)

var strategyNames = []string{"best-first", "greedy", "beam", "adaptive", "exhaustive"}

func (s Strategy) String() string {
	if s < 0 || int(s) >= len(strategyNames) {
		return fmt.Sprintf("strategy %d", int(s))
	}
	return strategyNames[s]
}

// ParseStrategy returns the strategy with that name.
func ParseStrategy(name string) (Strategy, error) {
	if i := slices.Index(strategyNames, name); i >= 0 {
		return Strategy(i), nil
	}
	return 0, fmt.Errorf("unknown strategy %q; the strategies are %s", name, strings.Join(strategyNames, ", "))
}

// Search looks for solutions of the query. Finding none is not an error: an error means that the
// query is invalid ([ErrQuery]) or that the context has ended.
func (g *Graph) Search(ctx context.Context, q Query, s Scores, strategy Strategy) (Found, error) {
	if strategy < 0 || int(strategy) >= len(strategyNames) {
		return Found{}, fmt.Errorf("%w: unknown %s", ErrQuery, strategy)
	}
	sc, err := g.scope(q)
	if err != nil {
		return Found{}, err
	}
	sc.prune()
	sc.rate(s)
	if strategy == BestFirst {
		return sc.bestFirst(ctx)
	}
	return sc.depthFirst(ctx, strategy)
}

// rate sets the score and cost of every candidate.
func (s *scope) rate(scores Scores) {
	s.score = make([]float64, len(s.tools))
	s.price = make([]cost, len(s.tools))
	for t, live := range s.live {
		if !live {
			continue
		}
		s.score[t] = unscored
		if scores != nil {
			s.score[t] = inRange(scores(s.tools[t].Name))
		}
		s.price[t] = costOf(s.score[t])
	}
}
