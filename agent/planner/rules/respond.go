package rules

import (
	"context"

	"atelier/agent/plan"
	"atelier/agent/planner"
	"atelier/agent/wording"
)

// Respond reports a run in plain words: first what was made, then what failed, and what is approximate. It mentions only
// what is in the results.
func (p *Planner) Respond(ctx context.Context, a planner.Account, _ *plan.Thinking) (string, error) {
	if err := ctx.Err(); err != nil {
		return "", err
	}
	if len(a.Plan.Tasks) == 0 {
		return a.Plan.Reply + a.Plan.Question, nil
	}
	return wording.Account(p.Catalogue, a, p.tell), nil
}
