package queue

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"math/rand/v2"
	"regexp"
	"strings"
	"sync"
	"time"

	"github.com/hibiken/asynq"
	"github.com/redis/go-redis/v9"

	"atelier/agent/plan"
	"atelier/storage"
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

// asynqLog logs asynq's messages, with the request that they are about.
type asynqLog struct{ log *slog.Logger }

func (l asynqLog) Debug(args ...any) { l.about(args).Debug(fmt.Sprint(args...)) }
func (l asynqLog) Info(args ...any)  { l.about(args).Info(fmt.Sprint(args...)) }
func (l asynqLog) Error(args ...any) { l.about(args).Error(fmt.Sprint(args...)) }
func (l asynqLog) Fatal(args ...any) { l.about(args).Error(fmt.Sprint(args...)) }

// Warn omits asynq's message about a given-up task: our own line has the reason.
func (l asynqLog) Warn(args ...any) {
	if said := fmt.Sprint(args...); !strings.HasPrefix(said, "Retry exhausted ") {
		l.about(args).Warn(said)
	}
}

// taskInText matches the id of a task ([Task.ID]) in a message.
var taskInText = func() *regexp.Regexp {
	var kinds []string
	for _, k := range Kinds() {
		kinds = append(kinds, string(k))
	}
	return regexp.MustCompile(`\b(` + strings.Join(kinds, "|") + `):([a-z2-7]{16}):`)
}()

func (l asynqLog) about(args []any) *slog.Logger {
	log := l.log.With("by", "asynq")
	if found := taskInText.FindStringSubmatch(fmt.Sprint(args...)); found != nil {
		log = log.With("request", found[2], "stage", found[1])
	}
	return log
}

// waitError delays a task that has not failed: the platform's rate limit is reached, or another process has
// to run it.
type waitError struct {
	after time.Duration
	err   error
}

func (e *waitError) Error() string { return fmt.Sprintf("wait %s: %v", e.after, e.err) }
func (e *waitError) Unwrap() error { return e.err }

// Wait returns an error that retries a task after a delay, without counting as a failure.
func Wait(after time.Duration, why error) error { return &waitError{after, why} }

// Waiting reports whether an error comes from [Wait].
func Waiting(err error) bool {
	_, ok := errors.AsType[*waitError](err)
	return ok
}

// Delay returns the delay of an error from [Wait].
func Delay(err error) time.Duration {
	if wait, ok := errors.AsType[*waitError](err); ok {
		return wait.after
	}
	return 0
}

// RetrySoon is the delay before retrying a task that another process has to run.
const RetrySoon = 500 * time.Millisecond

// Errors of a task's work that decide what becomes of the task.
var (
	// ErrPassing means that a retry may succeed.
	ErrPassing = errors.New("it may succeed later")
	// ErrLacking means that another process has to run the task.
	ErrLacking = errors.New("this process lacks the tool")
)

// Passing reports whether a retry may succeed.
func Passing(err error) bool {
	return errors.Is(err, storage.ErrUnreachable) || errors.Is(err, storage.ErrFull) || errors.Is(err, ErrPassing)
}

// GiveUp returns an error that ends the retries of a task.
func GiveUp(why error) error { return fmt.Errorf("%w: %w", why, asynq.SkipRetry) }

// GivenUp reports whether an error comes from [GiveUp].
func GivenUp(err error) bool { return errors.Is(err, asynq.SkipRetry) }

// quietError is an error as asynq stores it, without the words of people.
type quietError struct{ err error }

func (e *quietError) Error() string { return plan.ForOperator(e.err) }
func (e *quietError) Unwrap() error { return e.err }

// isFailure tells asynq which errors count as a failure.
func isFailure(err error) bool { return !Waiting(err) }

// retryDelay tells asynq when to retry.
func (c ServerConfig) retryDelay(n int, err error, _ *asynq.Task) time.Duration {
	if Waiting(err) {
		return Delay(err)
	}
	return c.Retry(n)
}

// Backoff is the delay before the next retry after n retries: short at first, to bridge the restart of a
// server, and at most five minutes.
func Backoff(n int) time.Duration {
	d := min(time.Second<<min(n, 10), 5*time.Minute)
	return d/2 + rand.N(d/2+1) //nolint:gosec // jitter
}
