package toolbox

import (
	"errors"
	"slices"
	"sync"
	"time"

	"atelier/agent/plan"
)

// answer is what a candidate said to its last probe.
type answer struct {
	candidate Candidate
	err       error  // why it is not live
	loading   bool   // it is live, and not yet there
	failed    int    // how many times in a row it was not
	model     string // that it asks, as far as its backend knows
	next      time.Time
}

func (a answer) live() bool { return a.err == nil }

func (a answer) why() Why {
	otherwise := plan.Say("Its backend does not answer.")
	return Why{Sentence: plan.Sentence(a.err, otherwise), Operator: plan.OperatorSentence(a.err, otherwise)}
}

// errUnasked is the error of a candidate that nobody has asked after yet.
var errUnasked = &plan.Fault{Sentence: plan.Say("It is still being checked."), Err: errors.New("it was not probed yet")}

// spot is where an answer stands: of which tool of the catalogue, and which of its ways.
type spot struct{ tool, way int }

// answers are what the candidates of this process said to their last probes.
type answers struct {
	fresh time.Duration
	clock func() time.Time

	mu    sync.Mutex
	known [][]answer // by tool and way
	seen  *probed    // what is known, put together; nil when something of it has changed
}

// newAnswers has none yet: of servers that are assumed to be up it is believed.
func newAnswers(w *ways, fresh time.Duration, clock func() time.Time) *answers {
	tools := w.catalogue.All()
	as := &answers{fresh: fresh, clock: clock, known: make([][]answer, len(tools))}
	for i, tool := range tools {
		for _, c := range w.byTool[tool.Name] {
			a := answer{candidate: c}
			if !w.server(c).Assumed {
				a.err = errUnasked
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

// keep takes over what a probe said, and the model that is asked.
func (as *answers) keep(at spot, err error, model string) {
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

// due is when the first candidate of a server is to be asked after again.
func (as *answers) due(p *prober) time.Time {
	next := as.clock().Add(as.fresh)
	for _, at := range p.at {
		if a := as.at(at); a.next.Before(next) {
			next = a.next
		}
	}
	return next
}

// again is when a candidate is asked again: soon while it is loading, and the later the
// longer it has not been there.
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

// liveNow reports whether a candidate of a tool is known to be live.
func (as *answers) liveNow(tool int, c Candidate) bool {
	as.mu.Lock()
	defer as.mu.Unlock()
	return slices.ContainsFunc(as.known[tool], func(a answer) bool {
		return a.live() && a.candidate.Name() == c.Name() && as.clock().Before(a.next)
	})
}
