//go:build !(darwin || dragonfly || freebsd || illumos || linux || netbsd || openbsd)

package disk

import (
	"errors"
	"io/fs"
	"os"

	"atelier/storage"
)

// lock always fails: on these systems, such as Windows, an open file cannot be replaced, or cannot
// be locked without waiting.
func lock(string) (unlock func() error, err error) {
	return nil, &storage.Fault{
		Sentence: "This system cannot keep the state on disk. Set REDIS_URL to the address of a Redis server.",
		Kind:     storage.ErrUnfit,
	}
}

// flock is not supported.
func flock(*os.File) error { return errors.ErrUnsupported }

func owned(fs.FileInfo) bool { return true }
