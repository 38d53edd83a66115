// Package memo keeps an answer that is expensive to get, such as a server's list of models.
//
// Guarantees:
//
//   - One caller asks at a time. Those who come meanwhile wait and get the same answer.
//   - A caller stops waiting when its context ends. If the one who asks is cancelled, nothing is
//     kept, and the next one asks.
//   - An error is an answer too, and is kept as long as [Config].Life says.
package memo

import (
	"context"
	"sync"
	"time"
)

// Config says what is asked, and how long an answer is kept.
type Config[T any] struct {
	// Ask gets the answer; required. It ends soon after its context.
	Ask func(context.Context) (T, error)
	// Life is how long an answer is kept, by its error; required.
	Life func(error) time.Duration
	// Clock tells how old an answer is; required.
	Clock func() time.Time
}

// Memo keeps one answer. It is safe for concurrent use.
type Memo[T any] struct {
	config Config[T]
	asking chan struct{} // holds one element while somebody asks

	mu   sync.Mutex
	last answer[T]
	good *T // the last value without an error
}

// answer is a value or an error, and when it came.
type answer[T any] struct {
	at    time.Time
	value T
	err   error
}

// New makes a memo. It asks nothing.
func New[T any](c Config[T]) *Memo[T] {
	return &Memo[T]{config: c, asking: make(chan struct{}, 1)}
}

// For makes a Life that keeps every answer equally long.
func For(d time.Duration) func(error) time.Duration {
	return func(error) time.Duration { return d }
}

// Get returns the answer that is kept, or asks. Its error is that of the answer, or of ctx.
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
		return none, ctx.Err() // this says nothing about the one that was asked
	}
	m.Set(value, err)
	return value, err
}

// Set keeps an answer that was learned in another way.
func (m *Memo[T]) Set(value T, err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.last = answer[T]{m.config.Clock(), value, err}
	if err == nil {
		m.good = &value
	}
}

// Last returns the last value that came without an error, however old it is.
func (m *Memo[T]) Last() (T, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.good == nil {
		var none T
		return none, false
	}
	return *m.good, true
}

// kept returns the last answer, and whether it still counts. One from the future, by a clock that was
// set back, does not.
func (m *Memo[T]) kept() (answer[T], bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	age := m.config.Clock().Sub(m.last.at)
	return m.last, !m.last.at.IsZero() && age >= 0 && age < m.config.Life(m.last.err)
}
