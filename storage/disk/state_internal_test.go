package disk

import (
	"bytes"
	"encoding/binary"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"atelier/storage"
)

func openWith(t *testing.T, file string, fsync func(*os.File) error) *State {
	t.Helper()
	s, err := openState(StateConfig{File: file}, fsync)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func write(t *testing.T, s *State, key string) {
	t.Helper()
	if err := s.Put(t.Context(), key, []byte("x"), 0); err != nil {
		t.Error(err)
	}
}

// TestSyncIsShared checks that concurrent callers share one sync.
func TestSyncIsShared(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "log")
	synctest.Test(t, func(t *testing.T) {
		var syncs atomic.Int32
		var held atomic.Pointer[chan struct{}]
		s := openWith(t, file, func(f *os.File) error {
			if gate := held.Load(); gate != nil {
				<-*gate
			}
			syncs.Add(1)
			return f.Sync()
		})
		gate := make(chan struct{})
		held.Store(&gate)
		syncs.Store(0)
		const many = 20
		var done atomic.Int32
		for i := range 1 + many {
			go func() {
				write(t, s, "g/"+strconv.Itoa(i))
				if err := s.Sync(t.Context()); err != nil {
					t.Error(err)
				}
				done.Add(1)
			}()
			synctest.Wait() // the first is in the sync, and the others wait for the next
		}
		if done.Load() != 0 {
			t.Errorf("%d were acknowledged before the sync was done", done.Load())
		}
		held.Store(nil)
		close(gate)
		synctest.Wait()
		if syncs.Load() != 2 || done.Load() != 1+many {
			t.Errorf("%d syncs were done for %d", syncs.Load(), done.Load())
		}
		if err := errors.Join(s.Sync(t.Context()), s.Close()); err != nil || syncs.Load() != 2 {
			t.Errorf("what is sure is synced again: %d, %v", syncs.Load(), err)
		}
	})
}

