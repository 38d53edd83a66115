package toolgraph

import "math"

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
