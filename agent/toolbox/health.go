package toolbox

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/sony/gobreaker/v2"
	"golang.org/x/sync/semaphore"

	"atelier/agent/plan"
)

const (
	// tripAfter is the number of consecutive failures after which a backend is paused.
	tripAfter = 3
	// pauseTime is how long a backend is paused before one call tries it again.
	pauseTime = 30 * time.Second
)

// ErrPaused marks errors of a backend that is paused after several consecutive failures.
var ErrPaused = errors.New("it failed several times in a row and is paused for a while")

// health tracks the servers by their calls: how many run, and whether they fail.
type health struct {
	gates map[string]*gate // by server name

	mu       sync.Mutex
	circuits map[string]*circuit // by server and model
	changed  func(server, model string, open bool)
}

// circuit is a circuit breaker for failures of the backend (see [ErrDown]).
type circuit struct {
	server, model string
	*gobreaker.TwoStepCircuitBreaker[struct{}]
}

// gate limits the concurrent calls of a server.
type gate struct {
	limit   int64
	room    *semaphore.Weighted
	running atomic.Int64
	waiting atomic.Int64
}

func newHealth(servers []Server, changed func(server, model string, open bool)) *health {
	h := &health{gates: map[string]*gate{}, circuits: map[string]*circuit{}, changed: changed}
	for _, s := range servers {
		if h.gates[s.name()] != nil { // another protocol of the same server
			continue
		}
		g := &gate{limit: int64(s.Parallel)}
		if s.Parallel > 0 {
			g.room = semaphore.NewWeighted(g.limit)
		}
		h.gates[s.name()] = g
	}
	return h
}

// of returns the circuit breaker of a candidate.
func (h *health) of(c Candidate) *circuit {
	server := c.server()
	key := server + "@" + c.Model
	h.mu.Lock()
	defer h.mu.Unlock()
	if known, ok := h.circuits[key]; ok {
		return known
	}
	fresh := &circuit{server: server, model: c.Model}
	fresh.TwoStepCircuitBreaker = gobreaker.NewTwoStepCircuitBreaker[struct{}](gobreaker.Settings{
		Name:         key,
		Timeout:      pauseTime,
		ReadyToTrip:  func(n gobreaker.Counts) bool { return n.ConsecutiveFailures >= tripAfter },
		IsSuccessful: func(err error) bool { return !errors.Is(err, ErrDown) },
		IsExcluded: func(err error) bool {
			return errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) && !errors.Is(err, ErrDown)
		},
		OnStateChange: func(_ string, _, to gobreaker.State) {
			if to != gobreaker.StateHalfOpen {
				h.changed(server, c.Model, to == gobreaker.StateOpen)
			}
		},
	})
	h.circuits[key] = fresh
	return fresh
}

// paused returns an error if the candidate is paused now.
func (h *health) paused(c Candidate) error {
	if !h.of(c).closed() {
		return pausedError(c)
	}
	return nil
}

// closed reports whether a call would be let through now: neither while paused, nor while a trial call is running.
func (c *circuit) closed() bool {
	switch c.State() {
	case gobreaker.StateOpen:
		return false
	case gobreaker.StateHalfOpen:
		return c.Counts().Requests == 0
	default:
		return true
	}
}

func pausedError(c Candidate) error {
	return &plan.Fault{
		Sentence: plan.Say("%s failed several times in a row; it will be tried again in half a minute.", c.place()),
		Err:      fmt.Errorf("%s: %w", c.Name(), ErrPaused),
	}
}

// enter waits for a free place at the candidate's server. It fails if the candidate is paused. leave
// must be called with the result of the call.
func (h *health) enter(ctx context.Context, c Candidate) (leave func(error), err error) {
	g := h.gates[c.server()]
	if g.room != nil {
		g.waiting.Add(1)
		err := g.room.Acquire(ctx, 1)
		g.waiting.Add(-1)
		if err != nil {
			return nil, fmt.Errorf("wait for %s: %w", c.Name(), err)
		}
	}
	free := func() {
		if g.room != nil {
			g.room.Release(1)
		}
	}
	done, err := h.of(c).Allow()
	if err != nil {
		free()
		return nil, pausedError(c)
	}
	g.running.Add(1)
	return func(err error) {
		g.running.Add(-1)
		free()
		done(err)
	}, nil
}

// broken reports whether anything is paused now.
func (h *health) broken() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, c := range h.circuits {
		if !c.closed() {
			return true
		}
	}
	return false
}

// open lists the paused models of a server, "" for calls without a model name.
func (h *health) open(server string) []string {
	h.mu.Lock()
	defer h.mu.Unlock()
	var models []string
	for _, c := range h.circuits {
		if c.server == server && !c.closed() {
			models = append(models, c.model)
		}
	}
	slices.Sort(models)
	return models
}

// place returns a candidate's name for people: its model, else its server.
func (c Candidate) place() string { return cmp.Or(c.Model, c.Server, c.Kind) }

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
