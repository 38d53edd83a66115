package disk

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strings"
	"time"
)

// DeleteAll removes everything below a folder, including unfinished and leftover Puts.
func (b *Blobs) DeleteAll(ctx context.Context, folder string) error {
	if err := check(ctx, folder); err != nil {
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
