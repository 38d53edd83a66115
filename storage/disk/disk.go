// Package disk keeps blobs as files of a folder.
//
// Promises beyond those of the storage package:
//   - A file is written beside its place, synced and then renamed into it, so that a
//     crash leaves no half of a blob.
//   - Nothing outside of the folder is read or written, through links neither.
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

	"atelier/storage"
)

// Blobs are the files of a folder.
type Blobs struct{ root *os.Root }

var _ storage.Blobs = (*Blobs)(nil)

// Open uses the folder, and makes it if it is not there. Close it in the end.
func Open(folder string) (*Blobs, error) {
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return nil, fmt.Errorf("make the folder of the blobs: %w", err)
	}
	root, err := os.OpenRoot(folder)
	if err != nil {
		return nil, fmt.Errorf("open the folder of the blobs: %w", err)
	}
	return &Blobs{root}, nil
}

// Close lets go of the folder.
func (b *Blobs) Close() error { return b.root.Close() }

// Put stores a blob.
func (b *Blobs) Put(ctx context.Context, key string, r io.Reader) (err error) {
	if err := check(ctx, key); err != nil {
		return err
	}
	dir := path.Dir(key)
	if err := b.root.MkdirAll(dir, 0o700); err != nil {
		return fmt.Errorf("put %s: %w", key, err)
	}
	temp := path.Join(dir, ".part-"+rand.Text()) // no key begins with a dot
	f, err := b.root.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return fmt.Errorf("put %s: %w", key, err)
	}
	defer func() {
		if err != nil {
			err = fmt.Errorf("put %s: %w", key, errors.Join(err, ignoreMissing(b.root.Remove(temp))))
		}
	}()
	_, err = io.Copy(f, reader{ctx, r})
	if err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err != nil {
		return err
	}
	return b.root.Rename(temp, key)
}

// Get opens a blob.
func (b *Blobs) Get(ctx context.Context, key string) (io.ReadCloser, error) {
	if err := check(ctx, key); err != nil {
		return nil, err
	}
	if _, err := b.Stat(ctx, key); err != nil {
		return nil, err
	}
	f, err := b.root.Open(key)
	if err != nil {
		return nil, fault("get", key, err)
	}
	return f, nil
}

// Stat tells of a blob.
func (b *Blobs) Stat(ctx context.Context, key string) (storage.Info, error) {
	if err := check(ctx, key); err != nil {
		return storage.Info{}, err
	}
	info, err := b.root.Stat(key)
	if err != nil {
		return storage.Info{}, fault("stat", key, err)
	}
	if !info.Mode().IsRegular() {
		return storage.Info{}, fmt.Errorf("stat %s: %w", key, storage.ErrNotFound)
	}
	return storage.Info{Size: info.Size()}, nil
}

// Delete removes a blob.
func (b *Blobs) Delete(ctx context.Context, key string) error {
	if _, err := b.Stat(ctx, key); errors.Is(err, storage.ErrNotFound) {
		return nil
	} else if err != nil {
		return err
	}
	if err := ignoreMissing(b.root.Remove(key)); err != nil {
		return fmt.Errorf("delete %s: %w", key, err)
	}
	return nil
}

func check(ctx context.Context, key string) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	return storage.CheckKey(key)
}

func fault(op, key string, err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		err = errors.Join(storage.ErrNotFound, err)
	}
	return fmt.Errorf("%s %s: %w", op, key, err)
}

func ignoreMissing(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// reader ends when its context does.
type reader struct {
	ctx context.Context //nolint:containedctx // it lives as long as the one call that reads
	r   io.Reader
}

func (r reader) Read(p []byte) (int, error) {
	if err := r.ctx.Err(); err != nil {
		return 0, err
	}
	return r.r.Read(p) //nolint:wrapcheck // io.EOF must stay what it is
}
