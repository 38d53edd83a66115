// Package recent remembers what was put last, up to [Most] entries: names that were looked up,
// or ids of messages that were seen.
package recent

import (
	"slices"
	"sync"
)

// Most is how many entries a map remembers.
const Most = 10_000

// Map remembers the entries that were put last. The zero value is ready, and safe for concurrent use.
type Map[K comparable, V any] struct {
	mu     sync.Mutex
	values map[K]V
	order  []K // oldest first
}

// Set remembers keys.
type Set[K comparable] = Map[K, struct{}]

// Get returns a value, and whether it is remembered.
func (m *Map[K, V]) Get(key K) (V, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	v, ok := m.values[key]
	return v, ok
}

// Has reports whether a key is remembered.
func (m *Map[K, V]) Has(key K) bool {
	_, ok := m.Get(key)
	return ok
}

// Put remembers a value, in place of the former one of its key.
func (m *Map[K, V]) Put(key K, value V) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.values == nil {
		m.values = map[K]V{}
	}
	_, known := m.values[key]
	m.values[key] = value
	if known {
		return
	}
	if m.order = append(m.order, key); len(m.order) > Most {
		delete(m.values, m.order[0])
		m.order = m.order[1:]
	}
}

// Add remembers a key that has no value of interest.
func (m *Map[K, V]) Add(key K) {
	var none V
	m.Put(key, none)
}

// Remove forgets a key.
func (m *Map[K, V]) Remove(key K) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if _, ok := m.values[key]; ok {
		delete(m.values, key)
		m.order = slices.DeleteFunc(m.order, func(other K) bool { return other == key })
	}
}
