package jobs

import (
	"context"
	"errors"
	"fmt"
	"time"

	"atelier/agent/plan"
	"atelier/jobs/queue"
	"atelier/storage"
)

// runner has the agent run steps, here or in another process.
type runner struct {
	blobs  storage.Blobs
	tasks  *queue.Tasks
	others *queue.Others
	flow   *flow
	agent  Agent
}

// errMoved means that a task was handed over to another queue.
var errMoved = errors.New("it is done on another queue")

// run has the agent do a step, or leaves it to a process that is to do it. If there is none on
// the task's queue, or it was waited for long enough, the step is done as this process can.
func (r *runner) run(ctx context.Context, w queue.Task, of Work) (plan.Result, error) {
	result, err := r.agent.Act(ctx, of)
	if !errors.Is(err, ErrLacking) || ctx.Err() != nil {
		return result, err
	}
	action := of.Steps[of.At].Action
	others := r.others.CanRun(ctx, action.Tool, w.Queue)
	// A process without an agent puts steps on cpu that it cannot judge. Nothing goes the other
	// way, or it might go to and fro.
	for _, to := range []string{queue.GPU, queue.Program} {
		if w.Queue == queue.CPU && r.others.CanRun(ctx, action.Tool, to) && (!others || r.flow.queueFor(ctx, action) == to) {
			w.Queue = to
			if err := r.tasks.Enqueue(ctx, w, 0); err != nil {
				return result, err
			}
			return result, errMoved
		}
	}
	if !others || !r.others.MayWait(w) {
		of.Anyhow = true
		if result, err = r.agent.Act(ctx, of); !errors.Is(err, ErrLacking) {
			return result, err
		}
	}
	if others {
		return result, queue.Wait(queue.RetrySoon, fmt.Errorf("run %s: %w", action.Tool, err))
	}
	return result, err
}

// discard deletes the media of an attempt.
func (r *runner) discard(ctx context.Context, folder string) error {
	if folder == "" {
		return nil
	}
	ctx, stop := context.WithTimeout(context.WithoutCancel(ctx), 10*time.Second)
	defer stop()
	if err := r.blobs.DeleteAll(ctx, folder); err != nil {
		return fmt.Errorf("delete what is of no use: %w", err)
	}
	return nil
}
