package jobs

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"atelier/agent/plan"
	"atelier/jobs/queue"
	"atelier/storage"
)

// runner runs steps, here or in another process.
type runner struct {
	blobs  storage.Blobs
	tasks  *queue.Tasks
	others *queue.Others
	flow   *flow
	agent  Agent
}

// errMoved means that a task was handed over to another queue.
var errMoved = errors.New("moved to another queue")

// run has the agent run a step, or leaves it to a process that runs it better. If the task's queue has no
// such process, or it did not take the step in time, the step runs here as well as possible.
func (r *runner) run(ctx context.Context, w queue.Task, of Work) (plan.Result, error) {
	result, err := r.agent.Act(ctx, of)
	if !errors.Is(err, ErrLacking) || ctx.Err() != nil {
		return result, err
	}
	action := of.Steps[of.At].Action
	others := r.others.CanRun(ctx, action.Tool, w.Queue)
	// A process without an agent puts all steps on cpu. Steps never move to cpu, so that they cannot
	// move back and forth.
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
		return fmt.Errorf("delete unused media: %w", err)
	}
	return nil
}

// dropPreview deletes the preview of a step that runs no longer.
func (r *runner) dropPreview(ctx context.Context, key string, log *slog.Logger) {
	ctx, stop := context.WithTimeout(context.WithoutCancel(ctx), 10*time.Second)
	defer stop()
	if err := r.blobs.Delete(ctx, key); err != nil { // it goes with its thread
		log.DebugContext(ctx, "cannot delete the preview of a step", "error", plan.ForOperator(err))
	}
}
