package toolbox

import (
	"errors"
	"slices"
	"sync"
	"time"

	"atelier/agent/plan"
)

// answer is the last probe result of a candidate.
type answer struct {
	candidate Candidate
	err       error  // why it is not live
	loading   bool   // live, but its model is still loading
	failed    int    // consecutive failed probes
	model     string // the model it uses, if the backend knows
	next      time.Time
}

func (a answer) live() bool { return a.err == nil }

func (a answer) why() Obstacle {
	otherwise := plan.Say("Its backend does not answer.")
	return Obstacle{Sentence: plan.Sentence(a.err, otherwise), Operator: plan.OperatorSentence(a.err, otherwise)}
}

// errNotProbed is the error of a candidate that has not been probed yet.
var errNotProbed = &plan.Fault{Sentence: plan.Say("It is still being checked."), Err: errors.New("not probed yet")}

// spot locates an answer: the index of the tool in the catalogue, and of the candidate among the tool's ways.
type spot struct{ tool, way int }

// answers holds the last probe results of this process's candidates.
type answers struct {
	fresh time.Duration
	clock func() time.Time

	mu    sync.Mutex
	known [][]answer // by tool and way
	seen  *probed    // cached summary; nil when an answer has changed
}

// newAnswers starts without probe results: only servers that are assumed to be up count as live.
func newAnswers(w *ways, fresh time.Duration, clock func() time.Time) *answers {
	tools := w.catalogue.All()
	as := &answers{fresh: fresh, clock: clock, known: make([][]answer, len(tools))}
	for i, tool := range tools {
		for _, c := range w.byTool[tool.Name] {
			a := answer{candidate: c}
			if !w.server(c).Assumed {
				a.err = errNotProbed
			}
			as.known[i] = append(as.known[i], a)
		}
	}
	return as
}

func (as *answers) at(at spot) answer {
	as.mu.Lock()
	defer as.mu.Unlock()
	return as.known[at.tool][at.way]
}

// store stores a probe result and the model in use.
func (as *answers) store(at spot, err error, model string) {
	as.mu.Lock()
	defer as.mu.Unlock()
	a := &as.known[at.tool][at.way]
	if a.loading = errors.Is(err, ErrLoading); a.loading {
		err = nil
	}
	if a.err = err; err == nil {
		a.failed = 0
	} else {
		a.failed++
	}
	a.model = model
	a.next = as.clock().Add(as.again(*a))
	as.seen = nil
}

// due returns when the next probe of one of the server's candidates is due.
func (as *answers) due(p *prober) time.Time {
	next := as.clock().Add(as.fresh)
	for _, at := range p.at {
		if a := as.at(at); a.next.Before(next) {
			next = a.next
		}
	}
	return next
}

// again returns the delay until the next probe: short while loading, with exponential backoff while down.
func (as *answers) again(a answer) time.Duration {
	const soon, longest = 5 * time.Second, 5 * time.Minute
	switch {
	case a.loading:
		return min(soon, as.fresh)
	case a.live():
		return as.fresh
	}
	wait := min(soon, as.fresh)
	for range min(a.failed-1, 16) {
		wait = min(2*wait, max(longest, as.fresh))
	}
	return wait
}

// liveNow reports whether a candidate of the tool is live by a probe that is still fresh.
func (as *answers) liveNow(tool int, c Candidate) bool {
	as.mu.Lock()
	defer as.mu.Unlock()
	return slices.ContainsFunc(as.known[tool], func(a answer) bool {
		return a.live() && a.candidate.Name() == c.Name() && as.clock().Before(a.next)
	})
}
