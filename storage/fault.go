package storage

import (
	"errors"
	"fmt"
	"net"
)

// The errors of a storage that callers can react to.
var (
	// ErrNotFound means that there is no such blob or value. Do not retry.
	ErrNotFound = errors.New("not found")
	// ErrKey means that the key is invalid.
	ErrKey = errors.New("invalid key")
	// ErrTooLarge means that a value or a hint exceeds its size limit.
	ErrTooLarge = errors.New("too large")
	// ErrNoLinks means that the storage is not configured for links; send the content instead.
	ErrNoLinks = errors.New("the storage is not configured for links")

	// ErrUnreachable means that the server cannot be reached, does not answer, or is not ready. Try
	// again later.
	ErrUnreachable = errors.New("the storage does not answer")
	// ErrFull means that there is no space left. Try again after the operator has freed some.
	ErrFull = errors.New("the storage is full")
	// ErrRefused means that credentials are missing, wrong or insufficient. The operator must act.
	ErrRefused = errors.New("the storage rejected the credentials")
	// ErrNoBucket means that the bucket does not exist. The operator must act.
	ErrNoBucket = errors.New("the bucket does not exist")
	// ErrUnfit means that the storage can be reached but its setup does not meet the requirements
	// of this package. The operator must act.
	ErrUnfit = errors.New("the storage does not meet the requirements")
)

// Fault is an error with a sentence for the operator and a detail for the log. Implementations
// return it when they are set up or checked.
type Fault struct { //nolint:errname // a Fault is more than an error: it has a sentence for people
	// Sentence says what was wrong and what to do. It contains no secrets.
	Sentence string
	// Kind is one of the errors above, or nil if a setting is wrong.
	Kind error
	// Err is the detail; it may be nil.
	Err error
}

func (f *Fault) Error() string {
	if f.Err != nil {
		return f.Sentence + ": " + f.Err.Error()
	}
	return f.Sentence
}

// Unwrap returns Kind and Err.
func (f *Fault) Unwrap() []error {
	var all []error
	for _, err := range []error{f.Kind, f.Err} {
		if err != nil {
			all = append(all, err)
		}
	}
	return all
}

// Classify returns an error of a server's client with its kind, one of the errors above.
func Classify(kind, err error) error { return &classified{kind, err} }

type classified struct{ kind, err error }

func (c *classified) Error() string   { return fmt.Sprintf("%v: %v", c.kind, c.err) }
func (c *classified) Unwrap() []error { return []error{c.kind, c.err} }

// Reason says briefly why a server cannot be used: without addresses, and without the operation
// that failed.
func Reason(err error) string {
	if lookup, ok := errors.AsType[*net.DNSError](err); ok && lookup.IsNotFound {
		return "its host name cannot be resolved"
	}
	if late, ok := errors.AsType[net.Error](err); ok && late.Timeout() {
		return "it timed out"
	}
	if op, ok := errors.AsType[*net.OpError](err); ok {
		return op.Err.Error()
	}
	if c, ok := errors.AsType[*classified](err); ok {
		err = c.err
	}
	for inner := errors.Unwrap(err); inner != nil; inner = errors.Unwrap(err) {
		err = inner
	}
	return err.Error()
}
