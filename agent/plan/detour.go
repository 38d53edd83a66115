package plan

import "slices"

// detour looks for an alternative for each subtask that is stuck because of a failed step, and
// reports whether it found one. It goes through the subtasks in order, so that one that merely
// waits for a stuck one changes only if the stuck one cannot. Steps that failed for good stay
// undone, and so do their dependents. The same work with another candidate is an alternative only
// if that candidate was not tried before ([Result.Tried]), since a process tries all that it has.
// Solutions not good enough to run without asking are skipped.
func (r *Route) detour(problem string) (found bool) {
	for t := range r.plan.Tasks {
		if r.choice[t] < 0 || !needs(t, r.steps, r.undone) || needs(t, r.steps, r.refused) {
			continue
		}
		for s, solution := range r.plan.Tasks[t].Solutions {
			if solution.doubtful() {
				continue // people may choose it
			}
			other := slices.Clone(r.choice)
			other[t] = s
			steps, final, err := r.plan.Steps(other)
			// a solution without valid steps is no alternative
			if err != nil || final[t] < 0 || needs(t, steps, r.failedBefore(steps)) || TooMany(len(steps)) != nil {
				continue
			}
			way := Say("I did part of it differently than planned.")
			if problem != "" {
				way = Say("%s So I did it another way.", problem)
			}
			r.fallbacks = append(r.fallbacks, way)
			r.choice, r.steps, r.final = other, steps, final
			found = true
			break
		}
	}
	return found
}

// undone reports whether the step ended without a result.
func (r *Route) undone(key string) bool {
	res, ended := r.results[key]
	return ended && res.Status != Done
}

// failedBefore returns a function that reports whether a step ended without a result or would
// repeat failed work with the same candidates.
func (r *Route) failedBefore(steps []Step) func(key string) bool {
	works, err := works(steps)
	if err != nil { // then no work is known to be the same
		return r.undone
	}
	failed := map[string]bool{}
	for i, s := range steps {
		tried, before := r.failed[works[i]]
		failed[s.Key] = r.undone(s.Key) || before && tried.by(s.Action.Candidate)
	}
	return func(key string) bool { return failed[key] }
}

// attempts are the candidates that failed to do some work.
type attempts struct {
	names []string
	// all is set if they are unknown, or if they were not the reason for the failure.
	all bool
}

// by reports whether a candidate is one of them. An undecided candidate always is.
func (a attempts) by(candidate string) bool {
	return a.all || candidate == "" || slices.Contains(a.names, candidate)
}

// noteFailed records the work of a failed step and the candidates that were tried.
func (r *Route) noteFailed(key string, tried []string) {
	works, err := works(r.steps)
	if err != nil {
		return
	}
	for i, s := range r.steps {
		if s.Key == key {
			before := r.failed[works[i]]
			r.failed[works[i]] = attempts{slices.Concat(before.names, tried), before.all || len(tried) == 0}
		}
	}
}

// refused reports whether the step failed for good, so that nothing may replace it.
func (r *Route) refused(key string) bool {
	return r.undone(key) && (r.results[key].Final || r.results[key].Status == Skipped)
}

// needs reports whether the subtask has a step that is bad or depends on a bad one.
func needs(t int, steps []Step, bad func(key string) bool) bool {
	for i, reached := range reaches(steps, bad) {
		if reached && (steps[i].Task == t || slices.Contains(steps[i].Also, t)) {
			return true
		}
	}
	return false
}

// reaches returns for each step whether it is bad or depends on a bad one.
func reaches(steps []Step, bad func(key string) bool) []bool {
	reached := make([]bool, len(steps))
	for i, s := range steps {
		reached[i] = bad(s.Key) || slices.ContainsFunc(s.Inputs(), func(in int) bool { return reached[in] })
	}
	return reached
}
