package agent_test

import (
	"context"

	"atelier/agent"
	"atelier/agent/plan"
	"atelier/agent/planner"
	"atelier/agent/step"
)

// outcome is the outcome of a run.
type outcome struct {
	choice  plan.Choice
	account planner.Account
	made    []plan.Resource
	done    bool
}

// run runs the steps of the chosen solutions like the jobs, but in this process and without storing anything: all ready steps
// run concurrently.
func run(ctx context.Context, a *agent.Agent, r plan.Request, p *plan.Plan, choice plan.Choice) (outcome, error) {
	route, err := plan.NewRoute(p, choice)
	if err != nil {
		return outcome{}, err
	}
	memory := step.NewMemory(p.Resources)
	type ended struct {
		step   plan.Step
		result plan.Result
	}
	ends := make(chan ended)
	for running := 0; ; running-- {
		steps := route.Steps()
		for _, at := range route.Ready() {
			if ctx.Err() != nil {
				break
			}
			running++
			route.Start(steps[at].Key)
			go func() {
				ends <- ended{steps[at], a.Act(ctx, step.Work{Request: r, Steps: steps, At: at, Memory: memory})}
			}()
		}
		if running == 0 {
			break
		}
		end := <-ends
		if ctx.Err() != nil && end.result.Status != plan.Done {
			end.result.Final = true // stopped steps have no alternative
		}
		if _, err := route.Record(end.step.Key, end.result); err != nil {
			return outcome{}, err
		}
		if result, ok := route.Result(end.step.Key); ok {
			memory.Record(end.step.Key, result)
		}
	}
	return outcome{
		choice: route.Choice(), made: route.Made(), done: route.Done(),
		account: planner.Account{Request: r, Plan: p, Steps: route.Steps(), Results: route.Results(), Left: p.LeftBy(p.Best()), Fallbacks: english(route.Fallbacks())},
	}, nil
}

// english returns the messages in English.
func english(messages []plan.Message) []string {
	var all []string
	for _, m := range messages {
		all = append(all, m.String())
	}
	return all
}
