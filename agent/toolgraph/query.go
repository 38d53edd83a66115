package toolgraph

import (
	"errors"

	"atelier/agent/plan"
)

// ErrQuery marks a query that cannot be searched, whatever the graph's tools.
var ErrQuery = errors.New("invalid query")

// What a query's zero values mean, and its limits.
const (
	DefaultMaxActions = 10
	DefaultK          = 15
	// DefaultVisitCap ends a depth-first search in some tenths of a second.
	DefaultVisitCap = 1_000_000

	// MaxGiven is the most resources that must be used: they are bits of a word.
	MaxGiven = 64

	maxActions = 64 // so are positions of a path
)

// Given is a resource that a search may start from.
type Given struct {
	Type plan.Type
	// Source is a resource, a literal or the result of an earlier subtask.
	Source plan.Source
	// Means is what a text stands for, "" if that is unknown. What actions make is content.
	Means plan.Meaning
	// With is the given that this one is about, as a mark is about the picture that it is
	// on: where that one must be used, this one goes only into an action that takes it, or
	// what was made of it, beside. Such a given stands for its own type alone. Blank for
	// a given that is about nothing.
	With plan.Source
	// Several marks what may be several resources, such as the parts of a file. It is enough for an
	// argument that takes many.
	Several bool
	// Optional givens may be used; all others must be.
	Optional bool
}

// Query asks for solutions of one subtask.
type Query struct {
	// Domains narrow the search; tools of the domain [General] always take part.
	// Empty means every domain.
	Domains []string
	Given   []Given
	// Made are chains that run anyway for an earlier subtask. The output of a chain's
	// last action may be used at almost no cost, never as the result itself; the
	// chain's actions are then copied into the solution and do not count against
	// MaxActions. A given that such a chain takes in counts as used.
	Made []plan.Solution
	Goal plan.Type
	// MaxActions is the paper's m, 0 for DefaultMaxActions, at most 64.
	MaxActions int
	// K is how many solutions are wanted at most, 0 for DefaultK.
	K int
	// VisitCap is where a search stops and says so, 0 for DefaultVisitCap.
	VisitCap int
}

// Scores tells how well a tool suits the subtask, from 1 (unrelated) to 5 (surely
// needed). It is asked once for each candidate; values outside are cut to the range.
// Nil gives every tool a 3.
type Scores func(tool string) float64

// Found is what a search found.
type Found struct {
	// Solutions stand best first: the cheapest, see the package comment. Their Score
	// tells, on the scale of the action scores, how good their actions are on
	// average: 5−log2 of the mean cost, so that a weak action weighs more than a
	// strong one. Length lowers a solution's place but not its Score.
	Solutions []plan.Solution
	// Visited counts the tools looked at: each tool that a depth-first strategy takes,
	// each that best-first tries on something that it has derived.
	Visited int
	// Capped tells that the search stopped early: at VisitCap, or in best-first at a
	// fixed bound on the work and memory that it takes. Its solutions hold, but there
	// may be better ones. Once best-first knows the best solution it is not capped: how far
	// it looks for others is bounded anyway.
	Capped bool
}
