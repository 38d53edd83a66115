package jobs

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"slices"
	"sync"
	"time"

	"atelier/agent/plan"
	"atelier/jobs/record"
)

// beat says again and again that this process lives, what it can do, and what it does. It
// waits for nothing but State, and for that no longer than until the next beat: tools that
// are slow to tell whether they are there, or fail to, make nobody take it for dead.
func (j *Jobs) beat(ctx context.Context) {
	host, err := os.Hostname()
	if err != nil {
		host = "unknown"
	}
	me := Worker{ID: j.id, Host: host, Process: os.Getpid(), Since: j.config.Now()}
	for _, p := range j.config.Pools {
		me.Queues = append(me.Queues, slices.Sorted(maps.Keys(j.queuesOf(p)))...)
	}
	found := make(chan map[string][]plan.Candidate)
	var looking sync.WaitGroup
	defer looking.Wait()
	if j.config.Agent != nil && (j.serves(QueueCPU) || j.serves(QueueGPU) || j.serves(QueueProgram)) {
		looking.Go(func() { j.lookAtTools(ctx, found) })
	}
	next := time.NewTicker(j.config.Beat)
	defer next.Stop()
	for ctx.Err() == nil {
		if err := j.tell(ctx, me); err != nil && ctx.Err() == nil {
			j.log.WarnContext(ctx, "this process could not say that it lives", "error", plan.ForOperator(err))
		}
		select {
		case <-ctx.Done():
		case me.Tools = <-found:
		case <-next.C:
		}
	}
}

// lookAtTools tells which tools this process can run now, each time that they are others.
// Where that cannot be found out, what was told last holds.
func (j *Jobs) lookAtTools(ctx context.Context, found chan<- map[string][]plan.Candidate) {
	var told map[string][]plan.Candidate
	for ; ctx.Err() == nil; pause(ctx, j.config.Beat) {
		tools, err := j.config.Agent.Capabilities(ctx)
		switch {
		case ctx.Err() != nil:
		case err != nil:
			j.log.WarnContext(ctx, "the tools of this process could not be looked at", "error", plan.ForOperator(err))
		case !maps.EqualFunc(tools, told, slices.Equal):
			told = tools
			select {
			case <-ctx.Done():
			case found <- tools:
			}
		}
	}
}

// tell publishes what this process is and does now.
func (j *Jobs) tell(ctx context.Context, me Worker) error {
	ctx, stop := context.WithTimeout(ctx, j.config.Beat)
	defer stop()
	me.Tasks = j.active.ids()
	b, err := json.Marshal(me)
	if err != nil {
		return fmt.Errorf("encode a worker: %w", err)
	}
	return j.config.State.Put(ctx, record.WorkerKey(j.id), b, j.expires())
}

// expires is after how long a process that is not heard of is taken for dead: three beats
// may be lost, and the fourth may be late by half of one.
func (j *Jobs) expires() time.Duration { return j.config.Beat*9/2 + time.Millisecond }

// farewell takes this process from the list.
func (j *Jobs) farewell(ctx context.Context) error {
	ctx, stop := context.WithTimeout(ctx, 5*time.Second)
	defer stop()
	if err := j.config.State.Delete(ctx, record.WorkerKey(j.id)); err != nil {
		return fmt.Errorf("say farewell: %w", err)
	}
	return nil
}
