package agent

import (
	"context"
	"fmt"
	"runtime/debug"

	"atelier/agent/mind"
	"atelier/agent/plan"
)

// Event tells how far a run has come: a step that has started or ended.
type Event struct {
	Step   plan.Step
	Status plan.Status
	// Problem is set with Failed.
	Problem string
	// Of is how many steps the way has as it stands; another way may have more.
	Of int
}

// Outcome is what came of a run.
type Outcome struct {
	// Choice is what was done in the end: where a solution failed, the one that took
	// its place.
	Choice plan.Choice
	// Account holds the steps, their results and what was done another way.
	Account mind.Account
	// Made are the resources that the steps made and that are there, in the order of
	// the steps: the chosen ones, results of failed attempts left out.
	Made []plan.Resource
	// Done tells that every subtask of the plan has its result.
	Done bool
	// Results are those of every step that ran, by key: what was given up for another
	// solution too.
	Results map[string]plan.Result
}

// Run does the steps of the chosen solutions in this process, independent ones in
// parallel. When a step fails, the next solution of its subtask takes over, unless
// the failure is final ([plan.Fault]); what is done already is not done again (see
// [plan.Route]). progress, which may be nil, is called from one goroutine. Run returns
// when nothing runs any more; when ctx ends, the steps that are not done are failed or
// skipped.
func (a *Agent) Run(ctx context.Context, r plan.Request, p *plan.Plan, choice plan.Choice, progress func(Event)) (Outcome, error) {
	route, err := plan.NewRoute(p, choice)
	if err != nil {
		return Outcome{}, fmt.Errorf("lay out the steps: %w", err)
	}
	if progress == nil {
		progress = func(Event) {}
	}
	memory := NewMemory(p.Resources)
	type ended struct {
		step   plan.Step
		result plan.Result
	}
	ends := make(chan ended)
	running := 0
	for {
		steps := route.Steps() // of now: indexes hold for the work that starts now
		for _, at := range route.Ready() {
			if running == a.config.Parallel || ctx.Err() != nil {
				break
			}
			running++
			step := steps[at]
			route.Start(step.Key)
			progress(Event{Step: step, Status: plan.Running, Of: len(steps)})
			go func() {
				ends <- ended{step, a.actSafely(ctx, Work{Request: r, Steps: steps, At: at, Memory: memory})}
			}()
		}
		if running == 0 {
			break
		}
		end := <-ends
		running--
		if ctx.Err() != nil && end.result.Status != plan.Done {
			end.result.Final = true // what was stopped takes no other way
		}
		progress(Event{Step: end.step, Status: end.result.Status, Problem: end.result.Problem, Of: len(steps)})
		if _, err := route.Record(end.step.Key, end.result); err != nil {
			return Outcome{}, fmt.Errorf("note what came of a step: %w", err)
		}
		if result, ok := route.Result(end.step.Key); ok {
			memory.Record(end.step.Key, result)
		}
	}
	return outcome(r, route), nil
}

// actSafely is Act for a step on a goroutine of its own: a panic is a failed step.
func (a *Agent) actSafely(ctx context.Context, w Work) (result plan.Result) {
	defer func() {
		if p := recover(); p != nil {
			a.config.Log.ErrorContext(ctx, "step broke down", "request", w.Request.ID, "tool", w.Steps[w.At].Action.Tool,
				"panic", fmt.Sprintf("%T", p), "stack", string(debug.Stack()))
			result = plan.Result{
				Status:  plan.Failed,
				Problem: fmt.Sprintf("The tool %s broke down.", w.Steps[w.At].Action.Tool),
			}
		}
	}()
	return a.Act(ctx, w)
}

// outcome gathers what came of the steps of the route.
func outcome(request plan.Request, route *plan.Route) Outcome {
	return Outcome{
		Choice: route.Choice(),
		Account: mind.Account{
			Request:   request,
			Plan:      route.Plan(),
			Steps:     route.Steps(),
			Results:   route.Results(),
			Fallbacks: route.Fallbacks(),
		},
		Made:    route.Made(),
		Done:    route.Done(),
		Results: route.All(),
	}
}
