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

// commit is a sync or purge that several callers wait for.
type commit struct {
	done chan struct{}
	err  error // set when it is done
}

func newCommit() *commit { return &commit{done: make(chan struct{})} }

// Sync waits until all changes by methods that have returned survive a crash of the machine. Calls
// during a sync share the next one.
func (d *durable) Sync(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	d.mu.Lock()
	if err := d.alive(); err != nil || !d.unsure() {
		d.mu.Unlock()
		return err
	}
	c := d.next
	d.rouse()
	d.mu.Unlock()
	select {
	case <-c.done:
		return c.err
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Purge rewrites the log, so that it no longer contains data that was deleted, overwritten or
// expired before, and removes damaged logs, which may also contain it. Calls during a purge share
// the next one. A failed purge is retried after each sync until it succeeds.
func (d *durable) Purge(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	d.mu.Lock()
	if err := d.alive(); err != nil {
		d.mu.Unlock()
		return err
	}
	if d.purge == nil {
		d.purge = newCommit()
	}
	c := d.purge
	d.rouse()
	d.mu.Unlock()
	select {
	case <-c.done:
		return c.err
	case <-ctx.Done():
		return ctx.Err()
	}
}

// do logs a change and then applies it. The caller holds the lock.
func (d *durable) do(c change) error {
	if err := d.alive(); err != nil {
		return err
	}
	if err := d.journal.write(c); err != nil {
		return err
	}
	if err := d.memory.apply(c); err != nil {
		return err
	}
	if d.compacting {
		d.since = append(d.since, c)
	}
	d.arm()
	if d.due() {
		d.rouse()
	}
	return nil
}

// unsure reports whether a crash of the machine may lose data. The caller holds the lock.
func (d *durable) unsure() bool { return d.suspect || d.journal.sure < d.journal.end }

// delay is the maximum time until changes are synced, if the disk keeps up.
const delay = time.Second

// arm starts the timer for the next sync. The caller holds the lock.
func (d *durable) arm() {
	if !d.armed && d.unsure() {
		d.armed = true
		d.timer.Reset(delay)
	}
}

func (d *durable) rouse() {
	select {
	case d.wake <- struct{}{}:
	default: // already awake
	}
}

// run syncs and compacts. Only it replaces the log.
func (d *durable) run() {
	defer close(d.stopped)
	for {
		select {
		case <-d.stop:
			return
		case <-d.wake:
		case <-d.timer.C:
		}
		_ = d.commit() //nolint:errcheck // callers of Sync and Check get the error
		d.mu.Lock()
		purge, owed := d.purge, d.owed
		d.purge = nil
		compact := purge == nil && !owed && d.worthwhile()
		d.mu.Unlock()
		switch {
		case purge != nil || owed:
			err := errors.Join(d.compact(), d.damaged.drop())
			d.mu.Lock()
			d.owed = err != nil
			d.mu.Unlock()
			if purge != nil {
				purge.err = err
				close(purge.done)
			}
		case compact:
			_ = d.compact() //nolint:errcheck // the old log will do; writes report a full disk
		}
		d.mu.Lock()
		d.arm()
		d.mu.Unlock()
	}
}

// commit does the next sync.
func (d *durable) commit() error {
	d.mu.Lock()
	c := d.next
	d.next, d.armed = newCommit(), false
	log, end, unsure, suspect := d.journal, d.journal.end, d.unsure(), d.suspect
	d.mu.Unlock()
	switch {
	case suspect: // the system may have lost data that it could not write, but the memory has it
		c.err = d.compact()
	case unsure:
		c.err = d.fsync(log.f)
	}
	d.mu.Lock()
	switch {
	case c.err != nil:
		c.err = full(fmt.Errorf("sync the state: %w", c.err))
		d.suspect = true
	case !suspect:
		log.sure = end
		if unsure {
			log.note(end)
		}
	}
	d.failed = c.err
	d.mu.Unlock()
	close(c.done)
	return c.err
}

// wasteful is how many times larger than the live data a log may be.
const wasteful = 4

// due reports whether compaction may be due. The caller holds the lock.
func (d *durable) due() bool {
	end := d.journal.end
	return end >= max(d.from, d.retryAt) && (end > wasteful*d.memory.size || end >= d.checkAt)
}

// worthwhile checks the live size if compaction may be due. The caller holds the lock.
func (d *durable) worthwhile() bool {
	if !d.due() {
		return false
	}
	live := d.memory.live(d.now().UnixMilli())
	if d.journal.end > wasteful*live {
		return true
	}
	d.checkAt = max(d.from, wasteful*live+1)
	return false
}

// compact writes a new log with the live data, syncs it, and replaces the current one if there is
// one. Other methods can run meanwhile.
func (d *durable) compact() (err error) {
	d.mu.Lock()
	d.memory.sweep(d.now().UnixMilli())
	all := d.memory.snapshot()
	d.compacting = true
	d.mu.Unlock()

	file := d.file + ".new"
	fresh, err := newJournal(file)
	if err == nil {
		err = d.fill(fresh, all)
		if err == nil {
			err = d.replace(fresh, file)
		}
		if err != nil {
			err = errors.Join(err, fresh.f.Close(), os.Remove(file))
		}
	}
	d.mu.Lock()
	d.compacting, d.since = false, nil
	if err != nil && d.journal != nil {
		d.retryAt = d.journal.end + d.from
	}
	d.mu.Unlock()
	if err != nil {
		return err
	}
	err = syncFolder(filepath.Dir(d.file), d.fsync)
	d.mu.Lock()
	d.suspect = err != nil
	d.mu.Unlock()
	return err
}

// fill writes the snapshot and the changes since, except those made during its final sync.
func (d *durable) fill(fresh *journal, all func(func(change) bool)) error {
	err := fresh.writeAll(all)
	for range 8 { // fewer remain each time
		d.mu.Lock()
		since := d.since
		d.since = nil
		d.mu.Unlock()
		if err != nil || len(since) == 0 {
			break
		}
		err = fresh.writeAll(slices.Values(since))
	}
	if err != nil {
		return err
	}
	// It will not be read before it is synced, so it may say so already.
	fresh.sure = fresh.end
	if err := fresh.write(change{kind: mark}); err != nil {
		return err
	}
	fresh.note(fresh.end)
	if err := d.fsync(fresh.f); err != nil {
		return full(err)
	}
	fresh.sure = fresh.end
	return nil
}

// replace writes the remaining changes and makes this log the current one.
func (d *durable) replace(fresh *journal, file string) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if err := fresh.writeAll(slices.Values(d.since)); err != nil {
		return err
	}
	if err := os.Rename(file, d.file); err != nil {
		return full(err)
	}
	old := d.journal
	d.journal, d.compacting, d.since = fresh, false, nil
	d.retryAt, d.checkAt = 0, max(d.from, wasteful*fresh.end)
	if old != nil {
		_ = old.f.Close() //nolint:errcheck // it is no longer needed
	}
	return nil
}
