package plan

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// MaxSteps is the maximum number of steps in a plan. Sensible requests need far fewer; more would
// flood the thread with files.
const MaxSteps = 64

// TooMany returns a [*Fault] if there are more than [MaxSteps] steps or subtasks.
func TooMany(count int) error {
	if count <= MaxSteps {
		return nil
	}
	return &Fault{
		Sentence: Say("That is too much at once: it takes %d steps, and I can do at most %d. Please ask for a part of it.", count, MaxSteps),
		Err:      fmt.Errorf("%d steps", count),
	}
}

// Route is the execution state of a plan: the current choice and the results of its steps. The same
// plan, choice and records in the same order give the same route in every process; what was
// started, and when, affects only [Route.Status], [Route.Ready] and [Route.Ended]. It is not safe
// for concurrent use.
type Route struct {
	plan      *Plan
	choice    Choice
	steps     []Step
	final     []int             // the step that makes each subtask's result, -1 if none
	status    map[string]Status // by key, of steps that were started or have ended
	results   map[string]Result
	taken     map[string]bool     // names of resources
	failed    map[string]attempts // failed work (see works)
	fallbacks []Message
}

// NewRoute returns the route of the chosen solutions, before any step is run. Too many steps are a
// [*Fault].
func NewRoute(p *Plan, c Choice) (*Route, error) {
	r := &Route{
		plan: p, choice: slices.Clone(c),
		status: map[string]Status{}, results: map[string]Result{}, taken: map[string]bool{}, failed: map[string]attempts{},
	}
	for _, resource := range p.Resources {
		r.taken[resource.Name] = true
	}
	var err error
	if r.steps, r.final, err = p.Steps(r.choice); err != nil {
		return nil, err
	}
	if err := TooMany(len(r.steps)); err != nil {
		return nil, err
	}
	return r, nil
}

// Start marks the step with that key as running, unless it has ended.
func (r *Route) Start(key string) {
	if _, ended := r.results[key]; !ended {
		r.status[key] = Running
	}
}

// Record records the result of the step with that key. The first record of a key counts; later ones
// are ignored. After a failure it switches to an alternative if there is one, unless the failure is
// final ([Result].Final); changed reports whether the steps have changed. A result for a key that
// is not (or no longer) among the steps is kept for an alternative that has it. An output whose
// name is taken is renamed, so that all readers of the same records agree on the names. A result
// that is not an end state is an error and changes nothing.
func (r *Route) Record(key string, res Result) (changed bool, err error) {
	if _, twice := r.results[key]; twice {
		return false, nil
	}
	if res.Status != Done && res.Status != Failed && res.Status != Skipped {
		return false, fmt.Errorf("a step with status %q has not ended", res.Status)
	}
	r.rename(&res)
	r.results[key], r.status[key] = res, res.Status
	if res.Status == Failed {
		r.noteFailed(key, res.Tried)
	}
	if res.Status == Failed && !res.Final && slices.ContainsFunc(r.steps, func(s Step) bool { return s.Key == key }) {
		changed = r.detour(res.Problem)
	}
	return changed, nil
}

// Plan returns the plan of the route.
func (r *Route) Plan() *Plan { return r.plan }

// Choice returns the current choice, with alternatives for failed solutions.
func (r *Route) Choice() Choice { return slices.Clone(r.choice) }

// Steps returns the steps of the current choice, in execution order.
func (r *Route) Steps() []Step { return slices.Clone(r.steps) }

// Status returns the state of the step with that key. A step that can no longer run, because a step
// it depends on has no result, is skipped.
func (r *Route) Status(key string) Status {
	if s, ok := r.status[key]; ok {
		return s
	}
	dead := reaches(r.steps, r.undone)
	for i, s := range r.steps {
		if s.Key == key && dead[i] {
			return Skipped
		}
	}
	return Waiting
}

// Ready returns the indexes of the steps that can start now: all their inputs are done, and they
// neither run nor have ended.
func (r *Route) Ready() []int { return Ready(r.steps, r.status) }

// Ended reports whether no step is running or ready, so that nothing more will happen. Abandoned
// steps that are still running do not count.
func (r *Route) Ended() bool {
	running := slices.ContainsFunc(r.steps, func(s Step) bool { return r.status[s.Key] == Running })
	return !running && len(r.Ready()) == 0
}

// Result returns the result of the step with that key.
func (r *Route) Result(key string) (Result, bool) {
	res, ok := r.results[key]
	return res, ok
}

// Results returns the results of the steps, in order; Skipped for steps without one.
func (r *Route) Results() []Result {
	all := make([]Result, len(r.steps))
	for i, s := range r.steps {
		var ok bool
		if all[i], ok = r.results[s.Key]; !ok {
			all[i] = Result{Status: Skipped}
		}
	}
	return all
}

// All returns the results of all steps that have ended, by key, including abandoned ones.
func (r *Route) All() map[string]Result { return maps.Clone(r.results) }

// Fallbacks returns sentences about what was done differently, in chronological order.
func (r *Route) Fallbacks() []Message { return slices.Clone(r.fallbacks) }

