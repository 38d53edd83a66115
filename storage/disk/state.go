package disk

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"atelier/storage"
)

// StateConfig configures a State.
type StateConfig struct {
	// File is the log. It and its folder are created if necessary. FILE.lock is kept beside it, and
	// temporarily FILE.new.
	File string
	// Now is the clock for expiry; nil means the system's. Values written by this process expire by
	// elapsed time, measured with the monotonic clock, so setting the clock has no effect on them.
	// Values written by an earlier process expire by the clock's time when the state is opened.
	Now func() time.Time
	// CompactFrom is the minimum size in bytes at which the log is compacted if most of it is
	// obsolete; zero means 16 MiB.
	CompactFrom int64
	// Log receives reports of lost data; nil logs nothing.
	Log *slog.Logger
}

// State is kept in memory, and in a log from which it is restored.
type State struct {
	*durable

	hints hints
	close func() error
}

// durable is the memory with the log that preserves it.
type durable struct {
	file    string
	damaged damaged
	wall    func() time.Time // for the next process
	now     func() time.Time // for this process: the start time plus the elapsed time
	from    int64            // minimum size for compaction
	fsync   func(*os.File) error
	unlock  func() error

	mu         sync.Mutex
	closed     bool
	memory     memory
	journal    *journal
	compacting bool
	since      []change // changes since compaction started
	retryAt    int64    // log size at which a failed compaction is retried
	checkAt    int64    // log size at which expired values are counted
	next       *commit  // the next sync, not started yet
	owed       bool     // whether the last requested purge failed
	purge      *commit  // the requested purge, not started yet; nil if there is none
	suspect    bool     // whether a sync failed, so that the system may have dropped data
	failed     error    // error of the last sync
	armed      bool     // whether the timer is running

	timer   *time.Timer
	wake    chan struct{}
	stop    chan struct{}
	stopped chan struct{}
}

var (
	_ storage.State   = (*State)(nil)
	_ storage.Syncer  = (*State)(nil)
	_ storage.Purger  = (*State)(nil)
	_ storage.Checker = (*State)(nil)
)

// OpenState restores the state and locks it for this process. The caller must close it. Errors have
// the type [*storage.Fault].
func OpenState(c StateConfig) (*State, error) { return openState(c, (*os.File).Sync) }

func openState(c StateConfig, fsync func(*os.File) error) (*State, error) {
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	d := &durable{
		file: c.File, damaged: damaged{c.File, c.Now, c.Log}, wall: c.Now, now: steady(c.Now), from: c.CompactFrom, fsync: fsync,
		memory: memory{groups: map[string]map[string]*entry{}}, next: newCommit(), timer: time.NewTimer(time.Hour),
		wake: make(chan struct{}, 1), stop: make(chan struct{}), stopped: make(chan struct{}),
	}
	d.timer.Stop()
	if d.from == 0 {
		d.from = 16 << 20
	}
	if err := os.MkdirAll(filepath.Dir(d.file), 0o700); err != nil {
		return nil, unusable("The state folder cannot be created", err)
	}
	var err error
	if d.unlock, err = lock(d.file + ".lock"); err != nil {
		return nil, err
	}
	if err := d.load(); err != nil {
		return nil, errors.Join(err, d.unlock())
	}
	go d.run()
	s := &State{durable: d}
	s.close = sync.OnceValue(s.end)
	return s, nil
}

// Close syncs everything to disk and closes the file. Subscriptions end. Calling it again does
// nothing.
func (s *State) Close() error { return s.close() }

// Check writes to the log and undoes it, and reports whether the last sync failed and whether the
// file is still at its path.
func (d *durable) Check(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.closed {
		return unusable("The state file cannot be used", fs.ErrClosed)
	}
	if err := d.journal.try(); err != nil {
		return unusable("The state file cannot be written", err)
	}
	if d.failed != nil {
		return unusable("Syncing the state to disk failed", d.failed)
	}
	named, err := os.Stat(d.file)
	if err != nil {
		return unusable("The state file is gone, so new changes will be lost. Restart the program", err)
	}
	if open, err := d.journal.f.Stat(); err != nil || !os.SameFile(named, open) {
		return unusable("The state file was replaced, so new changes will be lost. Restart the program",
			errors.Join(fs.ErrExist, err))
	}
	return nil
}

