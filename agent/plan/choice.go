package plan

import "slices"

// Offer is a choice for people with its score, or a guess at what they mean.
type Offer struct {
	Choice Choice `json:"choice,omitempty"`
	// Task is the subtask in which the offer differs from the chosen plan, -1 for the chosen plan
	// itself.
	Task  int     `json:"task"`
	Score float64 `json:"score"`
	// Guess is the request to plan if the offer is taken; "" if the Choice is run.
	Guess string `json:"guess,omitempty"`
	// Use is the existing result to continue with if the offer is taken; "" if something is run.
	Use string `json:"use,omitempty"`
}

// Offers returns the chosen plan and then the best variations of it, in which one subtask is done
// another way. They are sorted by score, then by subtask and solution, and limited to limit. A plan
// that asks back offers its guesses instead.
func (p *Plan) Offers(chosen Choice, limit int) []Offer {
	var others []Offer
	if p.Question != "" {
		for _, guess := range p.Guesses {
			others = append(others, Offer{Guess: guess, Task: -1})
		}
		return others[:min(limit, len(others))]
	}
	for t, task := range p.Tasks {
		for s := range task.Solutions {
			if s == chosen[t] {
				continue
			}
			c := slices.Clone(chosen)
			c[t] = s
			others = append(others, Offer{Choice: c, Task: t, Score: task.Solutions[s].Score})
		}
	}
	slices.SortStableFunc(others, func(a, b Offer) int {
		switch {
		case a.Score > b.Score:
			return -1
		case a.Score < b.Score:
			return 1
		}
		return 0
	})
	all := append([]Offer{{Choice: slices.Clone(chosen), Task: -1, Score: p.score(chosen)}}, others...)
	return all[:min(limit, len(all))]
}

// Doubtful reports whether some part of the plan has no solution good enough to run without asking,
// so that people should choose.
func (p *Plan) Doubtful() bool {
	return Solution{Score: p.score(p.Best())}.doubtful()
}

// doubtful reports whether the solution is not good enough to run without asking. A score of 0
// means that it was not scored.
func (s Solution) doubtful() bool { return s.Score > 0 && s.Score < Good }

// score returns the lowest score of the chosen solutions: a plan is as good as its worst part.
func (p *Plan) score(c Choice) float64 {
	var worst float64
	for t, task := range p.Tasks {
		if c[t] < 0 {
			continue
		}
		if s := task.Solutions[c[t]].Score; worst == 0 || s < worst {
			worst = s
		}
	}
	return worst
}
