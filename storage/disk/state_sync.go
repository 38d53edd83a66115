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

// Purge rewrites the log, so that nothing is left of what was deleted, overwritten or expired
// before, and removes damaged logs that were kept, which may hold it too. Those who call it
// while another one runs share the next one. One that fails is done again after each sync until
// it succeeds.
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

// do writes a change and then makes it. The lock is held.
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

// unsure reports whether a crash of the machine may lose something. The lock is held.
func (d *durable) unsure() bool { return d.suspect || d.journal.sure < d.journal.end }

// delay is how long something is unsure at most, while the disk keeps up.
const delay = time.Second

// arm sees to it that there is a sync in time. The lock is held.
func (d *durable) arm() {
	if !d.armed && d.unsure() {
		d.armed = true
		d.timer.Reset(delay)
	}
}

func (d *durable) rouse() {
	select {
	case d.wake <- struct{}{}:
	default: // it is awake
	}
}

// run syncs and compacts. Nothing else replaces the log.
func (d *durable) run() {
	defer close(d.stopped)
	for {
		select {
		case <-d.stop:
			return
		case <-d.wake:
		case <-d.timer.C:
		}
		_ = d.commit() //nolint:errcheck // who waits for it is told, and so is Check
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
			_ = d.compact() //nolint:errcheck // the log that is there will do; a full disk is told by what is written
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
	case suspect: // the system may have forgotten what it could not write, but we have not
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

// wasteful is how many times larger than what is live a log may be.
const wasteful = 4

// due reports whether it may be time to compact. The lock is held.
func (d *durable) due() bool {
	end := d.journal.end
	return end >= max(d.from, d.retryAt) && (end > wasteful*d.memory.size || end >= d.checkAt)
}

// worthwhile counts what is live where compacting may be due. The lock is held.
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

// compact writes a log of what is live, puts it in place of the one that there is,
// if any, and makes sure of it. Others go on meanwhile.
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

// fill writes what is live, and what has been changed since, but for what is changed
// while it makes sure of that.
func (d *durable) fill(fresh *journal, all func(func(change) bool)) error {
	err := fresh.writeAll(all)
	for range 8 { // each time there is less
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
	// Nobody will read this before it is sure, so it may say so already.
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

// replace writes what is missing still, and makes this log the one.
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
		_ = old.f.Close() //nolint:errcheck // nothing of it is needed
	}
	return nil
}
