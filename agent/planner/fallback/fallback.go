// Package fallback makes one planner of two: the first does the language jobs, and when it
// cannot, the second does the job and all that come after it.
//
//	first ──fails──► second ──► second ──► …   until the request is over
//
// Guarantees:
//   - A request changes over once and for good, in later stages and other processes too:
//     what the second decomposed has shapes that the first would not know. The next
//     request begins with the first again.
//   - People are told, in a sentence of the plan ([plan.Thinking].StoodIn), why the first
//     did not do it and what the second did instead.
//   - What the first declines, and what takes more than one may ask for, the second does
//     not do either: such errors are final ([plan.Fault]). So the end of the context is
//     an end.
//   - The operator reads in the log why it came to that; never a request or a key.
package fallback

import (
	"context"
	"errors"
	"log/slog"

	"atelier/agent/plan"
	"atelier/agent/planner"
)

// Config names the two planners.
type Config struct {
	// First asks a language model.
	First planner.Planner
	// Second works by rules, needs no server, and understands English only.
	Second planner.Planner
	// Tell tells people fixed sentences in the language of their request. Nil is English.
	Tell plan.Tell
	// Log takes why the second stood in. Nil logs nothing.
	Log *slog.Logger
}

// Planner is the two of them.
type Planner struct{ config Config }

var _ planner.Planner = (*Planner)(nil)

// New checks the configuration.
func New(c Config) (*Planner, error) {
	if c.First == nil || c.Second == nil {
		return nil, errors.New("fallback: two planners are needed")
	}
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	return &Planner{c}, nil
}

// Decompose splits the request.
func (m *Planner) Decompose(ctx context.Context, r plan.Request, t *plan.Thinking) (planner.Decomposition, error) {
	return do(ctx, m, job{"decompose", understood, r}, t, func(which planner.Planner) (planner.Decomposition, error) {
		return which.Decompose(ctx, r, t)
	})
}

// Assess scores the tools.
func (m *Planner) Assess(ctx context.Context, r plan.Request, tasks []planner.Assessment, t *plan.Thinking) ([][]float64, error) {
	return do(ctx, m, job{"assess", chose, r}, t, func(which planner.Planner) ([][]float64, error) {
		return which.Assess(ctx, r, tasks, t)
	})
}

// Settle ranks and completes the solutions.
func (m *Planner) Settle(ctx context.Context, r plan.Request, tasks []planner.Contest, t *plan.Thinking) ([]planner.Settlement, error) {
	return do(ctx, m, job{"settle", chose, r}, t, func(which planner.Planner) ([]planner.Settlement, error) {
		return which.Settle(ctx, r, tasks, t)
	})
}

// Respond words the answer.
func (m *Planner) Respond(ctx context.Context, a planner.Account, t *plan.Thinking) (string, error) {
	return do(ctx, m, job{"respond", worded, a.Request}, t, func(which planner.Planner) (string, error) {
		return which.Respond(ctx, a, t)
	})
}

// job is what is to be done for which request.
type job struct {
	name    string
	instead func(because plan.Message) plan.Message // what people are told when the second does it
	request plan.Request
}

// do has a job done by the first, or by the second once the first has failed.
func do[T any](ctx context.Context, m *Planner, j job, t *plan.Thinking, by func(planner.Planner) (T, error)) (T, error) {
	if t.StoodIn != "" {
		return by(m.config.Second)
	}
	answer, err := by(m.config.First)
	if err == nil || ctx.Err() != nil || plan.Final(err) {
		return answer, err
	}
	m.config.Log.WarnContext(ctx, "another planner stands in", "request", j.request.ID, "job", j.name, "error", plan.ForOperator(err))
	t.StoodIn = m.config.Tell.In(j.request.Language, j.instead(because(err)))
	return by(m.config.Second)
}
