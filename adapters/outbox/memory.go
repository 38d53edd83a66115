package outbox

import (
	"bytes"
	"context"
	"sync"
	"time"

	"atelier/adapters"
)

// Memory is a [State] that lasts as long as the process, for tests of adapters.
type Memory struct {
	mu     sync.Mutex
	values map[string][]byte
}

// Get reads a value.
func (m *Memory) Get(_ context.Context, key string) ([]byte, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	v, ok := m.values[key]
	if !ok {
		return nil, adapters.ErrGone
	}
	return bytes.Clone(v), nil
}

// Put writes a value. It does not expire.
func (m *Memory) Put(_ context.Context, key string, value []byte, _ time.Duration) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.values == nil {
		m.values = map[string][]byte{}
	}
	m.values[key] = bytes.Clone(value)
	return nil
}
