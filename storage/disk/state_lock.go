//go:build darwin || dragonfly || freebsd || illumos || linux || netbsd || openbsd

package disk

import (
	"errors"
	"io/fs"
	"os"
	"syscall"

	"atelier/storage"
)

// lock locks a file for this process without waiting. The lock ends with the process. The file is
// never removed, since then two processes could hold locks.
func lock(file string) (unlock func() error, err error) {
	f, err := os.OpenFile(file, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, unusable("The lock file of the state cannot be opened", full(err))
	}
	err = flock(f)
	switch {
	case errors.Is(err, syscall.EWOULDBLOCK):
		return nil, &storage.Fault{
			Sentence: "The data folder is in use by another process of this program. Stop that process, or use another folder for this one.",
			Kind:     storage.ErrUnfit,
			Err:      errors.Join(err, f.Close()),
		}
	case err != nil:
		return nil, unusable("The state file cannot be locked; its folder must be on a local disk", errors.Join(err, f.Close()))
	}
	return func() error {
		// A child process that is just starting may briefly have the file open, too.
		return errors.Join(syscall.Flock(int(f.Fd()), syscall.LOCK_UN), f.Close())
	}, nil
}

// flock locks an open file without waiting. If another process holds the lock, it fails with
// [syscall.EWOULDBLOCK].
func flock(f *os.File) (err error) {
	for err = syscall.EINTR; errors.Is(err, syscall.EINTR); {
		err = syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	}
	return err //nolint:wrapcheck // callers check the error number
}

// owned reports whether a file belongs to the user of this process.
func owned(info fs.FileInfo) bool {
	s, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(s.Uid) == os.Geteuid()
}
