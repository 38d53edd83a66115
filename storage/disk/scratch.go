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

// Scratch is a process's folder for temporary files. Close removes it, or if the process was
// killed, the next Sweep of another process. On systems other than Unix only Close does.
type Scratch struct {
	root, folder string
	lock         *os.File // nil if the system has no locks
}

const (
	scratchPrefix = "atelier-run-"
	scratchLock   = "lock"
	// abandoned is the age at which a folder without a lock counts as unused.
	abandoned = 24 * time.Hour
)

// unlocked are the prefixes of folders and files without a lock: folders just being created, links
// to sockets, and leftovers of former versions.
var unlocked = []string{
	scratchPrefix, "atelier-socket-", "atelier-step-", "atelier-fetch-", "atelier-look-", "atelier-shown-", "atelier-ask-", "atelier-mask-",
}

// OpenScratch creates an empty folder in root, or in the system's folder for temporary files if
// root is empty. It is locked while this process lives.
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
		case !errors.Is(err, syscall.EWOULDBLOCK) && !errors.Is(err, fs.ErrNotExist): // a sweep was faster
			return nil, errors.Join(err, os.RemoveAll(s.folder))
		}
	}
}

// lockScratch locks a folder until the returned file is closed.
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

// Folder returns the path of the folder.
func (s *Scratch) Folder() string { return s.folder }

// Close removes the folder with its contents.
func (s *Scratch) Close() error {
	err := removeScratch(s.folder)
	if s.lock != nil {
		err = errors.Join(err, s.lock.Close())
	}
	return err
}

// Sweep removes the folders of dead processes, and those without a lock that were not changed for a
// day. It does not follow links, and continues after errors. Call it regularly: it also updates the
// time of this folder, so that it is not removed by programs that clean the system's folder by age.
func (s *Scratch) Sweep() error {
	entries, err := os.ReadDir(s.root)
	if err != nil {
		return fmt.Errorf("look for leftover temporary files: %w", err)
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
			failed = errors.Join(failed, fmt.Errorf("remove leftover temporary files: %w", err))
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
	case errors.Is(err, syscall.EWOULDBLOCK), errors.Is(err, errors.ErrUnsupported): // the owner lives, or may live
		return nil
	case ignoreMissing(err) != nil:
		return err
	case time.Since(info.ModTime()) < abandoned:
		return nil
	}
	return os.RemoveAll(name)
}

// removeScratch removes a folder, and its lock last, so that an interrupted removal can be
// completed later.
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
