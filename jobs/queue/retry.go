package queue

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/hibiken/asynq"

	"atelier/agent/plan"
	"atelier/storage"
)

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
