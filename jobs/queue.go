package jobs

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

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

// Queues are those that there are, by name.
func (j *Jobs) Queues(ctx context.Context) ([]Queue, error) {
	names, err := j.inspector.Queues()
	if err != nil {
		return nil, fmt.Errorf("list the queues: %w", err)
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
	n, err := j.inspector.RunAllArchivedTasks(queue)
	return n, queueError(queue, err)
}

// DropFailed forgets the tasks of a queue that were given up, and tells how many there were.
func (j *Jobs) DropFailed(_ context.Context, queue string) (int, error) {
	n, err := j.inspector.DeleteAllArchivedTasks(queue)
	return n, queueError(queue, err)
}

func queueError(queue string, err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, asynq.ErrQueueNotFound) || strings.Contains(err.Error(), "does not exist"):
		return fmt.Errorf("queue %s: %w", queue, ErrUnknown)
	}
	return fmt.Errorf("queue %s: %w", queue, err)
}

// activeTasks are the tasks that asynq holds for active, by id.
func (j *Jobs) activeTasks(queue string) (map[string]task, error) {
	const page = 500
	all := map[string]task{}
	for n := 1; ; n++ {
		infos, err := j.inspector.ListActiveTasks(queue, asynq.PageSize(page), asynq.Page(n))
		if errors.Is(err, asynq.ErrQueueNotFound) {
			return all, nil
		}
		if err != nil {
			return nil, fmt.Errorf("list the active tasks: %w", err)
		}
		for _, i := range infos {
			if t, ok := taskOf(queue, i.Type, i.ID, i.Payload); ok {
				all[i.ID] = t
			}
		}
		if len(infos) < page {
			return all, nil
		}
	}
}
