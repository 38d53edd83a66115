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
	// tripAfter is how many calls in a row must fail until a backend is left alone.
	tripAfter = 3
	// aloneFor is how long it is, until one call tries it again.
	aloneFor = 30 * time.Second
)

// ErrAlone is in the error of a backend that failed several times in a row and is left
// alone for a while.
var ErrAlone = errors.New("it failed several times in a row and is left alone for a while")

// health is what is known of the servers from the calls that they were given: how many
// run, and whether they end well.
type health struct {
	gates map[string]*gate // by the name of the server

	mu       sync.Mutex
	circuits map[string]*circuit // by server and model
	changed  func(server, model string, open bool)
}

// circuit breaks after failures that lie with a backend (see [ErrDown]).
type circuit struct {
	server, model string
	*gobreaker.TwoStepCircuitBreaker[struct{}]
}

// gate lets in as many calls at a time as a server takes.
type gate struct {
	limit   int64
	room    *semaphore.Weighted
	running atomic.Int64
	waiting atomic.Int64
}

func newHealth(servers []Server, changed func(server, model string, open bool)) *health {
	h := &health{gates: map[string]*gate{}, circuits: map[string]*circuit{}, changed: changed}
	for _, s := range servers {
		if h.gates[s.name()] != nil { // another dialect of the same one
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

// of is the circuit of a candidate.
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
		Timeout:      aloneFor,
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

// alone reports whether a candidate is left alone just now.
func (h *health) alone(c Candidate) error {
	if !h.of(c).closed() {
		return leftAlone(c)
	}
	return nil
}

// closed reports whether a call would be let through now: not while it is left alone, nor
// while one call is out to see whether it works again.
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

func leftAlone(c Candidate) error {
	return &plan.Fault{
		Sentence: plan.Say("%s failed several times in a row; it will be tried again in half a minute.", c.place()),
		Err:      fmt.Errorf("%s: %w", c.Name(), ErrAlone),
	}
}

// enter waits for a place at the candidate's server, and is refused one that is left
// alone. What came of the call is told to leave.
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
		return nil, leftAlone(c)
	}
	g.running.Add(1)
	return func(err error) {
		g.running.Add(-1)
		free()
		done(err)
	}, nil
}

// broken reports whether anything is left alone just now.
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

// open lists the models that are left alone on a server, "" for what is asked for without
// a name.
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

// place names a candidate for people: its model, else its server.
func (c Candidate) place() string { return cmp.Or(c.Model, c.Server, c.Kind) }