// TestBackgroundSyncs checks that changes are synced after a second, and only then.
func TestBackgroundSyncs(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "log")
	synctest.Test(t, func(t *testing.T) {
		var syncs atomic.Int32
		s := openWith(t, file, func(f *os.File) error { syncs.Add(1); return f.Sync() })
		for round := range int32(3) {
			syncs.Store(0)
			for range 100 {
				write(t, s, "g/k"+strconv.Itoa(int(round)))
			}
			if syncs.Load() != 0 {
				t.Error("a put waits for a sync")
			}
			<-time.After(delay) // by the bubble's clock
			synctest.Wait()
			if s.journal.sure != s.journal.end {
				t.Error("after a second it is not sure")
			}
			<-time.After(time.Hour)
			if syncs.Load() != 1 {
				t.Errorf("%d syncs were done", syncs.Load())
			}
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
}

// TestFailedSync checks that waiting callers and Check get the error. What the system may have lost is written
// again from memory.
func TestFailedSync(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "log")
	synctest.Test(t, func(t *testing.T) {
		var broken atomic.Bool
		s := openWith(t, file, func(f *os.File) error {
			if broken.Load() {
				return syscall.EIO
			}
			return f.Sync()
		})
		write(t, s, "g/a")
		broken.Store(true)
		for range 3 {
			if err := s.Sync(t.Context()); !errors.Is(err, syscall.EIO) {
				t.Errorf("the sync: %v", err)
			}
			<-time.After(time.Minute)
		}
		fault, ok := errors.AsType[*storage.Fault](s.Check(t.Context()))
		if !ok || !strings.HasPrefix(fault.Sentence, "Syncing the state to disk failed") {
			t.Errorf("the check: %v", fault)
		}
		write(t, s, "g/b")
		broken.Store(false)
		before := s.journal
		if err := errors.Join(s.Sync(t.Context()), s.Check(t.Context())); err != nil {
			t.Error(err)
		}
		if s.journal == before {
			t.Error("the log is the one whose pages are lost")
		}
		write(t, s, "g/c")
		if err := s.Close(); err != nil {
			t.Error(err)
		}
		s = openWith(t, file, (*os.File).Sync)
		if keys, err := s.Keys(t.Context(), "g"); err != nil || len(keys) != 3 {
			t.Errorf("the keys are %v, %v", keys, err)
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
}

// TestPurgeIsShared checks that concurrent callers share one purge, and get its error.
func TestPurgeIsShared(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	file := filepath.Join(folder, "log")
	synctest.Test(t, func(t *testing.T) {
		var syncs atomic.Int32
		var gate atomic.Pointer[chan struct{}]
		var broken atomic.Bool
		s := openWith(t, file, func(f *os.File) error {
			if g := gate.Load(); g != nil {
				<-*g
			}
			if broken.Load() {
				return syscall.EIO
			}
			if f.Name() != folder {
				syncs.Add(1)
			}
			return f.Sync()
		})
		if err := errors.Join(s.Put(t.Context(), "g/a", []byte("a SECRET"), 0), s.Sync(t.Context())); err != nil {
			t.Fatal(err)
		}
		syncs.Store(0)
		held := make(chan struct{})
		gate.Store(&held)
		const many = 20
		var done atomic.Int32
		for i := range 1 + many {
			go func() {
				if i == 1 { // while the first rewriting runs, which has seen it
					if err := s.Delete(t.Context(), "g/a"); err != nil {
						t.Error(err)
					}
				}
				if err := s.Purge(t.Context()); err != nil {
					t.Error(err)
				}
				done.Add(1)
			}()
			synctest.Wait()
		}
		gate.Store(nil)
		close(held)
		synctest.Wait()
		// Each rewrite syncs its file, and a sync of the first begins the second.
		if syncs.Load() > 3 || done.Load() != 1+many {
			t.Errorf("%d syncs were done for %d", syncs.Load(), done.Load())
		}
		if b, err := os.ReadFile(file); err != nil || bytes.Contains(b, []byte("SECRET")) {
			t.Errorf("it holds what was deleted: %v", err)
		}

		broken.Store(true)
		if err := s.Purge(t.Context()); !errors.Is(err, syscall.EIO) {
			t.Errorf("a purge that fails: %v", err)
		}
		broken.Store(false)
		if err := errors.Join(s.Purge(t.Context()), s.Close()); err != nil {
			t.Error(err)
		}
	})
}

// TestFailedPurgeIsRetried checks that deleted data leaves the file once the disk works again, without a second call.
func TestFailedPurgeIsRetried(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	file := filepath.Join(folder, "log")
	synctest.Test(t, func(t *testing.T) {
		var full atomic.Bool
		s := openWith(t, file, func(f *os.File) error {
			mine, err := f.Stat()
			log, noLog := os.Stat(file)
			if full.Load() && errors.Join(err, noLog) == nil && !os.SameFile(mine, log) { // what takes its place
				return syscall.ENOSPC
			}
			return f.Sync()
		})
		err := errors.Join(s.Put(t.Context(), "g/a", []byte("a SECRET"), 0), s.Sync(t.Context()), s.Delete(t.Context(), "g/a"))
		if err != nil {
			t.Fatal(err)
		}
		full.Store(true)
		if err := s.Purge(t.Context()); !errors.Is(err, syscall.ENOSPC) {
			t.Errorf("purging gives %v", err)
		}
		if log, err := os.ReadFile(file); err != nil || !bytes.Contains(log, []byte("SECRET")) {
			t.Errorf("the log is rewritten on a full disk: %v", err)
		}
		full.Store(false)
		if err := errors.Join(s.Put(t.Context(), "g/b", []byte("b"), 0), s.Sync(t.Context())); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		if log, err := os.ReadFile(file); err != nil || bytes.Contains(log, []byte("SECRET")) {
			t.Errorf("what was deleted is still there: %v", err)
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
}

// TestPurgeRemovesDamagedLogs, since these may contain deleted data, too.
func TestPurgeRemovesDamagedLogs(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "log")
	s := openWith(t, file, (*os.File).Sync)
	write(t, s, "g/a")
	if err := errors.Join(s.Close(), os.Truncate(file, int64(headSize)+5)); err != nil {
		t.Fatal(err)
	}
	s = openWith(t, file, (*os.File).Sync)
	if losses, err := ExamineState(file); len(losses) != 1 || err != nil {
		t.Fatalf("%+v, %v", losses, err)
	}
	write(t, s, "g/b")
	if err := s.Purge(t.Context()); err != nil {
		t.Fatal(err)
	}
	if losses, err := ExamineState(file); len(losses) != 0 || err != nil {
		t.Errorf("%+v, %v", losses, err)
	}
	if keys, err := s.Keys(t.Context(), "g"); err != nil || len(keys) != 1 {
		t.Errorf("the keys are %v, %v", keys, err)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
}

// FuzzReplay checks that any file is read or rejected, and that what is read is a whole number of records.
func FuzzReplay(f *testing.F) {
	const salt = 7
	log := head(salt)
	for i, c := range []change{
		{put, "a/b", life{}, []byte("x")}, {begin, "a/l", life{1 << 40, 1 << 40}, []byte("x")}, {add, "a/l", life{}, nil},
		{kind: remove, key: "a/b"}, {kind: removeAll, key: "a"}, {kind: mark},
	} {
		log = frame(log, salt, int64(len(log)), int64(i*headSize), c)
		f.Add(log, log[len(log)-3:])
	}
	f.Add([]byte(nil), []byte(nil))
	f.Add([]byte(magic), []byte{9, 0, 0})
	f.Add(log[:len(log)/2], []byte(nil))
	f.Add(slices.Concat(log[:headSize+prefixSize], []byte("hole"), log[headSize+prefixSize+4:]), []byte(nil))
	former := []byte(formerly + "12345678")
	f.Add(frame(former, binary.LittleEndian.Uint64(former[len(formerly):]), int64(noteAt), 0, change{put, "a/b", life{}, []byte("x")}), []byte(nil))
	f.Fuzz(func(t *testing.T, data, payload []byte) {
		read := func(data []byte) (int64, error) {
			m := memory{groups: map[string]map[string]*entry{}}
			r, err := replay(data, &m)
			end := r.end
			if end < 0 || end > int64(len(data)) || r.lost < 0 {
				t.Errorf("%d of %d bytes were read, %d are lost", end, len(data), r.lost)
			}
			if err != nil {
				if _, ok := errors.AsType[*storage.Fault](err); !ok {
					t.Errorf("it is refused by %v", err)
				}
				return end, err
			}
			// A damaged log is never cut: the bytes after its end may show the size of the loss.
			again := memory{groups: map[string]map[string]*entry{}}
			if same, err := replay(data[:end], &again); !r.damaged() && (err != nil || same.end != end || again.size != m.size) {
				t.Errorf("what ends at %d ends at %d: %v", end, same.end, err)
			}
			// Its content is the same after it is written and read again.
			fresh := head(salt)
			for c := range m.snapshot() {
				fresh = frame(fresh, salt, int64(len(fresh)), 0, c)
			}
			compact := memory{groups: map[string]map[string]*entry{}}
			if same, err := replay(fresh, &compact); err != nil || same.end != int64(len(fresh)) || same.damaged() || compact.size != m.size {
				t.Errorf("compacted it has %d bytes for %d: %v", compact.size, m.size, err)
			}
			return end, nil
		}
		if _, err := read(data); err != nil {
			return
		}
		// A record with valid checksums and an arbitrary payload.
		record := append(make([]byte, prefixSize), payload...)
		at := int64(headSize)
		seal(record, salt, at, 0)
		if end, err := read(slices.Concat(head(salt), record)); err == nil && end != at+int64(len(record)) {
			t.Errorf("a record of %d bytes ends at %d", len(record), end)
		}
	})
}
