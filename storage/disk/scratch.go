package disk

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"
)

// Scratch is the folder of a process for files that it needs for a while. It ends with Close,
// or where the process is killed with the next Sweep of another process; on systems outside of
// the Unix family only with Close.
type Scratch struct {
	root, folder string
	lock         *os.File // nil where the system has none
}

const (
	scratchPrefix = "atelier-run-"
	scratchLock   = "lock"
	// abandoned is the age of what has no lock, and that nobody uses any more.
	abandoned = 24 * time.Hour
)

// unlocked begins what has no lock: a folder that is just being made, a link to a socket, and
// what former versions have left.
var unlocked = []string{
	scratchPrefix, "atelier-socket-", "atelier-step-", "atelier-fetch-", "atelier-look-", "atelier-shown-", "atelier-ask-", "atelier-mask-",
}

// OpenScratch makes an empty folder in root, or where that is empty in the system's folder for
// temporary files. It is locked as long as this process lives.
func OpenScratch(root string) (*Scratch, error) {
	s := &Scratch{root: root}
	if s.root == "" {
		s.root = os.TempDir()
	}
	for {
		var err error
		if s.folder, err = os.MkdirTemp(s.root, scratchPrefix); err != nil {
			return nil, fmt.Errorf("make a folder for temporary files: %w", full(err))
		}
		if s.lock, err = lockScratch(s.folder, os.O_RDWR|os.O_CREATE); err == nil {
			return s, nil
		}
		switch {
		case errors.Is(err, errors.ErrUnsupported):
			return s, nil
		case !errors.Is(err, syscall.EWOULDBLOCK) && !errors.Is(err, fs.ErrNotExist): // no sweep was quicker
			return nil, errors.Join(err, os.RemoveAll(s.folder))
		}
	}
}

// lockScratch locks a folder as long as the file is open.
func lockScratch(folder string, flags int) (*os.File, error) {
	name := filepath.Join(folder, scratchLock)
	f, err := os.OpenFile(name, flags, 0o600)
	if err != nil {
		return nil, fmt.Errorf("lock a folder for temporary files: %w", full(err))
	}
	var held, named fs.FileInfo
	if err = flock(f); err == nil {
		held, err = f.Stat()
	}
	if err == nil {
		named, err = os.Stat(name)
	}
	if err == nil && !os.SameFile(held, named) {
		err = fs.ErrNotExist
	}
	if err != nil {
		return nil, fmt.Errorf("lock a folder for temporary files: %w", errors.Join(err, f.Close()))
	}
	return f, nil
}

// Folder is the folder.
func (s *Scratch) Folder() string { return s.folder }

// Close removes the folder with all that is in it.
func (s *Scratch) Close() error {
	err := removeScratch(s.folder)
	if s.lock != nil {
		err = errors.Join(err, s.lock.Close())
	}
	return err
}

// Sweep removes the folders of processes that do not live any more, and what has no lock and
// was not changed for a day. It follows no links, and goes on where it can after something
// that could not be removed. Call it from time to time: it also keeps this folder young, so
// that what cleans the system's folder by age leaves it.
func (s *Scratch) Sweep() error {
	entries, err := os.ReadDir(s.root)
	if err != nil {
		return fmt.Errorf("look for temporary files that were left: %w", err)
	}
	var failed error
	for _, name := range []string{s.folder, filepath.Join(s.folder, scratchLock)} {
		failed = errors.Join(failed, os.Chtimes(name, time.Now(), time.Now()))
	}
	for _, e := range entries {
		name := filepath.Join(s.root, e.Name())
		ours := slices.ContainsFunc(unlocked, func(prefix string) bool { return strings.HasPrefix(e.Name(), prefix) })
		if !ours || name == s.folder || !e.IsDir() && !e.Type().IsRegular() {
			continue
		}
		if err := sweepScratch(name); err != nil {
			failed = errors.Join(failed, fmt.Errorf("remove temporary files that were left: %w", err))
		}
	}
	return failed
}

func sweepScratch(name string) error {
	info, err := os.Lstat(name)
	if err != nil || !owned(info) {
		return ignoreMissing(err)
	}
	lock, err := lockScratch(name, os.O_RDWR)
	switch {
	case err == nil:
		return errors.Join(removeScratch(name), lock.Close())
	case errors.Is(err, syscall.EWOULDBLOCK), errors.Is(err, errors.ErrUnsupported): // whose owner lives, or may
		return nil
	case ignoreMissing(err) != nil:
		return err
	case time.Since(info.ModTime()) < abandoned:
		return nil
	}
	return os.RemoveAll(name)
}

// removeScratch removes a folder, and its lock last, so that what it leaves where it is
// interrupted is found again.
func removeScratch(folder string) error {
	entries, err := os.ReadDir(folder)
	failed := ignoreMissing(err)
	for _, e := range entries {
		if e.Name() != scratchLock {
			failed = errors.Join(failed, os.RemoveAll(filepath.Join(folder, e.Name())))
		}
	}
	if failed != nil {
		return failed
	}
	return os.RemoveAll(folder)
}
