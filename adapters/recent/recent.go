// Package recent remembers the entries that were added last, up to [Most]: names that were looked up, or ids of
// messages that were seen.
package recent

import (
	"slices"
	"sync"
)

// Most is the maximum number of entries.
const Most = 10_000

// Map remembers the entries that were added last. The zero value is ready for use, and safe for concurrent use.
type Map[K comparable, V any] struct {
	mu     sync.Mutex
	values map[K]V
	order  []K // oldest first
}

// Set is a map without values.
type Set[K comparable] = Map[K, struct{}]

// Get returns a value, and whether the key is known.
func (m *Map[K, V]) Get(key K) (V, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	v, ok := m.values[key]
	return v, ok
}

// Has reports whether the key is known.
func (m *Map[K, V]) Has(key K) bool {
	_, ok := m.Get(key)
	return ok
}

// Put adds or replaces a value. Replacing it does not make the key newer.
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

// Add adds a key without a value.
func (m *Map[K, V]) Add(key K) {
	var none V
	m.Put(key, none)
}

// Remove deletes a key.
func (m *Map[K, V]) Remove(key K) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if _, ok := m.values[key]; ok {
		delete(m.values, key)
		m.order = slices.DeleteFunc(m.order, func(other K) bool { return other == key })
	}
}
