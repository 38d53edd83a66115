package evaluate

import (
	"slices"
	"strings"

	"atelier/agent/plan"
)

// Thinking is the mean model usage per request, failed requests included. If answers are rehearsed,
// it includes wording them.
type Thinking struct {
	Calls   float64 `json:"calls"`
	Repairs float64 `json:"repairs"`
	// MostCalls is the maximum number of calls for one request, not counting repairs.
	MostCalls int    `json:"most_calls"`
	Tokens    Tokens `json:"tokens"`
	// Estimated reports whether some token counts are estimates.
	Estimated bool `json:"estimated,omitempty"`
	// Jobs are the usage by job, in the order in which they run.
	Jobs []Job `json:"jobs"`
	// StoodIn counts the requests for which another planner stood in.
	StoodIn int `json:"stood_in,omitempty"`
}

// Tokens are the input tokens, those of them that were cached by the provider, and the output
// tokens.
type Tokens struct {
	Input  float64 `json:"input"`
	Cached float64 `json:"cached"`
	Output float64 `json:"output"`
}

// Job is the mean usage of one job over the requests that needed it.
type Job struct {
	Name     string  `json:"name"`
	Requests int     `json:"requests"`
	Calls    float64 `json:"calls"`
	Tokens   Tokens  `json:"tokens"`
	MS       float64 `json:"ms"`
}

// spent sums up model usage.
type spent struct {
	requests, stoodIn, calls, repairs, most int
	estimated                               bool
	jobs                                    map[string]*plan.Job
	needed                                  map[string]int
}

func (s *spent) add(t plan.Thinking) {
	s.requests++
	if t.StoodIn != "" {
		s.stoodIn++
	}
	calls, repairs := t.Calls()
	s.calls += calls
	s.repairs += repairs
	s.most = max(s.most, calls-repairs)
	if s.jobs == nil {
		s.jobs, s.needed = map[string]*plan.Job{}, map[string]int{}
	}
	for _, j := range t.Jobs {
		sum := s.jobs[j.Name]
		if sum == nil {
			sum = &plan.Job{Name: j.Name}
			s.jobs[j.Name] = sum
		}
		s.needed[j.Name]++
		s.estimated = s.estimated || j.Estimated
		sum.Calls += j.Calls
		sum.Input += j.Input
		sum.Cached += j.Cached
		sum.Output += j.Output
		sum.Took += j.Took
	}
}

// means returns nil if no model was asked.
func (s *spent) means() *Thinking {
	if len(s.jobs) == 0 && s.stoodIn == 0 {
		return nil
	}
	per := func(sum int) float64 { return ratio(float64(sum), s.requests) }
	t := &Thinking{
		Calls: per(s.calls), Repairs: per(s.repairs), MostCalls: s.most,
		Estimated: s.estimated, StoodIn: s.stoodIn, Jobs: []Job{},
	}
	var all plan.Job
	for name, j := range s.jobs {
		n := s.needed[name]
		t.Jobs = append(t.Jobs, Job{
			Name: name, Requests: n, Calls: ratio(float64(j.Calls), n), Tokens: tokensOf(*j, n), MS: ratio(millis(j.Took), n),
		})
		all.Input += j.Input
		all.Cached += j.Cached
		all.Output += j.Output
	}
	t.Tokens = tokensOf(all, s.requests)
	slices.SortFunc(t.Jobs, byOrder)
	return t
}

func tokensOf(j plan.Job, n int) Tokens {
	return Tokens{ratio(float64(j.Input), n), ratio(float64(j.Cached), n), ratio(float64(j.Output), n)}
}

// byOrder sorts jobs by the order in which they run; unknown ones follow by name.
func byOrder(a, b Job) int {
	order := []string{"decompose", "assess", "settle", "respond"}
	at := func(j Job) int {
		if i := slices.Index(order, j.Name); i >= 0 {
			return i
		}
		return len(order)
	}
	if d := at(a) - at(b); d != 0 {
		return d
	}
	return strings.Compare(a.Name, b.Name)
}
