package step

import (
	"context"
	"errors"

	"atelier/agent/plan"
)

// Writes reports whether a program is written for the action before it can run.
func (a *Actor) Writes(action plan.Action) bool {
	tool, ok := a.config.Toolbox.Catalogue().Improviser()
	return ok && action.Tool == tool.Name
}

// Write has the next draft of a program written for a step, after those that failed. With an error, the
// Usage of the draft tells what was taken in vain.
func (a *Actor) Write(ctx context.Context, w Work, drafts []plan.Draft) (_ plan.Draft, err error) {
	p, err := a.prepare(ctx, w)
	if err != nil {
		return plan.Draft{}, err
	}
	defer func() { err = errors.Join(err, p.remove()) }()
	d, err := a.config.Toolbox.Write(ctx, p.call, drafts)
	if err != nil && ctx.Err() == nil {
		a.config.Log.WarnContext(ctx, "no program was written", "request", w.Request.ID, "step", w.Steps[w.At].Key, "error", plan.ForOperator(err))
	}
	return d, err
}