// load reads the log and replaces it by a compact one, or continues with the old one if there is no
// space. A damaged log is kept and reported.
func (d *durable) load() error {
	data, err := os.ReadFile(d.file)
	fresh := errors.Is(err, fs.ErrNotExist)
	if err != nil && !fresh {
		return unusable("The state file cannot be read", err)
	}
	var r reading
	if !fresh {
		if r, err = replay(data, &d.memory); err != nil {
			return err
		}
	}
	if r.damaged() {
		if err := d.damaged.keep(r, int64(len(data))); err != nil {
			return err
		}
	}
	err = d.compact()
	if errors.Is(err, storage.ErrFull) && r.end > 0 {
		d.journal, err = openJournal(d.file, r)
	}
	if err != nil {
		return unusable("The state file cannot be written", err)
	}
	return nil
}

// Get returns a value.
func (s *State) Get(ctx context.Context, key string) ([]byte, error) {
	e, err := s.look(ctx, key)
	switch {
	case err != nil:
	case e == nil:
		err = storage.ErrNotFound
	case e.list != nil:
		err = errOther
	default:
		return append([]byte{}, e.value...), nil
	}
	return nil, fmt.Errorf("get %s: %w", key, err)
}

// Put writes a value.
func (s *State) Put(ctx context.Context, key string, value []byte, expiry time.Duration) error {
	if err := guard(ctx, storage.CheckValue(key, value, expiry)); err != nil {
		return fmt.Errorf("put %s: %w", key, err)
	}
	value = bytes.Clone(value)
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.do(change{put, key, s.until(expiry), value}); err != nil {
		return fmt.Errorf("put %s: %w", key, err)
	}
	return nil
}

