// Package memo caches the result of an expensive call, such as fetching a server's list of models.
//
// Guarantees:
//   - Only one call is made at a time. Other callers wait for it and get the same result.
//   - A caller stops waiting when its context ends. If the caller that makes the call is cancelled,
//     nothing is cached, and the next caller makes the call.
//   - Errors are cached too, for as long as [Config].Life says.
package memo

import (
	"context"
	"sync"
	"time"
)

// Config configures a Memo.
type Config[T any] struct {
	// Ask makes the call; required. It must return soon after its context ends.
	Ask func(context.Context) (T, error)
	// Life returns how long a result with this error (or nil) is cached; required.
	Life func(error) time.Duration
	// Clock is used to compute a result's age; required.
	Clock func() time.Time
}

// Memo caches one result. It is safe for concurrent use.
type Memo[T any] struct {
	config Config[T]
	asking chan struct{} // holds an element during a call

	mu   sync.Mutex
	last answer[T]
	good *T // the last successful value
}

// answer is a value or an error, with its time.
type answer[T any] struct {
	at    time.Time
	value T
	err   error
}

// New returns an empty memo.
func New[T any](c Config[T]) *Memo[T] {
	return &Memo[T]{config: c, asking: make(chan struct{}, 1)}
}

// For returns a Life that caches every result for d.
func For(d time.Duration) func(error) time.Duration {
	return func(error) time.Duration { return d }
}

// Get returns the cached result, or makes the call. Its error is the call's or ctx's.
func (m *Memo[T]) Get(ctx context.Context) (T, error) {
	var none T
	select {
	case m.asking <- struct{}{}:
		defer func() { <-m.asking }()
	case <-ctx.Done():
		return none, ctx.Err()
	}
	if a, ok := m.kept(); ok {
		return a.value, a.err
	}
	value, err := m.config.Ask(ctx)
	if ctx.Err() != nil {
		return none, ctx.Err() // says nothing about the call itself
	}
	m.Set(value, err)
	return value, err
}

// Set stores a result obtained elsewhere.
func (m *Memo[T]) Set(value T, err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.last = answer[T]{m.config.Clock(), value, err}
	if err == nil {
		m.good = &value
	}
}

// Last returns the last successful value, however old.
func (m *Memo[T]) Last() (T, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.good == nil {
		var none T
		return none, false
	}
	return *m.good, true
}

// kept returns the last result and whether it is still valid. A result from the future, after the
// clock was set back, is not.
func (m *Memo[T]) kept() (answer[T], bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	age := m.config.Clock().Sub(m.last.at)
	return m.last, !m.last.at.IsZero() && age >= 0 && age < m.config.Life(m.last.err)
}
