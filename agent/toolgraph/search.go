package toolgraph

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"atelier/agent/plan"
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

// ErrQuery is returned for a query that is invalid for any set of tools.
var ErrQuery = errors.New("invalid query")

// The defaults and limits of a query.
const (
	DefaultMaxActions = 10
	DefaultK          = 15
	// DefaultVisitCap stops a depth-first search after some tenths of a second.
	DefaultVisitCap = 1_000_000

	// MaxGiven is the maximum number of required givens, which are bits of a word.
	MaxGiven = 64

	maxActions = 64 // bits of a word, too
)

// Given is an input of a search.
type Given struct {
	Type plan.Type
	// Source is a resource, a literal or the result of an earlier subtask.
	Source plan.Source
	// Means is the meaning of a text, "" if unknown. Texts made by actions are content.
	Means plan.Meaning
	// With is the given that this one is about, like the picture that a mark is on. If that one is
	// required, this one is used only in actions that also use that picture or something made from
	// it. A given with With fits only its own type. Blank if it is about nothing.
	With plan.Source
	// Several means that it may be several resources, such as the parts of a file, which is enough
	// for an argument for many.
	Several bool
	// Optional givens may be used; all others must be used.
	Optional bool
}

// Query describes the solutions wanted for a subtask.
type Query struct {
	// Domains restrict the search; tools of the domain [General] are always included. Empty means
	// every domain.
	Domains []string
	Given   []Given
	// Made are chains that run anyway for an earlier subtask. The output of a chain's last action
	// may be used at almost no cost, but not as the result itself; the chain's actions are then
	// copied into the solution and do not count against MaxActions. A given used by such a chain
	// counts as used.
	Made []plan.Solution
	Goal plan.Type
	// MaxActions is the paper's m; 0 means DefaultMaxActions, the maximum is 64.
	MaxActions int
	// K is the maximum number of solutions; 0 means DefaultK.
	K int
	// VisitCap is the number of visits after which the search is capped; 0 means DefaultVisitCap.
	VisitCap int
}

// Scores returns how well a tool suits the subtask, from 1 (unrelated) to 5 (certainly needed). It
// is called once per candidate; values are clamped to the range. Nil gives every tool a 3.
type Scores func(tool string) float64

// Found is the result of a search.
type Found struct {
	// Solutions are sorted best first: the cheapest, see the package comment. Their Score is the
	// average quality of their actions on the scale of tool scores: 5−log2 of the mean cost, so
	// that a weak action counts more than a strong one. Length affects a solution's position but
	// not its Score.
	Solutions []plan.Solution
	// Visited counts the visited tools: each tool that a depth-first strategy takes, or that
	// best-first tries on a derived item.
	Visited int
	// Capped reports whether the search stopped early: at VisitCap, or in best-first at a fixed
	// limit on time and memory. The solutions are valid, but there may be better ones. Best-first
	// is not capped once it knows the best solution, since its search for others is limited anyway.
	Capped bool
}

// takes reports whether the argument uses the source, directly or quoted in a text.
func takes(b plan.Binding, s plan.Source) bool {
	return s.Equal(b.Source) || slices.ContainsFunc(b.Source.Parts, s.Equal)
}

// same reports whether two givens are the same, even if one is optional.
func (g Given) same(other Given) bool {
	return g.Type == other.Type && g.Source.Equal(other.Source)
}

// sourcesOf returns the sources of the givens of that type, without duplicates.
func (q *Query) sourcesOf(t plan.Type, optional bool) []plan.Source {
	var sources []plan.Source
	for i, g := range q.Given {
		if g.Type == t && q.optional(g) == optional && slices.IndexFunc(q.Given, g.same) == i {
			sources = append(sources, g.Source)
		}
	}
	return sources
}

// optional reports whether the given need not be used. A duplicate must be used if one of its
// copies is required.
func (q *Query) optional(g Given) bool {
	return !slices.ContainsFunc(q.Given, func(other Given) bool { return !other.Optional && g.same(other) })
}