// PutOnce writes a value if there is none.
func (s *State) PutOnce(ctx context.Context, key string, value []byte, expiry time.Duration) (bool, error) {
	if err := guard(ctx, storage.CheckValue(key, value, expiry)); err != nil {
		return false, fmt.Errorf("put %s: %w", key, err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	e, err := s.find(key)
	switch {
	case err != nil:
	case e == nil:
		err = s.do(change{put, key, s.until(expiry), bytes.Clone(value)})
	case e.list != nil:
		err = errOther
	default:
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("put %s: %w", key, err)
	}
	return true, nil
}

// Delete removes a value or a list.
func (s *State) Delete(ctx context.Context, key string) error {
	if err := guard(ctx, storage.CheckStateKey(key)); err != nil {
		return fmt.Errorf("delete %s: %w", key, err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	err := s.alive()
	if s.memory.find(key) != nil { // even if it has expired
		err = s.do(change{kind: remove, key: key})
	}
	if err != nil {
		return fmt.Errorf("delete %s: %w", key, err)
	}
	return nil
}

// Append adds a value to a list.
func (s *State) Append(ctx context.Context, key string, value []byte, expiry time.Duration) (int64, error) {
	if err := guard(ctx, storage.CheckValue(key, value, expiry)); err != nil {
		return 0, fmt.Errorf("append to %s: %w", key, err)
	}
	value = bytes.Clone(value)
	s.mu.Lock()
	defer s.mu.Unlock()
	e, err := s.find(key)
	c, at := change{begin, key, s.until(expiry), value}, 0
	if e != nil {
		c.kind, c.until, at = add, later(e.until, c.until), len(e.list)
	}
	switch {
	case err != nil:
	case e != nil && e.list == nil:
		err = errOther
	default:
		err = s.do(c)
	}
	if err != nil {
		return 0, fmt.Errorf("append to %s: %w", key, err)
	}
	return int64(at), nil
}

// Read returns the values of a list.
func (s *State) Read(ctx context.Context, key string, from int64) ([][]byte, error) {
	e, err := s.look(ctx, key)
	switch {
	case err != nil:
	case from < 0:
		err = fmt.Errorf("the position %d is negative", from)
	case e == nil:
		return nil, nil
	case e.list == nil:
		err = errOther
	default:
		list := e.list[min(from, int64(len(e.list))):]
		all := make([][]byte, len(list))
		for i, value := range list {
			all[i] = append([]byte{}, value...)
		}
		return all, nil
	}
	return nil, fmt.Errorf("read %s: %w", key, err)
}

// Keys returns the keys of a group.
func (s *State) Keys(ctx context.Context, group string) ([]string, error) {
	if err := guard(ctx, storage.CheckGroup(group)); err != nil {
		return nil, fmt.Errorf("list the keys of %s: %w", group, err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.alive(); err != nil {
		return nil, fmt.Errorf("list the keys of %s: %w", group, err)
	}
	now := s.now().UnixMilli()
	keys := slices.Collect(maps.Keys(s.memory.groups[group]))
	keys = slices.DeleteFunc(keys, func(key string) bool { return s.memory.find(key).expired(now) })
	slices.Sort(keys)
	return keys, nil
}

// DeleteAll removes a group.
func (s *State) DeleteAll(ctx context.Context, group string) error {
	if err := guard(ctx, storage.CheckGroup(group)); err != nil {
		return fmt.Errorf("delete everything of %s: %w", group, err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	err := s.alive()
	if s.memory.groups[group] != nil {
		err = s.do(change{kind: removeAll, key: group})
	}
	if err != nil {
		return fmt.Errorf("delete everything of %s: %w", group, err)
	}
	return nil
}

// end ends all subscriptions and closes the log.
func (s *State) end() error {
	s.mu.Lock()
	s.closed = true
	s.mu.Unlock()
	s.hints.close()
	return s.durable.end()
}

// end syncs everything and closes the log. Nothing may be written afterwards.
func (d *durable) end() error {
	close(d.stop)
	<-d.stopped
	d.timer.Stop()
	if d.purge != nil {
		d.purge.err = errClosed // the log is rewritten when it is opened next
		close(d.purge.done)
	}
	err := d.commit()
	if err == nil {
		// The mark tells the next reader that everything before it is complete. Losing it does no
		// harm.
		_ = d.journal.write(change{kind: mark}) //nolint:errcheck // the disk may be full
	}
	return errors.Join(err, d.journal.f.Close(), d.unlock())
}

func unusable(what string, err error) error {
	reason := err
	if p, ok := errors.AsType[*fs.PathError](err); ok { // without the path
		reason = p.Err
	} else if l, ok := errors.AsType[*os.LinkError](err); ok {
		reason = l.Err
	}
	f := &storage.Fault{Sentence: what + ": " + reason.Error() + ".", Err: err}
	if errors.Is(err, storage.ErrFull) {
		f.Kind = storage.ErrFull
		f.Sentence = what + ": the disk is full; free some space."
	}
	return f
}

// guard contains the checks common to all methods.
func guard(ctx context.Context, invalid error) error {
	if invalid != nil {
		return invalid
	}
	return ctx.Err()
}

// errClosed is returned by a closed state.
var errClosed = fmt.Errorf("%w: closed: %w", storage.ErrUnreachable, fs.ErrClosed)

// alive returns errClosed if the state is closed. The caller holds the lock.
func (d *durable) alive() error {
	if d.closed {
		return errClosed
	}
	return nil
}

// errOther is returned if a key holds a list instead of a value, or a value instead of a list.
var errOther = errors.New("the key holds the wrong kind of value")

// look returns a copy of the entry of a key, nil if there is none.
func (s *State) look(ctx context.Context, key string) (*entry, error) {
	if err := guard(ctx, storage.CheckStateKey(key)); err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	e, err := s.find(key)
	if e == nil {
		return nil, err
	}
	seen := *e // a list may grow while it is being read
	return &seen, err
}

// find returns the unexpired entry of a key. The caller holds the lock.
func (s *State) find(key string) (*entry, error) {
	if err := s.alive(); err != nil {
		return nil, err
	}
	e := s.memory.find(key)
	if e == nil || e.expired(s.now().UnixMilli()) {
		return nil, nil //nolint:nilnil // nil means none
	}
	return e, nil
}