// Done reports whether every subtask has its result. It is false for a plan without subtasks.
func (r *Route) Done() bool {
	return len(r.final) > 0 && !slices.ContainsFunc(r.final, func(at int) bool {
		return at < 0 || r.status[r.steps[at].Key] != Done
	})
}

// Partly reports whether some part of the request has its result while another part was left out or
// has no result.
func (r *Route) Partly() bool {
	return (len(r.plan.LeftBy(r.choice)) > 0 || !r.Done()) && slices.ContainsFunc(r.final, func(at int) bool {
		return at >= 0 && r.status[r.steps[at].Key] == Done
	})
}

// Made returns the existing outputs, in the order of the steps, without those of abandoned steps.
func (r *Route) Made() []Resource {
	var made []Resource
	for _, s := range r.steps {
		made = append(made, r.results[s.Key].Outputs()...)
	}
	return made
}

// Delivered returns the outputs so far that people get with an answer, in order: first final results that no other step
// used, then the others. Files of which other files were made are left out, unless the answer names one of them.
func (r *Route) Delivered(answer string) []Resource {
	isFile := func(s Step) bool {
		named := func(o Resource) bool { return o.File != "" } // a text of a file has a file name
		return s.Action.Returns.Media() || slices.ContainsFunc(r.results[s.Key].Outputs(), named)
	}
	taken, usedUp := map[int]bool{}, map[int]bool{} // by a step that is done, and by one that made files
	for _, s := range r.steps {
		if r.results[s.Key].Status == Done {
			for _, i := range s.Inputs() {
				taken[i] = true
				usedUp[i] = usedUp[i] || isFile(s) && isFile(r.steps[i])
			}
		}
	}
	told := func(o Resource) bool {
		return o.File != "" && strings.Contains(answer, o.File) || strings.Contains(answer, o.Name)
	}
	var ends, before []Resource
	for i, s := range r.steps {
		switch outs := r.results[s.Key].Outputs(); {
		case s.Final && !taken[i]:
			ends = append(ends, outs...)
		case !usedUp[i] || slices.ContainsFunc(outs, told):
			before = append(before, outs...)
		}
	}
	return append(ends, before...)
}

// NameFiles sets the readable file names of outputs, by their chained names. It does not modify
// results that the caller recorded.
func (r *Route) NameFiles(files map[string]string) {
	name := func(o Resource) Resource {
		o.File = cmp.Or(files[o.Name], o.File)
		return o
	}
	for key, res := range r.results {
		if res.Output != nil {
			first := name(*res.Output)
			res.Output = &first
		}
		res.More = slices.Clone(res.More)
		for i, o := range res.More {
			res.More[i] = name(o)
		}
		r.results[key] = res
	}
}

// Ends returns the files of a route that no other step used.
func (r *Route) Ends() []Resource {
	taken := map[int]bool{}
	for _, s := range r.steps {
		for _, in := range s.Inputs() {
			taken[in] = true
		}
	}
	var all []Resource
	for i, s := range r.steps {
		if taken[i] {
			continue
		}
		for _, out := range r.results[s.Key].Outputs() {
			if out.Type.Media() {
				all = append(all, out)
			}
		}
	}
	return all
}

// rename gives the outputs unique names. Two processes may have chosen the same name at the same
// time. It does not modify the caller's result.
func (r *Route) rename(res *Result) {
	unique := func(o *Resource) {
		stem, ext := strings.TrimSuffix(o.Name, ending(o.Name)), ending(o.Name)
		for n := 2; r.taken[o.Name]; n++ {
			o.Name = stem + "-" + strconv.Itoa(n) + ext
		}
		r.taken[o.Name] = true
	}
	if res.Output != nil {
		first := *res.Output
		unique(&first)
		res.Output = &first
	}
	res.More = slices.Clone(res.More)
	for i := range res.More {
		unique(&res.More[i])
	}
}

// maxDrop is how far the score of a fallback may be below the best one. Cropping a picture to its lower
// half is no substitute for blurring that half.
const maxDrop = 1.5

// detour looks for an alternative for each subtask that is stuck because of a failed step, and
// reports whether it found one. It goes through the subtasks in order, so that one that merely
// waits for a stuck one changes only if the stuck one cannot. Steps that failed for good stay
// undone, and so do their dependents. The same work with another candidate is an alternative only
// if that candidate was not tried before ([Result.Tried]), since a process tries all that it has.
// Solutions not good enough to run without asking, or much worse than the best one, are skipped.
func (r *Route) detour(problem string) (found bool) {
	for t := range r.plan.Tasks {
		if r.choice[t] < 0 || !needs(t, r.steps, r.undone) || needs(t, r.steps, r.refused) {
			continue
		}
		solutions := r.plan.Tasks[t].Solutions
		for s, solution := range solutions {
			if solution.doubtful() || solution.Score < solutions[0].Score-maxDrop {
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

// Rework is a follow-up to the results of a run that needs no words.
type Rework string

// The reworks.
const (
	Larger  Rework = "larger"  // twice the width and height
	Smaller Rework = "smaller" // a smaller file
	Vary    Rework = "vary"    // the same with other seeds
)
