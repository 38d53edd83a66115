package jobs

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"atelier/jobs/record"

	"github.com/hibiken/asynq"
)

// Queue is how a queue stands.
type Queue struct {
	Name string `json:"name"`
	// Waiting are ready, Active run, Later are to be tried again or have a time, Failed
	// were given up and are kept.
	Waiting int `json:"waiting"`
	Active  int `json:"active"`
	Later   int `json:"later"`
	Failed  int `json:"failed"`
	// Oldest is how long the first one has been waiting.
	Oldest time.Duration `json:"oldest"`
	// Workers are the processes that work on it.
	Workers int `json:"workers"`
}

// ours tells whether a queue is one of the jobs: other programs may have queues of asynq on
// the same Redis.
func ours(queue string) bool {
	return slices.Contains([]string{QueuePlan, QueueCPU, QueueGPU, QueueProgram}, queue) || strings.HasPrefix(queue, gatewayQueue(""))
}

// queues are the names of those that there are.
func (j *Jobs) queues() ([]string, error) {
	names, err := j.inspector.Queues()
	if err != nil {
		return nil, fmt.Errorf("list the queues: %w", err)
	}
	return slices.DeleteFunc(names, func(name string) bool { return !ours(name) }), nil
}

// Queues are those that there are, by name.
func (j *Jobs) Queues(ctx context.Context) ([]Queue, error) {
	names, err := j.queues()
	if err != nil {
		return nil, err
	}
	workers, err := j.Workers(ctx)
	if err != nil {
		return nil, err
	}
	for _, w := range workers {
		names = append(names, w.Queues...)
	}
	slices.Sort(names)
	names = slices.Compact(names)
	all := make([]Queue, 0, len(names))
	for _, name := range names {
		q := Queue{Name: name}
		info, err := j.inspector.GetQueueInfo(name)
		switch {
		case err == nil:
			q.Waiting, q.Active, q.Later = info.Pending, info.Active, info.Retry+info.Scheduled
			q.Failed, q.Oldest = info.Archived, info.Latency
		case !errors.Is(err, asynq.ErrQueueNotFound) && !strings.Contains(err.Error(), "does not exist"):
			return nil, fmt.Errorf("look at the queue %s: %w", name, err)
		}
		for _, w := range workers {
			if slices.Contains(w.Queues, name) {
				q.Workers++
			}
		}
		all = append(all, q)
	}
	return all, nil
}

// RetryFailed gives the tasks of a queue that were given up another chance, and tells how
// many there were. What was answered meanwhile is not answered again.
func (j *Jobs) RetryFailed(_ context.Context, queue string) (int, error) {
	if !ours(queue) {
		return 0, queueError(queue, asynq.ErrQueueNotFound)
	}
	n, err := j.inspector.RunAllArchivedTasks(queue)
	return n, queueError(queue, err)
}

// DropFailed forgets the tasks of a queue that were given up, and tells how many there were.
func (j *Jobs) DropFailed(_ context.Context, queue string) (int, error) {
	if !ours(queue) {
		return 0, queueError(queue, asynq.ErrQueueNotFound)
	}
	n, err := j.inspector.DeleteAllArchivedTasks(queue)
	return n, queueError(queue, err)
}

func queueError(queue string, err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, asynq.ErrQueueNotFound) || strings.Contains(err.Error(), "does not exist"):
		return fmt.Errorf("queue %s: %w", queue, record.ErrUnknown)
	}
	return fmt.Errorf("queue %s: %w", queue, err)
}
