// Package fallback combines two planners: the first does the jobs, and if it fails, the second does
// that job and all later ones of the request.
//
//	first ──fails──► second ──► second ──► …   until the request is over
//
// Guarantees:
//   - A request switches once and for good, in later stages and other processes too, since the first
//     would not understand the second's decomposition. The next request starts with the first again.
//   - The plan tells people ([plan.Thinking].StoodIn) why the first failed and what the second did.
//   - If the first declines a request, or the request exceeds a limit, the second does not do it
//     either: such errors are final ([plan.Fault]). So is the end of the context.
//   - The operator's log says why it switched. It contains no request and no key.
package fallback

import (
	"context"
	"errors"
	"log/slog"

	"atelier/agent/plan"
	"atelier/agent/planner"
)

// Config configures a Planner.
type Config struct {
	// First asks a language model.
	First planner.Planner
	// Second works by rules, needs no server, and understands English only.
	Second planner.Planner
	// Tell translates fixed sentences into the language of a request. Nil means English.
	Tell plan.Translate
	// Log receives the reasons for switching. Nil logs nothing.
	Log *slog.Logger
}

// Planner combines the two planners.
type Planner struct{ config Config }

var _ planner.Planner = (*Planner)(nil)

// New validates the configuration.
func New(c Config) (*Planner, error) {
	if c.First == nil || c.Second == nil {
		return nil, errors.New("fallback: First and Second are required")
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

// job describes a job of a request.
type job struct {
	name    string
	instead func(because plan.Message) plan.Message // the sentence for people if the second planner does it
	request plan.Request
}

// do has a job done by the first planner, or by the second once the first has failed.
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
