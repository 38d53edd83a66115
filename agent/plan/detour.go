package plan

import "slices"

// detour looks for another way for each subtask that a failed step leaves stuck, and
// reports whether it found one. The subtasks are taken in order, so that one which merely
// waits for the result of a stuck one changes only if that one cannot. What was refused
// for good stays undone, and so does what hangs on it. The same work by another candidate
// is another way only if that was not tried when it failed ([Result.Tried]): a process
// tries all that it has. A solution that is not good enough to be run without asking is none.
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
			// a solution that cannot be laid out is no way
			if err != nil || final[t] < 0 || needs(t, steps, r.failedBefore(steps)) || TooMany(len(steps)) != nil {
				continue
			}
			way := Say("I did part of it another way than I first planned.")
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

// undone tells that the step ended without what it should make.
func (r *Route) undone(key string) bool {
	res, ended := r.results[key]
	return ended && res.Status != Done
}

// failedBefore tells of the steps which ended without what they should make, and of those
// that would be tried by the same candidates once more.
func (r *Route) failedBefore(steps []Step) func(key string) bool {
	works, err := works(steps)
	if err != nil { // then no two are known to be the same work
		return r.undone
	}
	failed := map[string]bool{}
	for i, s := range steps {
		tried, before := r.failed[works[i]]
		failed[s.Key] = r.undone(s.Key) || before && tried.by(s.Action.Candidate)
	}
	return func(key string) bool { return failed[key] }
}

// attempts are the candidates that work was tried by in vain.
type attempts struct {
	names []string
	// all is set where that is not known, or where it was not for the candidates that it
	// failed.
	all bool
}

// by reports whether a candidate was among them. An open one is any of them.
func (a attempts) by(candidate string) bool {
	return a.all || candidate == "" || slices.Contains(a.names, candidate)
}

// noteFailed notes the work of a step that has failed, and by what it was tried.
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

// refused tells that nothing may stand in for the step.
func (r *Route) refused(key string) bool {
	return r.undone(key) && (r.results[key].Final || r.results[key].Status == Skipped)
}

// needs reports whether the subtask has a step that is bad or needs one that is.
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
