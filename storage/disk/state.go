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
	// of it is useless any more; zero is 16 MiB.
	CompactFrom int64
	// Log is told what was lost of the file; nil is told nothing.
	Log *slog.Logger
}

// State is in the memory of this process, and in a log from which it is read again.
type State struct {
	*durable

	hints hints
	close func() error
}

// durable is a memory and the log that makes it outlive the process.
type durable struct {
	file    string
	damaged damaged
	wall    func() time.Time // what the next process will go by
	now     func() time.Time // what this one goes by: when it began, and the time that has passed
	from    int64            // from which size on the log is compacted
	fsync   func(*os.File) error
	unlock  func() error

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
		return nil, unusableState("The folder of the state cannot be made", err)
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

// Close makes sure that everything outlives a crash of the machine, and lets go of the
// file. Subscriptions end. To close it again does nothing.
func (s *State) Close() error { return s.close() }

// Check writes a little to the log and takes it back, and reports whether the last sync
// has failed and whether the file is still the one that others would find.
func (d *durable) Check(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.closed {
		return unusableState("The file of the state cannot be used", fs.ErrClosed)
	}
	if err := d.journal.try(); err != nil {
		return unusableState("The file of the state cannot be written", err)
	}
	if d.failed != nil {
		return unusableState("The disk does not keep the state", d.failed)
	}
	named, err := os.Stat(d.file)
	if err != nil {
		return unusableState("The file of the state is gone; what is written now will be lost. Stop the program and start it again", err)
	}
	if open, err := d.journal.f.Stat(); err != nil || !os.SameFile(named, open) {
		return unusableState("The file of the state was replaced; what is written now will be lost. Stop the program and start it again",
			errors.Join(fs.ErrExist, err))
	}
	return nil
}

// load reads the log and writes a compact one in its place. Where there is no room for
// that, it goes on with the one that is there. A damaged one is kept aside and told of.
func (d *durable) load() error {
	data, err := os.ReadFile(d.file)
	fresh := errors.Is(err, fs.ErrNotExist)
	if err != nil && !fresh {
		return unusableState("The file of the state cannot be read", err)
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
		return unusableState("The file of the state cannot be written", err)
	}
	return nil
}

// end ends all subscriptions, and then the log.
func (s *State) end() error {
	s.mu.Lock()
	s.closed = true
	s.mu.Unlock()
	s.hints.close()
	return s.durable.end()
}

// end makes sure of everything, and lets go of the log. Nothing may be written any more.
func (d *durable) end() error {
	close(d.stop)
	<-d.stopped
	d.timer.Stop()
	if d.purge != nil {
		d.purge.err = errClosed // the next opening rewrites the log
		close(d.purge.done)
	}
	err := d.commit()
	if err == nil {
		// It tells the next reading that what is before it was whole. Nothing is lost
		// with it.
		_ = d.journal.write(change{kind: mark}) //nolint:errcheck // there may be no room
	}
	return errors.Join(err, d.journal.f.Close(), d.unlock())
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
func (d *durable) alive() error {
	if d.closed {
		return errClosed
	}
	return nil
}
