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

// waitError is a task that is to be tried again later and has not failed: the platform wants
// a pause, or another process must do it.
type waitError struct {
	after time.Duration
	err   error
}

func (e *waitError) Error() string { return fmt.Sprintf("wait %s: %v", e.after, e.err) }
func (e *waitError) Unwrap() error { return e.err }

// Wait has a task tried again after a time, without counting as a failed try.
func Wait(after time.Duration, why error) error { return &waitError{after, why} }

// Waiting reports whether an error is one of [Wait].
func Waiting(err error) bool {
	_, ok := errors.AsType[*waitError](err)
	return ok
}

// Delay is how long an error of [Wait] waits.
func Delay(err error) time.Duration {
	if wait, ok := errors.AsType[*waitError](err); ok {
		return wait.after
	}
	return 0
}

// RetrySoon is the delay before another look at a task that another process must do.
const RetrySoon = 500 * time.Millisecond

// What errors of a task's work mean.
var (
	// ErrPassing means that the same may succeed later.
	ErrPassing = errors.New("it may succeed later")
	// ErrLacking means that another process has to do it.
	ErrLacking = errors.New("this process lacks the tool")
)

// Passing reports whether the same may succeed later.
func Passing(err error) bool {
	return errors.Is(err, storage.ErrUnreachable) || errors.Is(err, storage.ErrFull) || errors.Is(err, ErrPassing)
}

// GiveUp has a task not tried again.
func GiveUp(why error) error { return fmt.Errorf("%w: %w", why, asynq.SkipRetry) }

// GivenUp reports whether an error is one of [GiveUp].
func GivenUp(err error) bool { return errors.Is(err, asynq.SkipRetry) }

// quietError is what asynq stores of an error: nothing that quotes a person.
type quietError struct{ err error }

func (e *quietError) Error() string { return plan.ForOperator(e.err) }
func (e *quietError) Unwrap() error { return e.err }

// isFailure tells asynq which errors count as a try.
func isFailure(err error) bool { return !Waiting(err) }

// retryDelay tells asynq when to try again.
func (c ServerConfig) retryDelay(n int, err error, _ *asynq.Task) time.Duration {
	if Waiting(err) {
		return Delay(err)
	}
	return c.Retry(n)
}

// Backoff is the delay before the next try after n retries: short at first, so that a restart
// of a server is hardly felt, and at most five minutes.
func Backoff(n int) time.Duration {
	d := min(time.Second<<min(n, 10), 5*time.Minute)
	return d/2 + rand.N(d/2+1) //nolint:gosec // so that not all try at once
}
