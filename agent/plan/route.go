package plan

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// MaxSteps is the most steps that a plan may have. What one person may want at a time
// stays far below; beyond it a request fills the thread with files.
const MaxSteps = 64

// TooMany refuses more than [MaxSteps] steps or subtasks.
func TooMany(count int) error {
	if count <= MaxSteps {
		return nil
	}
	return &Fault{
		Sentence: Say("That is too much at once: it takes %d steps, and I do at most %d. Please ask for a part of it.", count, MaxSteps),
		Err:      fmt.Errorf("%d steps", count),
	}
}

// Route is the way through a plan: the choice as it stands and what came of its steps.
// The same plan, choice and records in the same order give the same route in every
// process; what was started and when changes nothing but [Route.Status], [Route.Ready]
// and [Route.Ended]. It is not safe for concurrent use.
type Route struct {
	plan      *Plan
	choice    Choice
	steps     []Step
	final     []int             // the step that makes each subtask's result, -1 if none
	status    map[string]Status // of what was started or ended, by key
	results   map[string]Result
	taken     map[string]bool     // the names of the resources
	failed    map[string]attempts // work that was tried in vain (see works)
	fallbacks []Message
}

// NewRoute lays out the chosen solutions; nothing is done yet. Too many steps are a
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

// Start notes that the step of that key runs, unless it has ended.
func (r *Route) Start(key string) {
	if _, ended := r.results[key]; !ended {
		r.status[key] = Running
	}
}

// Record notes what came of the step of that key. The first record of a key counts,
// later ones are ignored. A failed step leads to another way where there is one, unless
// it was refused for good ([Result].Final): changed tells that the steps are others now.
// A result whose key is not, or not any more, among the steps is kept for a way that
// has it. An output whose name another resource has already gets another one, so that
// all readers of the same records agree on the names. A result that is no end is an
// error and changes nothing.
func (r *Route) Record(key string, res Result) (changed bool, err error) {
	if _, twice := r.results[key]; twice {
		return false, nil
	}
	if res.Status != Done && res.Status != Failed && res.Status != Skipped {
		return false, fmt.Errorf("a step that is %q has not ended", res.Status)
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

// Plan is the plan that the route leads through.
func (r *Route) Plan() *Plan { return r.plan }

// Choice is the choice as it stands: where a solution failed, the one that took its place.
func (r *Route) Choice() Choice { return slices.Clone(r.choice) }

// Steps are the steps of the choice as it stands, in an order in which they can run.
func (r *Route) Steps() []Step { return slices.Clone(r.steps) }

// Status tells how far the step of that key is. One that cannot run any more, since
// something that it needs is not made, is skipped.
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

// Ready lists the indexes of the steps that can start now: their inputs are all done,
// and they neither run nor have ended.
func (r *Route) Ready() []int { return Ready(r.steps, r.status) }

// Ended tells that no step runs and none is ready: nothing more comes of the route.
// A step that was given up for another way and still runs does not count.
func (r *Route) Ended() bool {
	running := slices.ContainsFunc(r.steps, func(s Step) bool { return r.status[s.Key] == Running })
	return !running && len(r.Ready()) == 0
}

// Result returns what came of the step of that key.
func (r *Route) Result(key string) (Result, bool) {
	res, ok := r.results[key]
	return res, ok
}

// Results are what came of the steps, in their order; Skipped where nothing did.
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

// All are the results of every step that ended, by key: of attempts that were given up
// for another way too.
func (r *Route) All() map[string]Result { return maps.Clone(r.results) }

// Fallbacks are sentences on what was done another way, in the order in which it was.
func (r *Route) Fallbacks() []Message { return slices.Clone(r.fallbacks) }

// Done tells that every subtask has its result. A plan without subtasks has none.
func (r *Route) Done() bool {
	return len(r.final) > 0 && !slices.ContainsFunc(r.final, func(at int) bool {
		return at < 0 || r.status[r.steps[at].Key] != Done
	})
}

// Partly reports whether a part of the request has its result, while another part was left, or its
// subtask has none.
func (r *Route) Partly() bool {
	return (len(r.plan.LeftBy(r.choice)) > 0 || !r.Done()) && slices.ContainsFunc(r.final, func(at int) bool {
		return at >= 0 && r.status[r.steps[at].Key] == Done
	})
}

// Made are the outputs that are there, in the order of the steps; what was made on a
// way that was given up is not among them.
func (r *Route) Made() []Resource {
	var made []Resource
	for _, s := range r.steps {
		made = append(made, r.results[s.Key].Outputs()...)
	}
	return made
}

// Delivered lists what was made so far in the order in which people get it: first what nothing
// else was made from, then the steps on the way.
func (r *Route) Delivered() []Resource {
	taken := map[int]bool{} // by a step that is done
	for _, s := range r.steps {
		if r.results[s.Key].Status == Done {
			for _, i := range s.Inputs() {
				taken[i] = true
			}
		}
	}
	var ends, before []Resource
	for i, s := range r.steps {
		if outs := r.results[s.Key].Outputs(); s.Final && !taken[i] {
			ends = append(ends, outs...)
		} else {
			before = append(before, outs...)
		}
	}
	return append(ends, before...)
}

// NameFiles gives files that were made the readable names by which people get them, by their
// chained names. The results that were recorded stay as they are elsewhere.
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

// rename gives the outputs names that no other resource has. Two processes may have
// named theirs at the same moment. The caller's result stays as it is.
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
