package queue

import (
	"context"
	"fmt"
	"log/slog"
	"maps"
	"sync"
	"time"

	"github.com/hibiken/asynq"
	"github.com/redis/go-redis/v9"
)

// Pool is a set of queues that share workers.
type Pool struct {
	// Queues maps queue names to weights: plan, cpu, gpu, program, or gateway for those of all adapters.
	// A queue with twice the weight is polled first twice as often.
	Queues map[string]int
	// Concurrency is the maximum number of concurrent tasks.
	Concurrency int
}

// Weights returns the queues of a pool with their weights, gateway replaced by a queue per adapter.
func (p Pool) Weights(adapters []string) map[string]int {
	queues := maps.Clone(p.Queues)
	if weight, ok := queues[Gateway]; ok {
		delete(queues, Gateway)
		for _, name := range adapters {
			queues[OfAdapter(name)] = weight
		}
	}
	return queues
}

// Delivery is a task as passed to a worker.
type Delivery struct {
	Task

	// Retried is the number of retries so far.
	Retried int
	// Unreadable is why the payload cannot be decoded, nil if it can. Then the task has only what its id
	// contains.
	Unreadable error
}

// ServerConfig configures [Servers].
type ServerConfig struct {
	Redis    redis.UniversalClient
	Pools    []Pool
	Adapters []string
	// Check is how often an idle worker polls its queues.
	Check time.Duration
	// Shutdown is how long Shutdown waits for running tasks before it returns them to their queues.
	Shutdown time.Duration
	// Retry is the backoff before the next retry of a failed task.
	Retry func(retries int) time.Duration
	// Work runs a task. The task is retried after an error, see [GiveUp] and [Wait].
	Work func(ctx context.Context, d Delivery) error
	Log  *slog.Logger
}

// Servers takes tasks from the queues, with one asynq server per pool.
type Servers struct{ servers []*asynq.Server }

// Start starts the servers. Tasks run with ctx.
func Start(ctx context.Context, c ServerConfig) (*Servers, error) {
	s := &Servers{}
	for _, p := range c.Pools {
		queues := p.Weights(c.Adapters)
		if len(queues) == 0 { // a gateway without adapters
			continue
		}
		server := asynq.NewServerFromRedisClient(c.Redis, asynq.Config{
			Concurrency: p.Concurrency, Queues: queues, BaseContext: func() context.Context { return ctx },
			TaskCheckInterval: c.Check, DelayedTaskCheckInterval: min(20*c.Check, 2*time.Second),
			ShutdownTimeout: c.Shutdown, RetryDelayFunc: c.retryDelay, IsFailure: isFailure,
			Logger: asynqLog{c.Log}, LogLevel: asynq.WarnLevel,
		})
		if err := server.Start(asynq.HandlerFunc(c.work)); err != nil {
			s.Shutdown()
			return nil, fmt.Errorf("start the workers: %w", err)
		}
		s.servers = append(s.servers, server)
	}
	return s, nil
}

// Stop stops taking tasks.
func (s *Servers) Stop() {
	for _, server := range s.servers {
		server.Stop()
	}
}

// Shutdown waits for the running tasks and stops the servers.
func (s *Servers) Shutdown() {
	var ended sync.WaitGroup
	for _, server := range s.servers {
		ended.Go(server.Shutdown)
	}
	ended.Wait()
}

// work decodes a task and calls the handler.
func (c ServerConfig) work(ctx context.Context, t *asynq.Task) error {
	id, _ := asynq.GetTaskID(ctx)
	name, _ := asynq.GetQueueName(ctx)
	task, err := decodeTask(t, id, name)
	if err := c.Work(ctx, Delivery{Task: task, Retried: Retried(ctx), Unreadable: err}); err != nil {
		return &quietError{err}
	}
	return nil
}

// Retried returns the number of retries so far of the task of a context.
func Retried(ctx context.Context) int {
	n, _ := asynq.GetRetryCount(ctx)
	return n
}
