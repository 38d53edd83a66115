// Package disk keeps blobs as files in a folder, which several processes may share, and state
// in a file, which belongs to one process. [Scratch] is for temporary files.
//
// Further guarantees of [Blobs]:
//   - A file is written beside its place, synced and renamed, and then its folder is synced. So a
//     crash leaves no half blob and loses none that Put has returned for.
//   - Nothing outside of the folder is read or written, not even through links.
//   - A full disk or quota is reported as [storage.ErrFull]. The space that the Put had used is
//     freed at once.
//
// The folder must be on a file system that renames atomically. Its clock decides on expiry. If
// it ignores the case of names, keys that differ only in case name the same blob.
//
// Further guarantees of [State]:
//   - Everything survives a crash of the process, including kill -9: a change is written to the
//     log before its method returns. What is read back is the state at one moment.
//   - Changes before a successful Sync survive a crash of the machine. Other changes are synced
//     in the background within a second, if the disk keeps up. A crash of the machine may lose
//     the changes after the last sync, but never one from between others.
//   - A log that lost synced data, at its end or in the middle, is read as far as possible. The
//     damaged file is kept beside the new one until the next Purge. The log and [ExamineState]
//     report the loss.
//   - After a successful Purge, no file contains what was purged.
//   - A method that fails has changed nothing. A full disk is reported as [storage.ErrFull], and
//     used again once it has room.
//   - Values expire by the wall clock, across restarts too.
//   - A second process that opens the file is rejected at once.
//   - Hints stay within the process.
//
// Everything is held in memory. The log, and expired values that are still held, take at most
// about four times the live data plus 16 MiB. Compaction does not block others. The file must be
// on a local disk, on a Unix system.
package disk

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"strings"
	"time"

	"atelier/storage"
)

// Blobs store blobs as files in a folder. They have no links.
type Blobs struct{ root *os.Root }

var (
	_ storage.Blobs   = (*Blobs)(nil)
	_ storage.Checker = (*Blobs)(nil)
)

// Open opens a folder and creates it if necessary. The caller must close the result. Errors have
// the type [*storage.Fault].
func Open(folder string) (*Blobs, error) {
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return nil, unusable("cannot be made", err)
	}
	root, err := os.OpenRoot(folder)
	if err != nil {
		return nil, unusable("cannot be opened", err)
	}
	return &Blobs{root}, nil
}

// Link always fails, with [storage.ErrNoLinks].
func (b *Blobs) Link(ctx context.Context, key string, expiry time.Duration) (string, error) {
	if err := check(ctx, key); err != nil {
		return "", err
	}
	if err := storage.CheckLink(expiry); err != nil {
		return "", err
	}
	return "", storage.ErrNoLinks
}

// Close closes the folder.
func (b *Blobs) Close() error { return b.root.Close() }

// Check writes a file into the folder and removes it.
func (b *Blobs) Check(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	name, err := b.write(".", storage.NewSource(ctx, strings.NewReader("x")))
	if err == nil {
		err = b.root.Remove(name)
	}
	if err != nil {
		return unusable("cannot be written to", err)
	}
	return nil
}

// Get opens a blob.
func (b *Blobs) Get(ctx context.Context, key string) (io.ReadCloser, error) {
	return b.GetRange(ctx, key, 0, -1)
}

// GetRange opens a part of a blob.
func (b *Blobs) GetRange(ctx context.Context, key string, offset, n int64) (io.ReadCloser, error) {
	if offset < 0 {
		return nil, fmt.Errorf("get %s: the offset %d is negative", key, offset)
	}
	f, err := b.open(ctx, key)
	if err != nil {
		return nil, err
	}
	if _, err := f.Seek(offset, io.SeekStart); err != nil {
		return nil, fmt.Errorf("get %s: %w", key, errors.Join(err, f.Close()))
	}
	var r io.Reader = f
	if n >= 0 {
		r = io.LimitReader(f, n)
	}
	return struct {
		io.Reader
		io.Closer
	}{reader{ctx, r}, f}, nil
}

// Stat returns information about a blob.
func (b *Blobs) Stat(ctx context.Context, key string) (storage.Info, error) {
	if err := check(ctx, key); err != nil {
		return storage.Info{}, err
	}
	info, err := b.root.Stat(key)
	if err == nil && !info.Mode().IsRegular() {
		err = fs.ErrNotExist
	}
	if err != nil {
		return storage.Info{}, fmt.Errorf("stat %s: %w", key, missing(err))
	}
	return storage.Info{Size: info.Size(), Stored: info.ModTime()}, nil
}

// Delete removes a blob and the folders that this leaves empty.
func (b *Blobs) Delete(ctx context.Context, key string) error {
	if _, err := b.Stat(ctx, key); errors.Is(err, storage.ErrNotFound) {
		return nil
	} else if err != nil {
		return err
	}
	if err := ignoreMissing(b.root.Remove(key)); err != nil {
		return fmt.Errorf("delete %s: %w", key, err)
	}
	b.prune(path.Dir(key))
	return nil
}

// open opens the file of a blob.
func (b *Blobs) open(ctx context.Context, key string) (*os.File, error) {
	if _, err := b.Stat(ctx, key); err != nil { // opening a named pipe would block
		return nil, err
	}
	f, err := b.root.Open(key)
	if err != nil {
		return nil, fmt.Errorf("get %s: %w", key, missing(err))
	}
	return f, nil
}

// prune removes a folder and its parents as long as they are empty.
func (b *Blobs) prune(dir string) {
	for dir != "." && b.root.Remove(dir) == nil { // Remove fails if the folder is not empty
		dir = path.Dir(dir)
	}
}

func check(ctx context.Context, key string) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	return storage.CheckKey(key)
}

// reader stops when its context ends.
type reader struct {
	ctx context.Context //nolint:containedctx // it lives only as long as the read
	r   io.Reader
}

func (r reader) Read(p []byte) (int, error) {
	if err := r.ctx.Err(); err != nil {
		return 0, err
	}
	return r.r.Read(p) //nolint:wrapcheck // io.EOF must not be wrapped
}
