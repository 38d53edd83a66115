package disk

import (
	"errors"
	"fmt"
	"iter"
	"time"

	"atelier/storage"
)

// kind is the kind of a change. The numbers are stored in the files.
type kind byte

const (
	put       kind = 1 // a value, replacing anything there
	begin     kind = 2 // the first value of a list, replacing anything there
	add       kind = 3 // another value of an existing list
	remove    kind = 4 // a value or a list
	removeAll kind = 5 // a whole group, which is given instead of the key
	mark      kind = 6 // nothing
)

// change is a change made by one method. Applying the same changes in order gives the same memory
// at any time, since they already reflect what had expired when they were made.
type change struct {
	kind  kind
	key   string
	until life
	value []byte
}

// entry is a value or a list. The bytes, and existing values of a list, are immutable.
type entry struct {
	value []byte
	list  [][]byte // nil for a value
	until life
	size  int64 // in a log
}

func (e *entry) expired(now int64) bool { return e.until.own != 0 && e.until.own <= now }

// memory is all data, by group and key.
type memory struct {
	groups map[string]map[string]*entry
	size   int64 // in the log, including expired entries
}

func (m *memory) find(key string) *entry { return m.groups[storage.Group(key)][key] }

// errNothing is returned for a change to something that does not exist.
var errNothing = errors.New("append to a missing list")

func (m *memory) apply(c change) error {
	switch c.kind {
	case put, begin:
		e := &entry{until: c.until, size: c.size()}
		if c.kind == put {
			e.value = c.value
		} else {
			e.list = [][]byte{c.value}
		}
		m.set(c.key, e)
	case add:
		e := m.find(c.key)
		if e == nil || e.list == nil {
			return errNothing
		}
		e.list, e.until = append(e.list, c.value), c.until
		e.size += c.size()
		m.size += c.size()
	case remove:
		m.remove(c.key)
	case removeAll:
		for key := range m.groups[c.key] {
			m.remove(key)
		}
	case mark:
	default:
		return fmt.Errorf("unknown kind of change: %d", c.kind)
	}
	return nil
}

func (m *memory) set(key string, e *entry) {
	m.remove(key)
	group := storage.Group(key)
	if m.groups[group] == nil {
		m.groups[group] = map[string]*entry{}
	}
	m.groups[group][key] = e
	m.size += e.size
}

func (m *memory) remove(key string) {
	group := storage.Group(key)
	e, ok := m.groups[group][key]
	if !ok {
		return
	}
	m.size -= e.size
	delete(m.groups[group], key)
	if len(m.groups[group]) == 0 {
		delete(m.groups, group)
	}
}

// sweep removes expired entries.
func (m *memory) sweep(now int64) {
	for _, entries := range m.groups {
		for key, e := range entries {
			if e.expired(now) {
				m.remove(key)
			}
		}
	}
}

// live returns the size of the unexpired entries.
func (m *memory) live(now int64) (size int64) {
	for _, entries := range m.groups {
		for _, e := range entries {
			if !e.expired(now) {
				size += e.size
			}
		}
	}
	return size
}

// snapshot returns the changes that produce the current memory, even if it changes while they are
// read.
func (m *memory) snapshot() iter.Seq[change] {
	type kept struct {
		key string
		entry
	}
	var all []kept
	for _, entries := range m.groups {
		for key, e := range entries {
			all = append(all, kept{key, *e})
		}
	}
	return func(yield func(change) bool) {
		for _, k := range all {
			if k.list == nil && !yield(change{put, k.key, k.until, k.value}) {
				return
			}
			next := begin
			for _, value := range k.list {
				if !yield(change{next, k.key, k.until, value}) {
					return
				}
				next = add
			}
		}
	}
}

// life is an expiry time in Unix milliseconds; zero means never.
type life struct {
	wall int64 // by the wall clock, for the log
	own  int64 // by this process's clock, which is not affected if the wall clock is set
}

// steady returns a clock that starts with the time of the given clock and then advances with
// elapsed time: by its monotonic reading, if it has one.
func steady(clock func() time.Time) func() time.Time {
	began := clock()
	return func() time.Time { return began.Add(clock().Sub(began)) }
}

// until returns the expiry time of a value written now. The caller holds the lock.
func (d *durable) until(expiry time.Duration) life {
	return life{wall: after(d.wall(), expiry), own: after(d.now(), expiry)}
}

// milliseconds rounds a time up.
func milliseconds(t time.Time) int64 {
	return t.Add(time.Millisecond - 1).UnixMilli()
}

// after returns the expiry time for an expiry that begins now. Both are rounded up, so that it is
// never too early.
func after(now time.Time, expiry time.Duration) int64 {
	if expiry == 0 {
		return 0
	}
	whole := int64(expiry / time.Millisecond)
	if expiry%time.Millisecond > 0 {
		whole++
	}
	return milliseconds(now) + whole
}

// later returns the later of two expiry times.
func later(a, b life) life {
	if a.own == 0 || b.own == 0 {
		return life{}
	}
	return life{wall: max(a.wall, b.wall), own: max(a.own, b.own)}
}
