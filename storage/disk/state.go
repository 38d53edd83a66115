package disk

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"time"

	"atelier/storage"
)

// StateConfig says where the state is.
type StateConfig struct {
	// File is the log. It and its folder are made if they are not there; beside it lie
	// FILE.lock and, for moments, FILE.new.
	File string
	// Now is the clock by which values expire; nil is the system's. What was written by
	// this process counts by the time that has passed, which a monotonic reading tells:
	// where the clock is set anew, nothing expires early or late. What an earlier process
	// wrote counts by what the clock says when the state is opened.
	Now func() time.Time
	// CompactFrom is the size of the log in bytes from which it is rewritten when most
	// of it is of no use any more; zero is 16 MiB.
	CompactFrom int64
	// Log is told what was lost of the file; nil is told nothing.
	Log *slog.Logger
}

// State is in the memory of this process, and in a log from which it is read again.
type State struct {
	file   string
	log    *slog.Logger
	wall   func() time.Time // what the next process will go by
	now    func() time.Time // what this one goes by: when it began, and the time that has passed
	from   int64            // from which size on the log is compacted
	fsync  func(*os.File) error
	unlock func() error

	mu         sync.Mutex
	closed     bool
	memory     memory
	journal    *journal
	compacting bool
	since      []change // since the compaction has begun
	retryAt    int64    // the size of the log at which a compaction that failed is tried again
	checkAt    int64    // the size of the log at which what has expired is counted
	next       *commit  // the sync that has not begun
	owed       bool     // the last rewriting that was asked for failed
	purge      *commit  // the rewriting that is asked for and has not begun; nil is none
	suspect    bool     // a sync has failed, and what the system has thrown away is not known
	failed     error    // what the last sync has failed with
	armed      bool     // whether the timer runs

	timer   *time.Timer
	wake    chan struct{}
	stop    chan struct{}
	stopped chan struct{}
	close   func() error
	hints   hints
}

var (
	_ storage.State   = (*State)(nil)
	_ storage.Syncer  = (*State)(nil)
	_ storage.Purger  = (*State)(nil)
	_ storage.Checker = (*State)(nil)
)

// OpenState reads the state back and keeps it for this process alone. Close it in the
// end. What it fails with is a [*storage.Fault].
func OpenState(c StateConfig) (*State, error) { return openState(c, (*os.File).Sync) }

func openState(c StateConfig, fsync func(*os.File) error) (*State, error) {
	s := &State{
		file: c.File, log: c.Log, wall: c.Now, from: c.CompactFrom, fsync: fsync,
		memory: memory{groups: map[string]map[string]*entry{}}, next: newCommit(), timer: time.NewTimer(time.Hour),
		wake: make(chan struct{}, 1), stop: make(chan struct{}), stopped: make(chan struct{}),
	}
	s.timer.Stop()
	s.close = sync.OnceValue(s.end)
	if s.wall == nil {
		s.wall = time.Now
	}
	if s.log == nil {
		s.log = slog.New(slog.DiscardHandler)
	}
	s.now = steady(s.wall)
	if s.from == 0 {
		s.from = 16 << 20
	}
	if err := os.MkdirAll(filepath.Dir(s.file), 0o700); err != nil {
		return nil, unusableState("The folder of the state cannot be made", err)
	}
	var err error
	if s.unlock, err = lock(s.file + ".lock"); err != nil {
		return nil, err
	}
	if err := s.load(); err != nil {
		return nil, errors.Join(err, s.unlock())
	}
	go s.run()
	return s, nil
}

// Close makes sure that everything outlives a crash of the machine, and lets go of the
// file. Subscriptions end. To close it again does nothing.
func (s *State) Close() error { return s.close() }

// Check writes a little to the log and takes it back, and tells whether the last sync
// has failed and whether the file is still the one that others would find.
func (s *State) Check(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return unusableState("The file of the state cannot be used", fs.ErrClosed)
	}
	if err := s.journal.try(); err != nil {
		return unusableState("The file of the state cannot be written", err)
	}
	if s.failed != nil {
		return unusableState("The disk does not keep the state", s.failed)
	}
	named, err := os.Stat(s.file)
	if err != nil {
		return unusableState("The file of the state is gone; what is written now will be lost. Stop the program and start it again", err)
	}
	if open, err := s.journal.f.Stat(); err != nil || !os.SameFile(named, open) {
		return unusableState("The file of the state was replaced; what is written now will be lost. Stop the program and start it again",
			errors.Join(fs.ErrExist, err))
	}
	return nil
}

// load reads the log and writes a compact one in its place. Where there is no room for
// that, it goes on with the one that is there. A damaged one is kept aside and told of.
func (s *State) load() error {
	data, err := os.ReadFile(s.file)
	fresh := errors.Is(err, fs.ErrNotExist)
	if err != nil && !fresh {
		return unusableState("The file of the state cannot be read", err)
	}
	var r reading
	if !fresh {
		if r, err = replay(data, &s.memory); err != nil {
			return err
		}
	}
	if r.damaged() {
		if err := s.keepDamaged(r, int64(len(data))); err != nil {
			return err
		}
	}
	err = s.compact()
	if errors.Is(err, storage.ErrFull) && r.end > 0 {
		s.journal, err = openJournal(s.file, r)
	}
	if err != nil {
		return unusableState("The file of the state cannot be written", err)
	}
	return nil
}

func (s *State) end() error {
	s.mu.Lock()
	s.closed = true
	s.mu.Unlock()
	close(s.stop)
	<-s.stopped
	s.timer.Stop()
	s.hints.close()
	if s.purge != nil {
		s.purge.err = errClosed // the next opening rewrites the log
		close(s.purge.done)
	}
	err := s.commit()
	if err == nil {
		// It tells the next reading that what is before it was whole. Nothing is lost
		// with it.
		_ = s.journal.write(change{kind: mark}) //nolint:errcheck // there may be no room
	}
	return errors.Join(err, s.journal.f.Close(), s.unlock())
}

func unusableState(what string, err error) error {
	reason := err
	if p, ok := errors.AsType[*fs.PathError](err); ok { // without the path
		reason = p.Err
	} else if l, ok := errors.AsType[*os.LinkError](err); ok {
		reason = l.Err
	}
	f := &storage.Fault{Sentence: what + ": " + reason.Error() + ".", Err: err}
	if errors.Is(err, storage.ErrFull) {
		f.Kind = storage.ErrFull
		f.Sentence = what + ": there is no room left on the disk; make some."
	}
	return f
}

// guard is what every method begins with.
func guard(ctx context.Context, invalid error) error {
	if invalid != nil {
		return invalid
	}
	return ctx.Err()
}

// errClosed is what is told of a state that was closed.
var errClosed = fmt.Errorf("%w: it was closed: %w", storage.ErrUnreachable, fs.ErrClosed)

// alive fails where the state is closed. The lock is held.
func (s *State) alive() error {
	if s.closed {
		return errClosed
	}
	return nil
}
