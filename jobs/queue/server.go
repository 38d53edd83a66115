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

// Pool is queues that share workers.
type Pool struct {
	// Queues have a weight each, by name: plan, cpu, gpu, program, or gateway for those of all
	// adapters. A queue of twice the weight is looked at first twice as often.
	Queues map[string]int
	// Concurrency is how many tasks run at a time.
	Concurrency int
}

// Weights are the queues of a pool with their weights, with a queue for each of the adapters.
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

// Delivery is a task as a worker gets it.
type Delivery struct {
	Task

	// Retried counts the tries before.
	Retried int
	// Unreadable is why the payload cannot be read, nil if it can. Then the task has what its
	// id tells.
	Unreadable error
}

// ServerConfig is what servers are made of.
type ServerConfig struct {
	Redis    redis.UniversalClient
	Pools    []Pool
	Adapters []string
	// Check is how often an idle worker looks for work.
	Check time.Duration
	// Shutdown is how long Shutdown waits for running tasks before it hands them back.
	Shutdown time.Duration
	// Retry is how long to wait before a failed task is tried again.
	Retry func(retries int) time.Duration
	// Work does a task. Its error is tried again, unless it is one of [GiveUp] or [Wait].
	Work func(ctx context.Context, d Delivery) error
	Log  *slog.Logger
}

// Servers take tasks from the queues, one asynq server for each pool.
type Servers struct{ servers []*asynq.Server }

// Start starts the servers. The context is that of every task.
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

// Stop takes no more tasks.
func (s *Servers) Stop() {
	for _, server := range s.servers {
		server.Stop()
	}
}

// Shutdown waits for the running tasks and ends the servers.
func (s *Servers) Shutdown() {
	var ended sync.WaitGroup
	for _, server := range s.servers {
		ended.Go(server.Shutdown)
	}
	ended.Wait()
}

// work hands a task to the handler.
func (c ServerConfig) work(ctx context.Context, t *asynq.Task) error {
	id, _ := asynq.GetTaskID(ctx)
	name, _ := asynq.GetQueueName(ctx)
	task, err := decodeTask(t, id, name)
	if err := c.Work(ctx, Delivery{Task: task, Retried: Retried(ctx), Unreadable: err}); err != nil {
		return &quietError{err}
	}
	return nil
}

// Retried is how often the task of a context was tried before.
func Retried(ctx context.Context) int {
	n, _ := asynq.GetRetryCount(ctx)
	return n
}
