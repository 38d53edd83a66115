package workshop

import (
	"context"

	"atelier/agent/plan"
	"atelier/jobs"
)

var _ jobs.Reworker = jobsAgent{}

// Reworks returns the follow-ups on the results of a run, such as Vary, that can run now.
func (a jobsAgent) Reworks(ctx context.Context, made *plan.Route) ([]plan.Rework, error) {
	return a.agent.Reworks(ctx, made)
}

// Rework plans a follow-up.
func (a jobsAgent) Rework(
	ctx context.Context, r plan.Request, made *plan.Route, how plan.Rework, limits map[string]int64,
) (*plan.Plan, error) {
	p, err := a.agent.Rework(ctx, r, made, how, limits)
	return p, passing(err)
}
