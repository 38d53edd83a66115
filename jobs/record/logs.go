package record

import (
	"bytes"
	"container/list"
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"atelier/storage"
)

// Logs reads and writes the logs of requests and threads. It caches entries, which never change, and reads
// only new ones.
type Logs struct {
	state  storage.State
	expiry time.Duration
	max    int // cached logs
	now    func() time.Time

	mu     sync.Mutex
	cached map[string]*list.Element // of *cachedLog
	used   *list.List               // most recently used first
}

// cachedLog is the part of a log that was read so far.
type cachedLog struct {
	key     string
	entries []*Entry
	last    []byte // the last entry, encoded
	// queued holds the tasks that this process has enqueued.
	queued map[string]bool
}

func newLogs(state storage.State, expiry time.Duration, most int, now func() time.Time) *Logs {
	return &Logs{state: state, expiry: expiry, max: most, now: now, cached: map[string]*list.Element{}, used: list.New()}
}

// appendTime is the timeout of adding an entry, even if its context ends earlier.
const appendTime = 30 * time.Second

// Append adds an entry with its time and returns its position. It fails with [ErrUnknown] if the
// log was forgotten.
func (l *Logs) Append(ctx context.Context, key string, e Entry) (int, error) {
	e.Version, e.At = Version, l.now()
	b, err := e.encode()
	if err != nil {
		return 0, err
	}
	if err := ctx.Err(); err != nil {
		return 0, fmt.Errorf("add to a log: %w", context.Cause(ctx))
	}
	// Even if forgetting the thread ends the context, the check below for a forgotten log must run.
	ctx, done := context.WithTimeout(context.WithoutCancel(ctx), appendTime)
	defer done()
	at, err := l.state.Append(ctx, key, b, l.expiry)
	if err != nil {
		return 0, fmt.Errorf("add to a log: %w", err)
	}
	if at == 0 && !e.begins() { // the log was forgotten meanwhile: do not recreate it
		l.Drop(key)
		if err := l.state.DeleteAll(ctx, storage.Group(key)); err != nil {
			return 0, fmt.Errorf("forget a log: %w", err)
		}
		if err := Purge(ctx, l.state); err != nil {
			return 0, err
		}
		return 0, fmt.Errorf("log: %w", ErrUnknown)
	}
	if known, _ := l.known(key); len(known) == int(at) { // no other entries were added
		l.store(key, append(known[:at:at], &e), b)
	}
	return int(at), nil
}

// AppendRead adds an entry, and returns the entries up to it, possibly more, and its position.
func (l *Logs) AppendRead(ctx context.Context, key string, e Entry) (entries []*Entry, at int, err error) {
	if at, err = l.Append(ctx, key, e); err != nil {
		return nil, 0, err
	}
	if known, _ := l.known(key); len(known) > at {
		return known, at, nil
	}
	entries, err = l.Read(ctx, key)
	return entries, at, err
}

// Read returns all entries of a log, none if the log does not exist.
func (l *Logs) Read(ctx context.Context, key string) ([]*Entry, error) {
	known, last := l.known(key)
	// Read the last known entry again: if it is gone, the log was deleted.
	from := max(len(known)-1, 0)
	got, err := l.state.Read(ctx, key, int64(from))
	if err != nil {
		return nil, fmt.Errorf("read a log: %w", err)
	}
	if len(known) > 0 {
		if len(got) == 0 || !bytes.Equal(got[0], last) {
			l.Drop(key)
			if len(got) == 0 && from == 0 {
				return nil, nil
			}
			return l.Read(ctx, key)
		}
		got = got[1:]
	}
	if len(got) == 0 {
		return known, nil
	}
	entries := slices.Clip(known)
	for _, b := range got {
		e, err := decodeEntry(b)
		if err != nil {
			return nil, err
		}
		entries = append(entries, e)
	}
	l.store(key, entries, got[len(got)-1])
	return entries, nil
}

// Drop removes a log from the cache.
func (l *Logs) Drop(key string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if at, ok := l.cached[key]; ok {
		l.used.Remove(at)
		delete(l.cached, key)
	}
}

// MarkQueued notes that this process enqueues a task. It returns false if it was noted before.
func (l *Logs) MarkQueued(key, task string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	k := l.of(key)
	if k.queued[task] {
		return false
	}
	k.queued[task] = true
	return true
}

// UnmarkQueued undoes MarkQueued when enqueueing failed.
func (l *Logs) UnmarkQueued(key, task string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if at, ok := l.cached[key]; ok {
		delete(cachedLogOf(at).queued, task)
	}
}

func (l *Logs) known(key string) ([]*Entry, []byte) {
	l.mu.Lock()
	defer l.mu.Unlock()
	at, ok := l.cached[key]
	if !ok {
		return nil, nil
	}
	l.used.MoveToFront(at)
	k := cachedLogOf(at)
	return k.entries, k.last
}

func (l *Logs) store(key string, entries []*Entry, last []byte) {
	l.mu.Lock()
	defer l.mu.Unlock()
	k := l.of(key)
	if len(entries) > len(k.entries) { // another goroutine may have read more meanwhile
		k.entries, k.last = entries, last
	}
}

// of returns the cached log of a key, adding it if necessary. It requires l.mu.
func (l *Logs) of(key string) *cachedLog {
	if at, ok := l.cached[key]; ok {
		return cachedLogOf(at)
	}
	k := &cachedLog{key: key, queued: map[string]bool{}}
	l.cached[key] = l.used.PushFront(k)
	for l.used.Len() > l.max {
		oldest := l.used.Back()
		l.used.Remove(oldest)
		delete(l.cached, cachedLogOf(oldest).key)
	}
	return k
}

func cachedLogOf(e *list.Element) *cachedLog {
	return e.Value.(*cachedLog) //nolint:forcetypeassert,errcheck // the list has no other type
}

// Purge removes deleted data from the files of a State that keeps files.
func Purge(ctx context.Context, state storage.State) error {
	p, ok := state.(storage.Purger)
	if !ok {
		return nil
	}
	if err := p.Purge(ctx); err != nil {
		return fmt.Errorf("purge deleted data from the state: %w", err)
	}
	return nil
}
