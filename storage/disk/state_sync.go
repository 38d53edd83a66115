package disk

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"
)

// commit is one sync or rewriting that many wait for.
type commit struct {
	done chan struct{}
	err  error // when it is done
}

func newCommit() *commit { return &commit{done: make(chan struct{})} }

// Sync returns when all that methods have returned for before outlives a crash of the
// machine. Those who call it while another sync runs share the next one.
func (s *State) Sync(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	s.mu.Lock()
	if err := s.alive(); err != nil || !s.unsure() {
		s.mu.Unlock()
		return err
	}
	c := s.next
	s.rouse()
	s.mu.Unlock()
	select {
	case <-c.done:
		return c.err
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Purge rewrites the log, so that nothing is left of what was deleted, overwritten or expired
// before, and removes damaged logs that were kept, which may hold it too. Those who call it
// while another one runs share the next one. One that fails is done again after each sync until
// it succeeds.
func (s *State) Purge(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	s.mu.Lock()
	if err := s.alive(); err != nil {
		s.mu.Unlock()
		return err
	}
	if s.purge == nil {
		s.purge = newCommit()
	}
	c := s.purge
	s.rouse()
	s.mu.Unlock()
	select {
	case <-c.done:
		return c.err
	case <-ctx.Done():
		return ctx.Err()
	}
}

// do writes a change and then makes it. The lock is held.
func (s *State) do(c change) error {
	if err := s.alive(); err != nil {
		return err
	}
	if err := s.journal.write(c); err != nil {
		return err
	}
	if err := s.memory.apply(c); err != nil {
		return err
	}
	if s.compacting {
		s.since = append(s.since, c)
	}
	s.arm()
	if s.due() {
		s.rouse()
	}
	return nil
}

// unsure tells whether a crash of the machine may lose something. The lock is held.
func (s *State) unsure() bool { return s.suspect || s.journal.sure < s.journal.end }

// delay is how long something is unsure at most, while the disk keeps up.
const delay = time.Second

// arm sees to it that there is a sync in time. The lock is held.
func (s *State) arm() {
	if !s.armed && s.unsure() {
		s.armed = true
		s.timer.Reset(delay)
	}
}

func (s *State) rouse() {
	select {
	case s.wake <- struct{}{}:
	default: // it is awake
	}
}

// run syncs and compacts. Nothing else replaces the log.
func (s *State) run() {
	defer close(s.stopped)
	for {
		select {
		case <-s.stop:
			return
		case <-s.wake:
		case <-s.timer.C:
		}
		_ = s.commit() //nolint:errcheck // who waits for it is told, and so is Check
		s.mu.Lock()
		purge, owed := s.purge, s.owed
		s.purge = nil
		compact := purge == nil && !owed && s.worthwhile()
		s.mu.Unlock()
		switch {
		case purge != nil || owed:
			err := errors.Join(s.compact(), s.dropDamaged())
			s.mu.Lock()
			s.owed = err != nil
			s.mu.Unlock()
			if purge != nil {
				purge.err = err
				close(purge.done)
			}
		case compact:
			_ = s.compact() //nolint:errcheck // the log that is there will do; a full disk is told by what is written
		}
		s.mu.Lock()
		s.arm()
		s.mu.Unlock()
	}
}

// commit does the next sync.
func (s *State) commit() error {
	s.mu.Lock()
	c := s.next
	s.next, s.armed = newCommit(), false
	log, end, unsure, suspect := s.journal, s.journal.end, s.unsure(), s.suspect
	s.mu.Unlock()
	switch {
	case suspect: // the system may have forgotten what it could not write, but we have not
		c.err = s.compact()
	case unsure:
		c.err = s.fsync(log.f)
	}
	s.mu.Lock()
	switch {
	case c.err != nil:
		c.err = full(fmt.Errorf("sync the state: %w", c.err))
		s.suspect = true
	case !suspect:
		log.sure = end
		if unsure {
			log.note(end)
		}
	}
	s.failed = c.err
	s.mu.Unlock()
	close(c.done)
	return c.err
}

// wasteful is how many times larger than what is live a log may be.
const wasteful = 4

// due tells whether it may be time to compact. The lock is held.
func (s *State) due() bool {
	end := s.journal.end
	return end >= max(s.from, s.retryAt) && (end > wasteful*s.memory.size || end >= s.checkAt)
}

// worthwhile counts what is live where compacting may be due. The lock is held.
func (s *State) worthwhile() bool {
	if !s.due() {
		return false
	}
	live := s.memory.live(s.now().UnixMilli())
	if s.journal.end > wasteful*live {
		return true
	}
	s.checkAt = max(s.from, wasteful*live+1)
	return false
}

// compact writes a log of what is live, puts it in the place of the one that there is,
// if any, and makes sure of it. Others go on meanwhile.
func (s *State) compact() (err error) {
	s.mu.Lock()
	s.memory.sweep(s.now().UnixMilli())
	all := s.memory.snapshot()
	s.compacting = true
	s.mu.Unlock()

	file := s.file + ".new"
	fresh, err := newJournal(file)
	if err == nil {
		err = s.fill(fresh, all)
		if err == nil {
			err = s.replace(fresh, file)
		}
		if err != nil {
			err = errors.Join(err, fresh.f.Close(), os.Remove(file))
		}
	}
	s.mu.Lock()
	s.compacting, s.since = false, nil
	if err != nil && s.journal != nil {
		s.retryAt = s.journal.end + s.from
	}
	s.mu.Unlock()
	if err != nil {
		return err
	}
	err = syncFolder(filepath.Dir(s.file), s.fsync)
	s.mu.Lock()
	s.suspect = err != nil
	s.mu.Unlock()
	return err
}

// fill writes what is live, and what has been changed since, but for what is changed
// while it makes sure of that.
func (s *State) fill(fresh *journal, all func(func(change) bool)) error {
	err := fresh.writeAll(all)
	for range 8 { // each time there is less
		s.mu.Lock()
		since := s.since
		s.since = nil
		s.mu.Unlock()
		if err != nil || len(since) == 0 {
			break
		}
		err = fresh.writeAll(slices.Values(since))
	}
	if err != nil {
		return err
	}
	// Nobody will read this before it is sure, so it may say so already.
	fresh.sure = fresh.end
	if err := fresh.write(change{kind: mark}); err != nil {
		return err
	}
	fresh.note(fresh.end)
	if err := s.fsync(fresh.f); err != nil {
		return full(err)
	}
	fresh.sure = fresh.end
	return nil
}

// replace writes what is missing still, and makes this log the one.
func (s *State) replace(fresh *journal, file string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := fresh.writeAll(slices.Values(s.since)); err != nil {
		return err
	}
	if err := os.Rename(file, s.file); err != nil {
		return full(err)
	}
	old := s.journal
	s.journal, s.compacting, s.since = fresh, false, nil
	s.retryAt, s.checkAt = 0, max(s.from, wasteful*fresh.end)
	if old != nil {
		_ = old.f.Close() //nolint:errcheck // nothing of it is needed
	}
	return nil
}
