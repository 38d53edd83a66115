//go:build linux

package disk_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"atelier/storage"
	"atelier/storage/disk"
)

// fullState fills a disk of one mebibyte. A change without enough space has no effect, in memory or in the log,
// and work continues once there is space.
func fullState(folder string) error {
	c := disk.StateConfig{File: filepath.Join(folder, "log")}
	s, err := disk.OpenState(c)
	if err != nil {
		return err
	}
	ctx := context.Background()
	if err := s.Put(ctx, "g/k", []byte("before"), 0); err != nil {
		return err
	}
	large := make([]byte, 300<<10)
	n := int64(0)
	for ; err == nil && n < 100; n++ {
		_, err = s.Append(ctx, "g/list", large, 0)
	}
	if !errors.Is(err, storage.ErrFull) || n < 2 {
		return fmt.Errorf("append %d times: %w", n, err)
	}
	n-- // the last is not there
	for what, err := range map[string]error{"put": s.Put(ctx, "g/k", large, 0), "check": s.Check(ctx)} {
		if (what == "put") != errors.Is(err, storage.ErrFull) {
			return fmt.Errorf("%s: %w", what, err)
		}
	}
	if _, err := s.PutOnce(ctx, "g/once", large, 0); !errors.Is(err, storage.ErrFull) {
		return fmt.Errorf("put once: %w", err)
	}
	if err := s.Purge(ctx); err != nil && !errors.Is(err, storage.ErrFull) { // there may be room for a second file
		return fmt.Errorf("purge: %w", err)
	}
	info, err := os.Stat(c.File)
	if err != nil {
		return err
	}
	for range 2 { // as it is, and read back where there is no room to compact it
		if err := holds(ctx, s, n); err != nil {
			return err
		}
		if err := s.Close(); err != nil {
			return err
		}
		if s, err = disk.OpenState(c); err != nil {
			return fmt.Errorf("open it again: %w", err)
		}
	}
	if now, err := os.Stat(c.File); err != nil || now.Size() > info.Size()+1000 {
		return fmt.Errorf("the log has %d bytes, after %d: %w", now.Size(), info.Size(), err)
	}
	// There is space for something small, and once that is freed, for something large.
	if err := errors.Join(s.Put(ctx, "g/small", []byte("x"), 0), s.DeleteAll(ctx, "g"), s.Sync(ctx), s.Close()); err != nil {
		return err
	}
	if s, err = disk.OpenState(c); err != nil {
		return err
	}
	return errors.Join(s.Purge(ctx), s.Put(ctx, "g/k", large, 0), s.Check(ctx), s.Close(), os.RemoveAll(folder))
}

// holds checks that everything from before the disk was full is still there.
func holds(ctx context.Context, s *disk.State, n int64) error {
	value, err := s.Get(ctx, "g/k")
	if err != nil || string(value) != "before" {
		return fmt.Errorf("it holds %.10q, %w", value, err)
	}
	list, err := s.Read(ctx, "g/list", 0)
	if err != nil || int64(len(list)) != n {
		return fmt.Errorf("the list has %d values, not %d: %w", len(list), n, err)
	}
	keys, err := s.Keys(ctx, "g")
	if err != nil || !slices.Equal(keys, []string{"g/k", "g/list"}) {
		return fmt.Errorf("the keys are %v, %w", keys, err)
	}
	return nil
}
