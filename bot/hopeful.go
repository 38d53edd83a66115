package main

import (
	"context"

	"atelier/agent"
	"atelier/agent/endpoint"
	"atelier/agent/evaluate"
	"atelier/agent/plan"
)

var (
	_ evaluate.Planner        = (*agent.Agent)(nil)
	_ evaluate.SubtaskPlanner = (*agent.Agent)(nil)
	_ evaluate.Planner        = hopeful{}
)

// hopeful is a planner that ends a measurement once its model can be asked nothing more:
// a wrong key does not get better with the next request.
type hopeful struct {
	evaluate.Planner

	end context.CancelCauseFunc
}

// Plan makes the plan of a request.
func (h hopeful) Plan(ctx context.Context, r plan.Request) (*plan.Plan, error) {
	p, err := h.Planner.Plan(ctx, r)
	switch endpoint.KindOf(err) {
	case endpoint.KeyRefused, endpoint.Forbidden, endpoint.Quota, endpoint.ModelUnknown:
		h.end(err)
	default: // the next request may fare better
	}
	return p, err
}
