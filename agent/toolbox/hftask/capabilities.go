package hftask

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"time"

	"atelier/agent/endpoint"
)

const (
	// believed is how long it is believed what a server of one's own has.
	believed = 10 * time.Second
	// probePatience is how long a server may take to tell.
	probePatience = 5 * time.Second
	// maxStates is how many models are remembered of a server that has no list of them.
	maxStates = 500
)

// manifest is what a server has (GET /capabilities).
type manifest struct {
	Tasks map[string]struct {
		Default string   `json:"default"`
		Models  []string `json:"models"`
	} `json:"tasks"`
	Models map[string]struct {
		Tasks []string `json:"tasks"`
		State string   `json:"state"`
	} `json:"models"`
	// bare is a server that does not tell: it serves each task by a default of its own.
	bare bool
}

// unavailable is the state of a model that cannot be run. In any other, loaded, loadable
// or loading, it can.
const unavailable = "unavailable"

// does tells whether a model does a task, and in which state it is.
func (m manifest) does(task, model string) (does bool, state string) {
	known, ok := m.Models[model]
	offered := m.Tasks[task]
	does = ok && slices.Contains(known.Tasks, task) || slices.Contains(offered.Models, model) || offered.Default == model && model != ""
	return does, known.State
}

// capabilities asks a server of one's own what it has, once for all candidates. Who asks
// while another one does waits for the same answer.
type capabilities struct {
	endpoint *endpoint.Endpoint
	clock    func() time.Time
	turn     turn

	at     time.Time
	last   manifest
	err    error
	states map[string]kept[string]
}

// kept is what was learnt at one moment.
type kept[T any] struct {
	at    time.Time
	value T
	err   error
}

func (k kept[T]) fresh(now time.Time, life time.Duration) bool {
	return !k.at.IsZero() && now.Sub(k.at) < life
}

// turn lets one at a time; who waits goes when ctx ends.
type turn chan struct{}

func newTurn() turn { return make(turn, 1) }

func (t turn) take(ctx context.Context) error {
	select {
	case t <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (t turn) end() { <-t }

func newCapabilities(e *endpoint.Endpoint, clock func() time.Time) *capabilities {
	return &capabilities{endpoint: e, clock: clock, turn: newTurn(), states: map[string]kept[string]{}}
}

// known is what the server has.
func (c *capabilities) known(ctx context.Context) (manifest, error) {
	if err := c.turn.take(ctx); err != nil {
		return manifest{}, err
	}
	defer c.turn.end()
	now := c.clock()
	if !c.at.IsZero() && now.Sub(c.at) < believed {
		return c.last, c.err
	}
	m, err := c.ask(ctx)
	if ctx.Err() != nil {
		return manifest{}, ctx.Err() // nobody answered, and nobody is to blame
	}
	c.at, c.last, c.err = now, m, err
	clear(c.states)
	return m, err
}

func (c *capabilities) ask(ctx context.Context) (manifest, error) {
	mine, cancel := context.WithTimeout(ctx, probePatience)
	defer cancel()
	response, err := c.endpoint.Do(mine, endpoint.Request{Path: "/capabilities"})
	if err == nil {
		var m manifest
		if err := json.Unmarshal(response.Body, &m); err != nil || m.Tasks == nil {
			return manifest{}, unreadable(errors.New("the list of what the server can do is not of its form"))
		}
		return m, nil
	}
	for _, alive := range []string{"/healthz", "/"} {
		if !missing(err) {
			return manifest{}, slow(err)
		}
		if _, err = c.endpoint.Do(mine, endpoint.Request{Path: alive}); err == nil {
			return manifest{bare: true}, nil
		}
	}
	return manifest{}, slow(err)
}

// slow makes of the end of the own patience a fault.
func slow(err error) error {
	if errors.Is(err, context.DeadlineExceeded) {
		return down(err, "The tool server does not answer.")
	}
	return err
}

// state is that of a model on a server that does not tell what it has, "" if it is not
// known there.
func (c *capabilities) state(ctx context.Context, model string) (string, error) {
	if err := c.turn.take(ctx); err != nil {
		return "", err
	}
	defer c.turn.end()
	now := c.clock()
	if s := c.states[model]; s.fresh(now, believed) {
		return s.value, s.err
	}
	mine, cancel := context.WithTimeout(ctx, probePatience)
	defer cancel()
	s := kept[string]{at: now}
	response, err := c.endpoint.Do(mine, endpoint.Request{Path: "/status/" + model, Model: model})
	switch {
	case ctx.Err() != nil:
		return "", ctx.Err()
	case missing(err):
	case err != nil:
		s.err = slow(err)
	default:
		var told struct {
			State string `json:"state"`
		}
		if err := json.Unmarshal(response.Body, &told); err != nil {
			s.err = unreadable(errors.New("the state of a model is not of its form"))
		}
		s.value = told.State
	}
	if len(c.states) >= maxStates {
		clear(c.states)
	}
	c.states[model] = s
	return s.value, s.err
}
