package agent

import (
	"fmt"
	"slices"
	"strings"

	"atelier/agent/plan"
)

// route is the way through a plan: the choice as it stands and the state of its steps.
type route struct {
	plan      *plan.Plan
	choice    plan.Choice
	steps     []plan.Step
	final     []int
	status    map[string]plan.Status
	refused   map[string]bool // the failed steps that nothing may stand in for, by key
	fallbacks []string
}

func newRoute(p *plan.Plan, choice plan.Choice) (*route, error) {
	r := &route{plan: p, choice: slices.Clone(choice), status: map[string]plan.Status{}, refused: map[string]bool{}}
	var err error
	r.steps, r.final, err = p.Steps(r.choice)
	if err != nil {
		return nil, err
	}
	return r, tooMany(len(r.steps))
}

// MaxSteps is the most steps that a plan may have. What one person may want at a time
// stays far below; beyond it a wish fills the thread with files.
const MaxSteps = 64

// tooMany refuses so many steps or subtasks.
func tooMany(count int) error {
	if count <= MaxSteps {
		return nil
	}
	return &plan.Fault{
		Sentence: fmt.Sprintf("That is too much at once: it takes %d steps, and I do at most %d. Please ask for a part of it.", count, MaxSteps),
		Err:      fmt.Errorf("%d steps", count),
	}
}

// detour looks for another way for each subtask that a failed step leaves stuck. The
// subtasks are taken in order, so that one which merely waits for the result of a
// stuck one changes only if that one cannot. What was refused for good stays undone,
// and so does what hangs on it.
func (r *route) detour(problem string) error {
	for t := range r.plan.Tasks {
		if r.choice[t] < 0 || !r.stuck(t, r.steps) || r.without(t) {
			continue
		}
		for s := range r.plan.Tasks[t].Solutions {
			other := slices.Clone(r.choice)
			other[t] = s
			steps, final, err := r.plan.Steps(other)
			if err != nil {
				return err
			}
			if final[t] < 0 || r.stuck(t, steps) || tooMany(len(steps)) != nil {
				continue
			}
			r.fallbacks = append(r.fallbacks, fmt.Sprintf("%s I went another way: %s.", problem, way(r.plan.Tasks[t].Solutions[s])))
			r.choice, r.steps, r.final = other, steps, final
			break
		}
	}
	return nil
}

// stuck tells whether a step of the subtask failed or needs one that failed.
func (r *route) stuck(t int, steps []plan.Step) bool {
	return reaches(t, steps, func(key string) bool {
		return r.status[key] == plan.Failed || r.status[key] == plan.Skipped
	})
}

// without tells whether the subtask must go without: a step of it, or one that it
// needs, was refused for good.
func (r *route) without(t int) bool {
	return reaches(t, r.steps, func(key string) bool { return r.refused[key] })
}

// reaches tells whether the subtask has a step that is bad or needs one that is.
func reaches(t int, steps []plan.Step, bad func(key string) bool) bool {
	dead := make([]bool, len(steps))
	for i, s := range steps {
		dead[i] = bad(s.Key)
		for _, in := range s.Inputs() {
			dead[i] = dead[i] || dead[in]
		}
		if dead[i] && (s.Task == t || slices.Contains(s.Also, t)) {
			return true
		}
	}
	return false
}

// way names the tools of a solution for people.
func way(s plan.Solution) string {
	return strings.Join(s.Tools(), ", then ")
}
