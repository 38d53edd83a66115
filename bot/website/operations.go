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
	// lookedAtRequests is how many of the latest requests are looked through for failures.
	lookedAtRequests = 200
	// maxFailures is how many failures are shown.
	maxFailures = 20
)

// Operations is how the program fares: its queues, processes and servers, and which requests failed. What was
// asked for is not told, as requests come from other platforms too.
func (w *Backstage) Operations(ctx context.Context) (webpage.Operations, error) {
	var all webpage.Operations
	queues, err := w.Jobs.Queues(ctx)
	if err != nil {
		return all, fmt.Errorf("look at the queues: %w", err)
	}
	for _, q := range queues {
		all.Queues = append(all.Queues, webpage.Queue{
			Name: q.Name, Waiting: q.Waiting, Active: q.Active, Later: q.Later, Failed: q.Failed, Oldest: q.Oldest, Workers: q.Workers,
		})
	}
	workers, err := w.Jobs.Workers(ctx)
	if err != nil {
		return all, fmt.Errorf("look at the processes: %w", err)
	}
	for _, p := range workers {
		all.Processes = append(all.Processes, webpage.Process{
			Name: fmt.Sprintf("%s %d", p.Host, p.Process), Since: p.Since, Queues: p.Queues, Tasks: len(p.Tasks), Tools: len(p.Tools),
		})
	}
	servers, err := w.Toolbox.Health(ctx)
	if err != nil {
		return all, fmt.Errorf("look at the servers: %w", err)
	}
	for _, s := range servers {
		all.Servers = append(all.Servers, webpage.Server{
			Name: s.Server, Kind: s.Kind, State: string(s.State), Why: s.Why, Live: s.Ways, All: s.All,
			Running: s.Running, Waiting: s.Waiting, RunningAtOnce: s.Parallel, Alone: s.Alone,
		})
	}
	latest, err := w.Jobs.Requests(ctx, lookedAtRequests)
	if err != nil {
		return all, fmt.Errorf("look at the requests: %w", err)
	}
	all.Failures = failures(latest)
	return all, nil
}

// failures are the runs that failed, wholly or in part.
func failures(latest []jobs.Request) []webpage.Failure {
	var all []webpage.Failure
	for _, r := range latest {
		for _, run := range slices.Backward(r.Runs) {
			if run.Status != jobs.Failed && run.Status != jobs.Partial || len(all) == maxFailures {
				continue
			}
			f := webpage.Failure{Request: r.ID, Platform: r.Thread.Adapter, At: run.At, Partly: run.Status == jobs.Partial, Why: string(run.Stopped)}
			for _, s := range run.Steps {
				if s.Status == plan.Failed {
					f.Tools = append(f.Tools, s.Action.Tool)
				}
			}
			all = append(all, f)
		}
	}
	return all
}
