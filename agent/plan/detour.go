package plan

import (
	"slices"
)

// detour looks for another way for each subtask that a failed step leaves stuck, and
// tells whether it found one. The subtasks are taken in order, so that one which merely
// waits for the result of a stuck one changes only if that one cannot. What was refused
// for good stays undone, and so does what hangs on it.
func (r *Route) detour(problem string) (found bool) {
	for t := range r.plan.Tasks {
		if r.choice[t] < 0 || !needs(t, r.steps, r.undone) || needs(t, r.steps, r.refused) {
			continue
		}
		for s, solution := range r.plan.Tasks[t].Solutions {
			other := slices.Clone(r.choice)
			other[t] = s
			steps, final, err := r.plan.Steps(other)
			// a solution that cannot be laid out is no way
			if err != nil || final[t] < 0 || needs(t, steps, r.undone) || TooMany(len(steps)) != nil {
				continue
			}
			way := Say("I went another way: %s.", solution.Told())
			if problem != "" {
				way = Sentences(Quote(problem), way)
			}
			r.fallbacks = append(r.fallbacks, way)
			r.choice, r.steps, r.final = other, steps, final
			found = true
			break
		}
	}
	return found
}

// undone tells that the step ended without what it should make.
func (r *Route) undone(key string) bool {
	res, ended := r.results[key]
	return ended && res.Status != Done
}

// refused tells that nothing may stand in for the step.
func (r *Route) refused(key string) bool {
	return r.undone(key) && (r.results[key].Final || r.results[key].Status == Skipped)
}

// needs tells whether the subtask has a step that is bad or needs one that is.
func needs(t int, steps []Step, bad func(key string) bool) bool {
	for i, reached := range reaches(steps, bad) {
		if reached && (steps[i].Task == t || slices.Contains(steps[i].Also, t)) {
			return true
		}
	}
	return false
}

// reaches tells of each step whether it is bad or needs one that is.
func reaches(steps []Step, bad func(key string) bool) []bool {
	reached := make([]bool, len(steps))
	for i, s := range steps {
		reached[i] = bad(s.Key) || slices.ContainsFunc(s.Inputs(), func(in int) bool { return reached[in] })
	}
	return reached
}
