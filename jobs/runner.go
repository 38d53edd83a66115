package jobs

import (
	"context"
	"errors"
	"fmt"

	"atelier/agent/plan"
	"atelier/jobs/queue"
)

// errMoved means that a task was handed over to another queue.
var errMoved = errors.New("it is done on another queue")

// have has the agent do a step, or leaves it to a process that is to do it. If there is none on
// the task's queue, or it was waited for long enough, the step is done as this process can.
func (j *Jobs) have(ctx context.Context, w queue.Task, of Work) (plan.Result, error) {
	result, err := j.config.Agent.Act(ctx, of)
	if !errors.Is(err, ErrLacking) || ctx.Err() != nil {
		return result, err
	}
	action := of.Steps[of.At].Action
	others := j.others.CanRun(ctx, action.Tool, w.Queue)
	// A process without an agent puts steps on cpu that it cannot judge. Nothing goes the other
	// way, or it might go to and fro.
	for _, to := range []string{queue.GPU, queue.Program} {
		if w.Queue == queue.CPU && j.others.CanRun(ctx, action.Tool, to) && (!others || j.queueFor(ctx, action) == to) {
			w.Queue = to
			if err := j.tasks.Enqueue(ctx, w, 0); err != nil {
				return result, err
			}
			return result, errMoved
		}
	}
	if !others || !j.others.MayWait(w) {
		of.Anyhow = true
		if result, err = j.config.Agent.Act(ctx, of); !errors.Is(err, ErrLacking) {
			return result, err
		}
	}
	if others {
		return result, queue.Wait(retrySoon, fmt.Errorf("run %s: %w", action.Tool, err))
	}
	return result, err
}
