// Package disk keeps blobs as files of a folder, which several processes may share, and
// state in a file, which one process has for itself. [Scratch] is for what is not kept.
//
// Guarantees of [Blobs] beyond those of the storage package:
//   - A file is written beside its place, synced and renamed into it, and then its folder
//     is synced, so that a crash leaves no half of a blob and loses none that Put has
//     returned for.
//   - Nothing outside of the folder is read or written, through links neither.
//   - A disk that is full, or a quota that is used up, is told by [storage.ErrFull], and
//     gets back at once what the Put had written.
//
// The folder must be on a file system that renames atomically and whose clock is the one
// that blobs are to expire by. Where it ignores the case of names, keys that differ in
// nothing else name one blob.
//
// Guarantees of [State] beyond those of the storage package:
//   - Everything outlives a crash of the process, kill -9 included: a change is written
//     to the log before its method returns. So does the order: what is read back is what
//     was there at one moment.
//   - What Sync has returned for outlives a crash of the machine; what else was changed
//     does after a second, by a sync in the background, while the disk keeps up. A crash
//     of the machine may lose what was changed after the last sync, from some change on.
//   - A log that lost something that was sure, at its end or in the middle, is read as far
//     as it can be. The damaged file is kept beside the new one until the next Purge, and
//     the loss is told to the log and by [ExamineState].
//   - What Purge has returned for is in no file any more.
//   - A method that fails has changed nothing. A disk that is full is told by
//     [storage.ErrFull], and used again when it has room.
//   - Values expire by the clock on the wall, over restarts too.
//   - A second process that opens the file is refused at once.
//   - Hints are passed within the process.
//
// All of it is held in memory; the log, and what has expired and is still held, are at
// most some four times what is live and 16 MiB, for a rewriting that others do not wait
// for. The file must be on a disk of this machine, on a system of the Unix family.
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

// Blobs are the files of a folder. They have no links.
type Blobs struct{ root *os.Root }

var (
	_ storage.Blobs   = (*Blobs)(nil)
	_ storage.Checker = (*Blobs)(nil)
)

// Open opens a folder, which it makes if it does not exist. Close it in the end. Its errors are
// of the type [*storage.Fault].
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

// Link fails with [storage.ErrNoLinks].
func (b *Blobs) Link(ctx context.Context, key string, expiry time.Duration) (string, error) {
	if err := check(ctx, key); err != nil {
		return "", err
	}
	if err := storage.CheckLink(expiry); err != nil {
		return "", err
	}
	return "", storage.ErrNoLinks
}

// Close lets go of the folder.
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

// Stat tells of a blob.
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

// Delete removes a blob, and the folders that it leaves empty.
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
	if _, err := b.Stat(ctx, key); err != nil { // a named pipe would hang
		return nil, err
	}
	f, err := b.root.Open(key)
	if err != nil {
		return nil, fmt.Errorf("get %s: %w", key, missing(err))
	}
	return f, nil
}

// prune removes a folder and those above it, as far as they are empty.
func (b *Blobs) prune(dir string) {
	for dir != "." && b.root.Remove(dir) == nil { // which fails where one is not empty
		dir = path.Dir(dir)
	}
}

func check(ctx context.Context, key string) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	return storage.CheckKey(key)
}

// reader ends when its context does.
type reader struct {
	ctx context.Context //nolint:containedctx // it lives as long as the one reading
	r   io.Reader
}

func (r reader) Read(p []byte) (int, error) {
	if err := r.ctx.Err(); err != nil {
		return 0, err
	}
	return r.r.Read(p) //nolint:wrapcheck // io.EOF must stay what it is
}
