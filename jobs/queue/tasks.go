package queue

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/hibiken/asynq"
	"github.com/redis/go-redis/v9"

	"atelier/jobs/record"
)

// Tasks enqueues tasks and inspects the queues. It is safe for concurrent use.
type Tasks struct {
	client    *asynq.Client
	inspector *asynq.Inspector
}

// remembered is how long Redis remembers a finished task, so that it is not enqueued twice.
const remembered = 2 * time.Hour

// NewTasks returns the tasks in r.
func NewTasks(r redis.UniversalClient) *Tasks {
	return &Tasks{client: asynq.NewClientFromRedisClient(r), inspector: asynq.NewInspectorFromRedisClient(r)}
}

// Enqueue enqueues a task, to run after a delay. A task that was enqueued before is not enqueued again.
func (s *Tasks) Enqueue(ctx context.Context, t Task, after time.Duration) error {
	t.Version = record.Version
	payload, err := json.Marshal(t.stored())
	if err != nil {
		return fmt.Errorf("encode a task: %w", err)
	}
	options := []asynq.Option{
		asynq.TaskID(t.ID()), asynq.Queue(t.Queue), asynq.Retention(remembered),
		asynq.Timeout(Allowed(t.Kind).Timeout), asynq.MaxRetry(never), // the worker gives it up
	}
	if after > 0 {
		options = append(options, asynq.ProcessIn(after))
	}
	_, err = s.client.EnqueueContext(ctx, asynq.NewTask(string(t.Kind), payload), options...)
	if err != nil && !errors.Is(err, asynq.ErrTaskIDConflict) {
		return fmt.Errorf("enqueue %s: %w", t.Kind, err)
	}
	return nil
}

// Revive enqueues a task that may have been lost, unless it is waiting or running. If asynq remembers that
// it was done, it is enqueued as a further attempt.
func (s *Tasks) Revive(ctx context.Context, t Task) error {
	for ; ; t.Attempt++ {
		info, err := s.inspector.GetTaskInfo(t.Queue, t.ID())
		switch {
		case unknown(err):
			return s.Enqueue(ctx, t, 0)
		case err != nil:
			return fmt.Errorf("look up a task: %w", err)
		case info.State == asynq.TaskStateCompleted:
			continue
		case info.State == asynq.TaskStateArchived:
			if err := s.inspector.RunTask(t.Queue, t.ID()); err != nil {
				return fmt.Errorf("run a task again: %w", err)
			}
		default: // waiting or running
		}
		return nil
	}
}

// Superseded reports whether a further attempt of the task was enqueued because its worker was considered
// dead. Then that attempt runs the task.
func (s *Tasks) Superseded(t Task) bool {
	t.Attempt++
	_, err := s.inspector.GetTaskInfo(t.Queue, t.ID())
	return err == nil
}

// Remove removes a task.
func (s *Tasks) Remove(t Task) error {
	if err := s.inspector.DeleteTask(t.Queue, t.ID()); err != nil && !unknown(err) {
		return fmt.Errorf("remove a task: %w", err)
	}
	return nil
}

// Statuses returns the state of all queues that exist or have workers, by name.
func (s *Tasks) Statuses(workers []Worker) ([]Status, error) {
	names, err := s.names()
	if err != nil {
		return nil, err
	}
	for _, w := range workers {
		names = append(names, w.Queues...)
	}
	slices.Sort(names)
	names = slices.Compact(names)
	all := make([]Status, 0, len(names))
	for _, name := range names {
		q := Status{Name: name}
		info, err := s.inspector.GetQueueInfo(name)
		switch {
		case err == nil:
			q.Waiting, q.Active, q.Later = info.Pending, info.Active, info.Retry+info.Scheduled
			q.Failed, q.Oldest = info.Archived, info.Latency
		case !noQueue(err):
			return nil, fmt.Errorf("inspect the queue %s: %w", name, err)
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

func unknown(err error) bool {
	return errors.Is(err, asynq.ErrTaskNotFound) || errors.Is(err, asynq.ErrQueueNotFound)
}

// ours reports whether a queue is ours: other programs may have asynq queues on the same Redis.
func ours(queue string) bool {
	return slices.Contains([]string{Plan, CPU, GPU, Program}, queue) || strings.HasPrefix(queue, OfAdapter(""))
}

// RetryFailed retries the archived tasks of a queue and returns their number. Requests that were answered
// meanwhile are not answered again.
func (s *Tasks) RetryFailed(queue string) (int, error) {
	if !ours(queue) {
		return 0, queueError(queue, asynq.ErrQueueNotFound)
	}
	n, err := s.inspector.RunAllArchivedTasks(queue)
	return n, queueError(queue, err)
}

// DropFailed deletes the archived tasks of a queue and returns their number.
func (s *Tasks) DropFailed(queue string) (int, error) {
	if !ours(queue) {
		return 0, queueError(queue, asynq.ErrQueueNotFound)
	}
	n, err := s.inspector.DeleteAllArchivedTasks(queue)
	return n, queueError(queue, err)
}

// has reports whether asynq knows a task.
func (s *Tasks) has(t Task) (bool, error) {
	_, err := s.inspector.GetTaskInfo(t.Queue, t.ID())
	switch {
	case err == nil:
		return true, nil
	case unknown(err):
		return false, nil
	}
	return false, fmt.Errorf("look up a task: %w", err)
}

// Status is the state of a queue.
type Status struct {
	Name string `json:"name"`
	// Waiting tasks are ready, Active ones run, Later ones are scheduled or wait for a retry, and
	// Failed ones are archived.
	Waiting int `json:"waiting"`
	Active  int `json:"active"`
	Later   int `json:"later"`
	Failed  int `json:"failed"`
	// Oldest is how long the first waiting task has been waiting.
	Oldest time.Duration `json:"oldest"`
	// Workers is the number of processes that work on the queue.
	Workers int `json:"workers"`
}

// names returns the names of our queues.
func (s *Tasks) names() ([]string, error) {
	names, err := s.inspector.Queues()
	if err != nil {
		return nil, fmt.Errorf("list the queues: %w", err)
	}
	return slices.DeleteFunc(names, func(name string) bool { return !ours(name) }), nil
}

// active returns the tasks of all queues that asynq considers active, by id. Tasks of another version are
// left to asynq and to the processes of that version.
func (s *Tasks) active() (map[string]Task, error) {
	names, err := s.names()
	if err != nil {
		return nil, err
	}
	all := map[string]Task{}
	for _, name := range names {
		if err := s.addActive(all, name); err != nil {
			return nil, err
		}
	}
	return all, nil
}

func (s *Tasks) addActive(all map[string]Task, queue string) error {
	const page = 500
	for n := 1; ; n++ {
		infos, err := s.inspector.ListActiveTasks(queue, asynq.PageSize(page), asynq.Page(n))
		if errors.Is(err, asynq.ErrQueueNotFound) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("list the active tasks: %w", err)
		}
		for _, i := range infos {
			t, err := decodeTask(asynq.NewTask(i.Type, i.Payload), i.ID, queue)
			if err == nil && t.ID() == i.ID {
				all[i.ID] = t
			}
		}
		if len(infos) < page {
			return nil
		}
	}
}

func noQueue(err error) bool {
	return errors.Is(err, asynq.ErrQueueNotFound) || strings.Contains(err.Error(), "does not exist")
}

func queueError(queue string, err error) error {
	switch {
	case err == nil:
		return nil
	case noQueue(err):
		return fmt.Errorf("queue %s: %w", queue, record.ErrUnknown)
	}
	return fmt.Errorf("queue %s: %w", queue, err)
}
