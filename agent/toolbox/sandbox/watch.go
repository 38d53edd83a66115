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
	// between is how long the watch rests between two looks at what was written and how
	// much memory is held.
	between = 100 * time.Millisecond
	// glance is how long it rests between two at whether processes spread, since they do
	// that by themselves and soon leave no time to look.
	glance = 10 * time.Millisecond
)

// leastFile is what a file takes of the disk however small it is, in bytes.
const leastFile = 4096

// watch looks at what the program takes while it runs and ends it when that is too much.
type watch struct {
	s      *Sandbox
	c      Command
	before int64 // what was in the folder when it started
}

func (s *Sandbox) watch(c Command) watch { return watch{s: s, c: c, before: held(c.Dir)} }

// start looks on until stop is called.
func (w watch) start(group int, end context.CancelCauseFunc) (stop func()) {
	done := make(chan struct{})
	var all sync.WaitGroup
	all.Go(func() {
		tick := time.NewTicker(glance)
		defer tick.Stop()
		usual := threads()
		for n := 0; ; n++ {
			select {
			case <-done:
				return
			case <-tick.C:
			}
			var err error
			if n%int(between/glance) == 0 {
				u := usage(group, w.s.config.Processes)
				err = errors.Join(w.written(u.ids), w.taken(u))
			} else if threads() > usual+w.s.config.Processes {
				err = w.taken(usage(group, w.s.config.Processes))
			}
			if err != nil {
				end(err)
				return
			}
		}
	})
	return func() { close(done); all.Wait() }
}

// written reports whether the folder has grown too large, with what the processes hold open
// without a name.
func (w watch) written(ids []string) error {
	if held(w.c.Dir)-w.before+nameless(ids) > w.s.config.Disk {
		return tooLarge(w.c, w.s.config.Disk)
	}
	return nil
}

// taken reports whether its processes are too many or hold too much memory.
func (w watch) taken(u used) error {
	switch {
	case u.threads > w.s.config.Processes:
		return tooMany(w.c, w.s.config.Processes)
	case u.memory > w.c.Memory:
		return tooHungry(w.c, w.c.Memory)
	}
	return nil
}

// held is how many bytes lie in a folder. What disappears meanwhile does not count.
func held(dir string) (total int64) {
	if dir == "" {
		return 0
	}
	_ = filepath.WalkDir(dir, func(_ string, d fs.DirEntry, err error) error { //nolint:errcheck // it returns none
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
