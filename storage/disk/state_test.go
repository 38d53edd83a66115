package disk_test

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"atelier/storage"
	"atelier/storage/disk"
	"atelier/storage/storagetest"
)

func openState(tb testing.TB, c disk.StateConfig) *disk.State {
	tb.Helper()
	s, err := disk.OpenState(c)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { closed(tb, s) })
	return s
}

func closed(tb testing.TB, s *disk.State) {
	tb.Helper()
	if err := s.Close(); err != nil {
		tb.Error(err)
	}
}

func TestState(t *testing.T) {
	t.Parallel()
	// Frequent compaction, at every change that leaves waste, makes no difference.
	for name, from := range map[string]int64{"rarely compacted": 0, "often compacted": 1} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			type made struct {
				clock  *storagetest.Clock
				folder string
			}
			var states sync.Map
			of := func(s storage.State) made {
				m, _ := states.Load(s)
				return m.(made) //nolint:errcheck,forcetypeassert // nothing else is in there
			}
			storagetest.State(t, storagetest.StateMake{
				Open: func(t *testing.T) storage.State {
					t.Helper()
					m := made{storagetest.NewClock(), filepath.Join(t.TempDir(), "new")}
					s := openState(t, disk.StateConfig{File: filepath.Join(m.folder, "log"), Now: m.clock.Now, CompactFrom: from})
					states.Store(s, m)
					return s
				},
				Pass: func(t *testing.T, s storage.State, d time.Duration) {
					t.Helper()
					of(s).clock.Pass(d)
				},
				Holds: func(t *testing.T, s storage.State) string {
					t.Helper()
					var held strings.Builder
					for _, name := range files(t, of(s).folder) {
						b, err := os.ReadFile(filepath.Join(of(s).folder, name))
						if err != nil {
							t.Fatal(err)
						}
						held.Write(b)
					}
					return held.String()
				},
			})
		})
	}
}

func putTo(t *testing.T, s storage.State, key, value string, expiry time.Duration) {
	t.Helper()
	if err := s.Put(t.Context(), key, []byte(value), expiry); err != nil {
		t.Fatal(err)
	}
}

// TestExpiryHoldsOverARestart checks that expiry follows the wall clock.
func TestExpiryHoldsOverARestart(t *testing.T) {
	t.Parallel()
	now := storagetest.NewClock()
	c := disk.StateConfig{File: filepath.Join(t.TempDir(), "log"), Now: now.Now}
	s := openState(t, c)
	putTo(t, s, "g/minute", "x", time.Minute)
	putTo(t, s, "g/hour", "x", time.Hour)
	if _, err := s.Append(t.Context(), "g/list", []byte("x"), time.Minute); err != nil {
		t.Fatal(err)
	}
	for _, c2 := range []struct {
		passed time.Duration
		keys   []string
	}{{59 * time.Second, []string{"g/hour", "g/list", "g/minute"}}, {time.Second, []string{"g/hour"}}, {time.Hour, []string{}}} {
		closed(t, s)
		now.Pass(c2.passed)
		s = openState(t, c)
		if keys, err := s.Keys(t.Context(), "g"); err != nil || !slices.Equal(keys, c2.keys) {
			t.Errorf("after %v the keys are %v, not %v: %v", c2.passed, keys, c2.keys, err)
		}
	}
	if at, err := s.Append(t.Context(), "g/list", []byte("y"), 0); at != 0 || err != nil {
		t.Errorf("a list that has expired goes on at %d, %v", at, err)
	}
}

func TestSecondProcessIsRefused(t *testing.T) {
	t.Parallel()
	c := disk.StateConfig{File: filepath.Join(t.TempDir(), "log")}
	s := openState(t, c)
	_, err := disk.OpenState(c)
	wantFault(t, err, "The data folder is in use by another process", c.File)
	closed(t, s)
	closed(t, s)
	closed(t, openState(t, c))
}

func wantFault(t *testing.T, err error, sentence, file string) {
	t.Helper()
	fault, ok := errors.AsType[*storage.Fault](err)
	if !ok || !strings.HasPrefix(fault.Sentence, sentence) || !strings.HasSuffix(fault.Sentence, ".") || strings.Contains(fault.Sentence, file) {
		t.Errorf("the fault is %v, not: %s", err, sentence)
	}
}

