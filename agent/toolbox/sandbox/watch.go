package sandbox

import (
	"context"
	"errors"
	"io/fs"
	"path/filepath"
	"sync"
	"time"
)

const (
	// checkInterval is the interval of checks on written files and memory.
	checkInterval = 100 * time.Millisecond
	// forkInterval is the interval of checks for fork bombs, which grow fast and soon leave no time to check.
	forkInterval = 10 * time.Millisecond
)

// leastFile is the least size that counts for a file, in bytes.
const leastFile = 4096

// watch monitors a running program and ends it when it exceeds a limit.
type watch struct {
	s      *Sandbox
	c      Command
	before int64 // size of the folder before the start
}

func (s *Sandbox) watch(c Command) watch { return watch{s: s, c: c, before: folderSize(c.Dir)} }

// start monitors the group until stop is called.
func (w watch) start(group int, end context.CancelCauseFunc) (stop func()) {
	done := make(chan struct{})
	var all sync.WaitGroup
	all.Go(func() {
		tick := time.NewTicker(forkInterval)
		defer tick.Stop()
		usual := threads()
		for n := 0; ; n++ {
			select {
			case <-done:
				return
			case <-tick.C:
			}
			var err error
			if n%int(checkInterval/forkInterval) == 0 {
				u := usage(group, w.s.config.Processes)
				err = errors.Join(w.checkWritten(u.ids), w.checkUsage(u))
			} else if threads() > usual+w.s.config.Processes {
				err = w.checkUsage(usage(group, w.s.config.Processes))
			}
			if err != nil {
				end(err)
				return
			}
		}
	})
	return func() { close(done); all.Wait() }
}

// checkWritten returns an error if the folder, together with open unnamed files, has grown too large.
func (w watch) checkWritten(ids []string) error {
	if folderSize(w.c.Dir)-w.before+unnamedBytes(ids) > w.s.config.Disk {
		return tooLarge(w.c, w.s.config.Disk)
	}
	return nil
}

// checkUsage returns an error if the program has too many processes or too much memory.
func (w watch) checkUsage(u used) error {
	switch {
	case u.threads > w.s.config.Processes:
		return tooMany(w.c, w.s.config.Processes)
	case u.memory > w.c.Memory:
		return tooHungry(w.c, w.c.Memory)
	}
	return nil
}

// folderSize returns the size of a folder's content. Files that disappear meanwhile do not count.
func folderSize(dir string) (total int64) {
	if dir == "" {
		return 0
	}
	_ = filepath.WalkDir(dir, func(_ string, d fs.DirEntry, err error) error { //nolint:errcheck // always nil
		if err != nil {
			return nil //nolint:nilerr // it has gone
		}
		size := int64(leastFile)
		if info, err := d.Info(); err == nil && d.Type().IsRegular() {
			size = max(size, info.Size())
		}
		total += size
		return nil
	})
	return total
}
