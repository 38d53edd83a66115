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

	"atelier/storage"
)

// Put stores a blob.
func (b *Blobs) Put(ctx context.Context, key string, r io.Reader) error {
	if err := check(ctx, key); err != nil {
		return err
	}
	if err := b.put(key, storage.NewSource(ctx, r)); err != nil {
		return fmt.Errorf("put %s: %w", key, err)
	}
	return nil
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
