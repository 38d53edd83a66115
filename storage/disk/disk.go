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
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"runtime"
	"strings"
	"syscall"
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
		return nil, unusable("The blob folder cannot be made", err)
	}
	root, err := os.OpenRoot(folder)
	if err != nil {
		return nil, unusable("The blob folder cannot be opened", err)
	}
	return &Blobs{root}, nil
}

// Link always fails, with [storage.ErrNoLinks].
func (b *Blobs) Link(ctx context.Context, key string, expiry time.Duration) (string, error) {
	if err := guard(ctx, storage.CheckKey(key)); err != nil {
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
		return unusable("The blob folder cannot be written to", err)
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
	}{storage.NewSource(ctx, r), f}, nil
}

// Stat returns information about a blob.
func (b *Blobs) Stat(ctx context.Context, key string) (storage.Info, error) {
	if err := guard(ctx, storage.CheckKey(key)); err != nil {
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

// Put stores a blob.
func (b *Blobs) Put(ctx context.Context, key string, r io.Reader) error {
	if err := guard(ctx, storage.CheckKey(key)); err != nil {
		return err
	}
	if err := b.put(key, storage.NewSource(ctx, r)); err != nil {
		return fmt.Errorf("put %s: %w", key, err)
	}
	return nil
}

// DeleteAll removes everything below a folder, including unfinished and leftover Puts.
func (b *Blobs) DeleteAll(ctx context.Context, folder string) error {
	if err := guard(ctx, storage.CheckKey(folder)); err != nil {
		return err
	}
	s := sweep{b: b, wanted: func(fs.FileInfo) bool { return true }}
	err := s.folder(ctx, folder)
	b.prune(path.Dir(folder))
	if err != nil {
		return fmt.Errorf("delete everything of %s: %w", folder, err)
	}
	return nil
}

// Expire removes blobs stored before a time.
func (b *Blobs) Expire(ctx context.Context, before time.Time) (int, error) {
	s := sweep{b: b, wanted: func(i fs.FileInfo) bool { return i.ModTime().Before(before) }}
	if err := s.folder(ctx, "."); err != nil {
		return s.blobs, fmt.Errorf("remove expired blobs: %w", err)
	}
	return s.blobs, nil
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

func (b *Blobs) put(key string, r *storage.Source) error {
	dir := path.Dir(key)
	_, err := b.root.Stat(dir)
	fresh := errors.Is(err, fs.ErrNotExist)
	part, err := b.write(dir, r)
	if err != nil {
		return err
	}
	if err := b.root.Rename(part, key); err != nil {
		return taken(errors.Join(err, ignoreMissing(b.root.Remove(part))))
	}
	for err = b.syncFolder(dir); fresh && dir != "." && err == nil; err = b.syncFolder(dir) {
		dir = path.Dir(dir)
	}
	return err
}

// write writes and syncs a temporary file in the folder, which it creates if necessary. It leaves
// no file if it fails.
func (b *Blobs) write(dir string, r *storage.Source) (part string, err error) {
	part = path.Join(dir, aside+rand.Text())
	f, err := b.create(part)
	if err != nil {
		return "", taken(full(err))
	}
	_, err = io.Copy(f, r)
	if err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err != nil {
		if r.Err() == nil {
			err = full(err)
		}
		return "", errors.Join(err, ignoreMissing(b.root.Remove(part)))
	}
	return part, nil
}

// aside is the prefix of temporary files; no part of a key begins like this.
const aside = ".part-"

// create creates the file and its folder. It retries if a sweep removes the empty folder in
// between, or another Put creates it.
func (b *Blobs) create(name string) (f *os.File, err error) {
	dir := path.Dir(name)
	for range 100 {
		if err = b.root.MkdirAll(dir, 0o700); err == nil {
			f, err = b.root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
		}
		if !errors.Is(err, fs.ErrNotExist) && !b.raced(dir, err) {
			return f, err
		}
	}
	return nil, err
}

// raced reports whether creating a folder failed only because another goroutine or process created
// or removed it at the same time, on which [os.Root.MkdirAll] gives up.
func (b *Blobs) raced(dir string, err error) bool {
	if !errors.Is(err, fs.ErrExist) {
		return false
	}
	info, err := b.root.Lstat(dir)
	return err != nil && errors.Is(err, fs.ErrNotExist) || err == nil && info.IsDir()
}

// syncFolder makes the names in the folder survive a crash of the machine.
func (b *Blobs) syncFolder(dir string) error {
	if runtime.GOOS == "windows" { // which does this itself and has no such call
		return nil
	}
	f, err := b.root.Open(dir)
	if err != nil {
		return ignoreMissing(err) // a sweep has already removed the new blob
	}
	return errors.Join(f.Sync(), f.Close())
}

// sweep removes files and the folders that this leaves empty.
type sweep struct {
	b      *Blobs
	wanted func(fs.FileInfo) bool // selects the files to remove
	blobs  int                    // number of removed blobs
}

// folder sweeps a folder. It continues after errors and does not follow links.
func (s *sweep) folder(ctx context.Context, dir string) error {
	info, err := s.b.root.Lstat(dir)
	if err != nil || !info.IsDir() {
		return ignoreMissing(err)
	}
	entries, err := fs.ReadDir(s.b.root.FS(), dir)
	failed := []error{ignoreMissing(err)}
	for _, entry := range entries {
		if err := ctx.Err(); err != nil {
			return errors.Join(append(failed, err)...)
		}
		name := path.Join(dir, entry.Name())
		switch own := !strings.HasPrefix(entry.Name(), "."); {
		case own && entry.IsDir():
			failed = append(failed, s.folder(ctx, name))
		case own && entry.Type().IsRegular():
			failed = append(failed, s.file(name, &s.blobs))
		case strings.HasPrefix(entry.Name(), aside):
			failed = append(failed, s.file(name, new(int)))
		}
	}
	if dir != "." {
		_ = s.b.root.Remove(dir) //nolint:errcheck // it fails if the folder is not empty
	}
	return errors.Join(failed...)
}

func (s *sweep) file(name string, gone *int) error {
	info, err := s.b.root.Lstat(name)
	if err != nil || !s.wanted(info) {
		return ignoreMissing(err)
	}
	if err := s.b.root.Remove(name); err != nil {
		return ignoreMissing(err)
	}
	*gone++
	return nil
}

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
