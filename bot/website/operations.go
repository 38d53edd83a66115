package website

import (
	"context"
	"fmt"
	"slices"

	webpage "atelier/adapters/web/page"
	"atelier/agent/plan"
	"atelier/jobs"
)

const (
	// lookedAtRequests is the number of latest requests searched for failures.
	lookedAtRequests = 200
	// maxFailures is the maximum number of failures shown.
	maxFailures = 20
)

// Operations returns the state of queues, processes and servers, and recent failures. It leaves out the texts
// of requests, since they come from other platforms too.
func (w *Backstage) Operations(ctx context.Context) (webpage.Operations, error) {
	var all webpage.Operations
	queues, err := w.Jobs.Queues(ctx)
	if err != nil {
		return all, fmt.Errorf("list the queues: %w", err)
	}
	for _, q := range queues {
		all.Queues = append(all.Queues, webpage.Queue{
			Name: q.Name, Waiting: q.Waiting, Active: q.Active, Later: q.Later, Failed: q.Failed, Oldest: q.Oldest, Workers: q.Workers,
		})
	}
	workers, err := w.Jobs.Workers(ctx)
	if err != nil {
		return all, fmt.Errorf("list the processes: %w", err)
	}
	for _, p := range workers {
		all.Processes = append(all.Processes, webpage.Process{
			Name: fmt.Sprintf("%s %d", p.Host, p.Process), Since: p.Since, Queues: p.Queues, Tasks: len(p.Tasks), Tools: len(p.Tools),
		})
	}
	servers, err := w.Toolbox.Health(ctx)
	if err != nil {
		return all, fmt.Errorf("list the servers: %w", err)
	}
	for _, s := range servers {
		all.Servers = append(all.Servers, webpage.Server{
			Name: s.Server, Kind: s.Kind, State: string(s.State), Why: s.Why, Live: s.Ways, All: s.All,
			Running: s.Running, Waiting: s.Waiting, RunningAtOnce: s.Parallel, Alone: s.Alone,
		})
	}
	latest, err := w.Jobs.Requests(ctx, lookedAtRequests)
	if err != nil {
		return all, fmt.Errorf("list the requests: %w", err)
	}
	all.Failures = failures(latest)
	return all, nil
}

// failures returns the runs that failed completely or partly.
func failures(latest []jobs.Request) []webpage.Failure {
	var all []webpage.Failure
	for _, r := range latest {
		for _, run := range slices.Backward(r.Runs) {
			if run.Status != jobs.Failed && run.Status != jobs.Partial || len(all) == maxFailures {
				continue
			}
			f := webpage.Failure{
				Request: r.ID, Platform: r.Thread.Adapter, At: run.At,
				Partly: run.Status == jobs.Partial, Why: string(run.Stopped), Cause: run.Cause,
			}
			for _, s := range run.Steps {
				if s.Status == plan.Failed {
					f.Tools = append(f.Tools, webpage.FailedTool{Name: s.Action.Tool, Cause: s.Cause})
				}
			}
			all = append(all, f)
		}
	}
	return all
}
