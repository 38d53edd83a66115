package disk

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"syscall"

	"atelier/storage"
)

// full adds [storage.ErrFull] to an error about missing space.
func full(err error) error {
	for _, kind := range []error{syscall.ENOSPC, syscall.EDQUOT, syscall.EFBIG} {
		if errors.Is(err, kind) {
			return errors.Join(storage.ErrFull, err)
		}
	}
	return err
}

// taken adds [storage.ErrKey] to the error if another key is a folder of this one or vice versa.
func taken(err error) error {
	for _, kind := range []error{syscall.ENOTDIR, syscall.EISDIR, syscall.ENOTEMPTY, fs.ErrExist} {
		if errors.Is(err, kind) {
			return fmt.Errorf("%w: a key must not be the folder of another key: %w", storage.ErrKey, err)
		}
	}
	return err
}

// missing adds [storage.ErrNotFound] to the error of a missing file.
func missing(err error) error {
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) { // "a/b" where "a" is a blob
		return errors.Join(storage.ErrNotFound, err)
	}
	return err
}

// ignoreMissing returns nil for the error of a missing file.
func ignoreMissing(err error) error {
	if errors.Is(missing(err), storage.ErrNotFound) {
		return nil
	}
	return err
}

func unusable(what string, err error) error {
	reason := err
	if p, ok := errors.AsType[*fs.PathError](err); ok { // without the path
		reason = p.Err
	} else if l, ok := errors.AsType[*os.LinkError](err); ok {
		reason = l.Err
	}
	f := &storage.Fault{Sentence: "The blob folder " + what + ": " + reason.Error() + ".", Err: err}
	if errors.Is(err, storage.ErrFull) {
		f.Kind = storage.ErrFull
	}
	return f
}
