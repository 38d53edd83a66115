package jobs

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"atelier/agent/plan"
)

// known is what the other processes can do, as far as it was looked up lately, and what is
// left to them.
type known struct {
	jobs *Jobs

	mu    sync.Mutex
	at    time.Time
	tools map[string][]plan.Candidate
	left  map[string]time.Time // tasks that were left to other processes, since when
}

// Elsewhere are the tools that other processes can run now, each with its candidates: the
// planner searches over them too. It is looked up once in a beat.
func (j *Jobs) Elsewhere(ctx context.Context) (map[string][]plan.Candidate, error) {
	k := j.known
	k.mu.Lock()
	defer k.mu.Unlock()
	if !k.at.IsZero() && time.Since(k.at) < j.config.Beat {
		return k.tools, nil
	}
	workers, err := j.Workers(ctx)
	if err != nil {
		return nil, err
	}
	k.at, k.tools = time.Now(), ToolsOf(slices.DeleteFunc(workers, func(w Worker) bool { return w.ID == j.id }))
	return k.tools, nil
}

// ToolsOf are the tools that any of the workers can run, each with its candidates.
func ToolsOf(workers []Worker) map[string][]plan.Candidate {
	tools := map[string][]plan.Candidate{}
	for _, w := range workers {
		for tool, candidates := range w.Tools {
			for _, c := range candidates {
				if !slices.Contains(tools[tool], c) {
					tools[tool] = append(tools[tool], c)
				}
			}
		}
	}
	return tools
}

// others tells whether another process that works on the queue can run the tool. Where that
// cannot be found out, it may be so.
func (k *known) others(ctx context.Context, tool, queue string) bool {
	tools, err := k.jobs.Elsewhere(ctx)
	return err != nil || slices.ContainsFunc(tools[tool], func(c plan.Candidate) bool { return queueOf(c.Device) == queue })
}

// patient tells whether a task may be left to another process once more.
func (k *known) patient(w task) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	since, before := k.left[w.id()]
	if !before {
		maps.DeleteFunc(k.left, func(_ string, at time.Time) bool { return time.Since(at) > k.jobs.config.Deadline }) // they are over
		since = time.Now()
		k.left[w.id()] = since
	}
	return time.Since(since) < k.jobs.config.Patience
}

// errMoved tells that a task was handed over to another queue.
var errMoved = errors.New("it is done on another queue")

// have has the agent do a step, or leaves it to a process that is to do it. Where there is
// none on the task's queue, or it was waited for long enough, it is done as it can be done
// here.
func (j *Jobs) have(ctx context.Context, w task, of Work) (plan.Result, error) {
	result, err := j.config.Agent.Act(ctx, of)
	if !errors.Is(err, ErrLacking) || ctx.Err() != nil {
		return result, err
	}
	action := of.Steps[of.At].Action
	others := j.known.others(ctx, action.Tool, w.queue)
	// A process without an agent hands over to cpu what it cannot judge. Nothing goes the
	// other way, or it might go to and fro.
	for _, queue := range []string{QueueGPU, QueueProgram} {
		if w.queue == QueueCPU && j.known.others(ctx, action.Tool, queue) && (!others || j.queueFor(ctx, action) == queue) {
			w.queue = queue
			if err := j.enqueue(ctx, w, 0); err != nil {
				return result, err
			}
			return result, errMoved
		}
	}
	if !others || !j.known.patient(w) {
		of.Anyhow = true
		if result, err = j.config.Agent.Act(ctx, of); !errors.Is(err, ErrLacking) {
			return result, err
		}
	}
	if others {
		return result, &waitError{after: retrySoon, err: fmt.Errorf("run %s: %w", action.Tool, err)}
	}
	return result, err
}

// queueOf is where what runs on a device is done.
func queueOf(device string) string {
	if device == QueueGPU || device == QueueProgram {
		return device
	}
	return QueueCPU
}
