package toolgraph

import "math"

// cost is an exact fixed-point number, so that sums do not depend on their order.
type cost = int64

const (
	unit     cost = 1 << 20   // the cost of an action of score 5
	extra    cost = unit / 16 // of what need not be used, or runs anyway
	misfit   cost = unit      // of a special picture where any picture will do
	infinite cost = math.MaxInt64 / 4

	unscored = 3 // the score of every tool where no scores are given
)

// costOf is the cost of an action of that score, which is cut to 1–5.
func costOf(score float64) cost {
	return cost(math.Round(float64(unit) * math.Exp2(5-inRange(score))))
}

// inRange cuts a score to 1–5; what is no number counts as 1.
func inRange(score float64) float64 {
	if !(score > 1) {
		return 1
	}
	return min(score, 5)
}

// scoreOf is the score of actions that cost so much together.
func scoreOf(total cost, actions int) float64 {
	mean := float64(total) / float64(unit) / float64(actions)
	return inRange(5 - math.Log2(mean))
}
