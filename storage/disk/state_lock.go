//go:build darwin || dragonfly || freebsd || illumos || linux || netbsd || openbsd

package disk

import (
	"errors"
	"io/fs"
	"os"
	"syscall"

	"atelier/storage"
)

// lock takes a file for this process, at once or not at all. The lock ends with the
// process. The file stays: who removed it could leave two who hold it.
func lock(file string) (unlock func() error, err error) {
	f, err := os.OpenFile(file, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, unusableState("The file that locks the state cannot be opened", full(err))
	}
	err = flock(f)
	switch {
	case errors.Is(err, syscall.EWOULDBLOCK):
		return nil, &storage.Fault{
			Sentence: "The data folder is in use by another process of this program. Stop that one, or give this one a folder of its own.",
			Kind:     storage.ErrUnfit,
			Err:      errors.Join(err, f.Close()),
		}
	case err != nil:
		return nil, unusableState("The file of the state cannot be locked; its folder must be on a disk of this machine", errors.Join(err, f.Close()))
	}
	return func() error {
		// A program that is being started just now has the file open too, for a moment.
		return errors.Join(syscall.Flock(int(f.Fd()), syscall.LOCK_UN), f.Close())
	}, nil
}

// flock locks an open file, at once or not at all. Where another process has the lock it fails
// with [syscall.EWOULDBLOCK].
func flock(f *os.File) (err error) {
	for err = syscall.EINTR; errors.Is(err, syscall.EINTR); {
		err = syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	}
	return err //nolint:wrapcheck // callers decide by the number
}

// owned reports whether a file is that of the user that this process runs as.
func owned(info fs.FileInfo) bool {
	s, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(s.Uid) == os.Geteuid()
}
