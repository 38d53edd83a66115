package jobs

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

// logs reads the logs of requests and threads. What it has read of one it keeps for a
// while, since entries never change, and asks only for what was added.
type logs struct {
	state  storage.State
	expiry time.Duration
	most   int // logs that are kept

	mu   sync.Mutex
	kept map[string]*list.Element // of *keptLog
	used *list.List               // the latest first
}

// keptLog is what is known of a log. It is only added to.
type keptLog struct {
	key     string
	entries []*entry
	last    []byte // the last entry as it was read
	// queued are the tasks that this process has handed over.
	queued map[string]bool
}

func newLogs(state storage.State, expiry time.Duration, most int) *logs {
	return &logs{state: state, expiry: expiry, most: most, kept: map[string]*list.Element{}, used: list.New()}
}

// append adds an entry and tells its position.
func (l *logs) append(ctx context.Context, key string, e entry) (int, error) {
	e.Version = version
	b, err := e.encode()
	if err != nil {
		return 0, err
	}
	at, err := l.state.Append(ctx, key, b, l.expiry)
	if err != nil {
		return 0, fmt.Errorf("add to a log: %w", err)
	}
	if at == 0 && !e.begins() { // the log was forgotten meanwhile, and stays so
		l.drop(key)
		if err := l.state.DeleteAll(ctx, storage.Group(key)); err != nil {
			return 0, fmt.Errorf("forget a log: %w", err)
		}
		if err := purge(ctx, l.state); err != nil {
			return 0, err
		}
		return 0, fmt.Errorf("log: %w", ErrUnknown)
	}
	if known, _ := l.known(key); len(known) == int(at) { // nobody has added anything else
		l.keep(key, append(known[:at:at], &e), b)
	}
	return int(at), nil
}

// added is append, and then all entries up to that one at least.
func (l *logs) added(ctx context.Context, key string, e entry) (entries []*entry, at int, err error) {
	if at, err = l.append(ctx, key, e); err != nil {
		return nil, 0, err
	}
	if known, _ := l.known(key); len(known) > at {
		return known, at, nil
	}
	entries, err = l.read(ctx, key)
	return entries, at, err
}

// read gives all entries of a log, none where there is no such log.
func (l *logs) read(ctx context.Context, key string) ([]*entry, error) {
	known, last := l.known(key)
	// The last one is read again: where it is not there any more, the log was deleted.
	from := max(len(known)-1, 0)
	got, err := l.state.Read(ctx, key, int64(from))
	if err != nil {
		return nil, fmt.Errorf("read a log: %w", err)
	}
	if len(known) > 0 {
		if len(got) == 0 || !bytes.Equal(got[0], last) {
			l.drop(key)
			if len(got) == 0 && from == 0 {
				return nil, nil
			}
			return l.read(ctx, key)
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
	l.keep(key, entries, got[len(got)-1])
	return entries, nil
}

func (l *logs) known(key string) ([]*entry, []byte) {
	l.mu.Lock()
	defer l.mu.Unlock()
	at, ok := l.kept[key]
	if !ok {
		return nil, nil
	}
	l.used.MoveToFront(at)
	k := kept(at)
	return k.entries, k.last
}

func (l *logs) keep(key string, entries []*entry, last []byte) {
	l.mu.Lock()
	defer l.mu.Unlock()
	k := l.of(key)
	if len(entries) > len(k.entries) { // another may have read on meanwhile
		k.entries, k.last = entries, last
	}
}

// of is what is kept of a log, which it makes. l.mu is held.
func (l *logs) of(key string) *keptLog {
	if at, ok := l.kept[key]; ok {
		return kept(at)
	}
	k := &keptLog{key: key, queued: map[string]bool{}}
	l.kept[key] = l.used.PushFront(k)
	for l.used.Len() > l.most {
		oldest := l.used.Back()
		l.used.Remove(oldest)
		delete(l.kept, kept(oldest).key)
	}
	return k
}

// drop forgets what was read of a log.
func (l *logs) drop(key string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if at, ok := l.kept[key]; ok {
		l.used.Remove(at)
		delete(l.kept, key)
	}
}

// queue notes that this process hands a task over, and tells whether it had not before.
func (l *logs) queue(key, task string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	k := l.of(key)
	if k.queued[task] {
		return false
	}
	k.queued[task] = true
	return true
}

// unqueue takes the note back: it could not be handed over.
func (l *logs) unqueue(key, task string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if at, ok := l.kept[key]; ok {
		delete(kept(at).queued, task)
	}
}

func kept(e *list.Element) *keptLog {
	return e.Value.(*keptLog) //nolint:forcetypeassert,errcheck // nothing else is put into it
}
