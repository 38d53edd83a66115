package step

import (
	"context"
	"errors"

	"atelier/agent/plan"
)

// Writes reports whether a program must be written for the action before it can run.
func (a *Actor) Writes(action plan.Action) bool {
	tool, ok := a.config.Toolbox.Catalogue().Improviser()
	return ok && action.Tool == tool.Name
}

// Write has the next draft of a step's program written, given the failed ones. If it fails, the
// draft's Usage is the cost of the attempt.
func (a *Actor) Write(ctx context.Context, w Work, drafts []plan.Draft) (_ plan.Draft, err error) {
	p, err := a.prepare(ctx, w)
	if err != nil {
		return plan.Draft{}, err
	}
	defer func() { err = errors.Join(err, p.remove()) }()
	d, err := a.config.Toolbox.Write(ctx, p.call, drafts)
	if err != nil && ctx.Err() == nil {
		a.config.Log.WarnContext(ctx, "writing a program failed", "request", w.Request.ID, "step", w.Steps[w.At].Key, "error", plan.ForOperator(err))
	}
	return d, err
}