func TestClosedState(t *testing.T) {
	t.Parallel()
	s := openState(t, disk.StateConfig{File: filepath.Join(t.TempDir(), "log")})
	putTo(t, s, "g/k", "x", 0)
	hints, err := s.Subscribe(t.Context(), "g")
	if err != nil {
		t.Fatal(err)
	}
	closed(t, s)
	if hint, ok := <-hints; ok {
		t.Errorf("a hint %q came", hint)
	}
	ctx := t.Context()
	for what, do := range map[string]func() error{
		"get":        func() error { _, err := s.Get(ctx, "g/k"); return err },
		"put":        func() error { return s.Put(ctx, "g/k", nil, 0) },
		"put once":   func() error { _, err := s.PutOnce(ctx, "g/new", nil, 0); return err },
		"delete":     func() error { return s.Delete(ctx, "g/none") },
		"append":     func() error { _, err := s.Append(ctx, "g/list", nil, 0); return err },
		"read":       func() error { _, err := s.Read(ctx, "g/list", 0); return err },
		"keys":       func() error { _, err := s.Keys(ctx, "g"); return err },
		"delete all": func() error { return s.DeleteAll(ctx, "none") },
		"publish":    func() error { return s.Publish(ctx, "g", []byte("x")) },
		"subscribe":  func() error { _, err := s.Subscribe(ctx, "g"); return err },
		"sync":       func() error { return s.Sync(ctx) },
		"purge":      func() error { return s.Purge(ctx) },
		"check":      func() error { return s.Check(ctx) },
	} {
		if err := do(); !errors.Is(err, fs.ErrClosed) {
			t.Errorf("%s: %v", what, err)
		}
	}
}

func TestCheckOfAState(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "data", "log")
	s := openState(t, disk.StateConfig{File: file})
	before, err := os.Stat(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Check(t.Context()); err != nil {
		t.Error(err)
	}
	after, err := os.Stat(file)
	if err != nil || after.Size() != before.Size() || after.Mode().Perm() != 0o600 {
		t.Errorf("the check left %v, %v", after, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := errors.Join(s.Check(ctx), s.Sync(ctx), s.Purge(ctx)); !errors.Is(err, context.Canceled) {
		t.Errorf("a check after the end: %v", err)
	}
	if err := os.Rename(file, file+"2"); err != nil {
		t.Fatal(err)
	}
	wantFault(t, s.Check(t.Context()), "The state file is gone", file)
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	wantFault(t, s.Check(t.Context()), "The state file was replaced", file)
}

// TestCompaction checks that it keeps all live entries, and the log small, during concurrent writes.
func TestCompaction(t *testing.T) {
	t.Parallel()
	const from, rounds = 64 << 10, 300
	now := storagetest.NewClock()
	c := disk.StateConfig{File: filepath.Join(t.TempDir(), "log"), Now: now.Now, CompactFrom: from}
	s := openState(t, c)
	value := strings.Repeat("x", 1000)
	var all sync.WaitGroup
	for _, me := range []string{"a", "b", "c", "d"} {
		all.Go(func() {
			for i := range rounds {
				putTo(t, s, "g/"+me, value+me, 0)
				putTo(t, s, "passing/"+me+strings.Repeat("k", 1+i%100), value, time.Millisecond)
				if at, err := s.Append(t.Context(), "g/list-"+me, []byte(me), 0); err != nil || at != int64(i) {
					t.Errorf("appended at %d, not %d: %v", at, i, err)
				}
				now.Pass(time.Second)
			}
		})
	}
	all.Wait()
	for size(t, c.File) > 10*from { // it is rewritten in the background
		putTo(t, s, "g/a", value+"a", 0)
		if err := s.Sync(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	for range 2 {
		for _, me := range []string{"a", "b", "c", "d"} {
			if got, err := s.Get(t.Context(), "g/"+me); err != nil || string(got) != value+me {
				t.Errorf("%s holds %.10q, %v", me, got, err)
			}
			if list, err := s.Read(t.Context(), "g/list-"+me, 0); err != nil || len(list) != rounds {
				t.Errorf("%s has %d values, %v", me, len(list), err)
			}
		}
		closed(t, s)
		if got := files(t, filepath.Dir(c.File)); !slices.Equal(got, []string{"log", "log.lock"}) {
			t.Errorf("the folder holds %v", got)
		}
		s = openState(t, c)
	}
}

func size(t *testing.T, file string) int64 {
	t.Helper()
	info, err := os.Stat(file)
	if err != nil {
		t.Fatal(err)
	}
	return info.Size()
}

// BenchmarkState measures the cost of a step of a job.
func BenchmarkState(b *testing.B) {
	value := make([]byte, 500)
	s := openState(b, disk.StateConfig{File: filepath.Join(b.TempDir(), "log")})
	for range 10 {
		if _, err := s.Append(b.Context(), "bench/read", value, time.Hour); err != nil {
			b.Fatal(err)
		}
	}
	for what, do := range map[string]func(context.Context) error{
		"put":  func(ctx context.Context) error { return s.Put(ctx, "bench/put", value, time.Hour) },
		"read": func(ctx context.Context) error { _, err := s.Read(ctx, "bench/read", 0); return err },
		"append": func(ctx context.Context) error {
			_, err := s.Append(ctx, "bench/list", value, time.Hour)
			return err
		},
		"put and sync": func(ctx context.Context) error {
			return errors.Join(s.Put(ctx, "bench/put", value, time.Hour), s.Sync(ctx))
		},
	} {
		b.Run(what, func(b *testing.B) {
			for b.Loop() {
				if err := do(b.Context()); err != nil {
					b.Fatal(err)
				}
			}
			if err := s.Delete(b.Context(), "bench/list"); err != nil {
				b.Fatal(err)
			}
		})
	}
}
