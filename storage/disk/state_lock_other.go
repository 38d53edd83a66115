//go:build !(darwin || dragonfly || freebsd || illumos || linux || netbsd || openbsd)

package disk

import (
	"errors"
	"io/fs"
	"os"

	"atelier/storage"
)

// lock fails where an open file cannot be replaced, and cannot be locked without a wait,
// as on Windows.
func lock(string) (unlock func() error, err error) {
	return nil, &storage.Fault{
		Sentence: "On this system the state cannot be kept on disk. Set REDIS_URL to the address of a Redis server.",
		Kind:     storage.ErrUnfit,
	}
}

// flock locks nothing.
func flock(*os.File) error { return errors.ErrUnsupported }

func owned(fs.FileInfo) bool { return true }
