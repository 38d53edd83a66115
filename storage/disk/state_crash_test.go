package disk_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"atelier/storage"
	"atelier/storage/disk"
)

// model is the expected content of a state: by key, the joined values.
type model map[string]string

// step makes a random change to a state and to its model.
func step(ctx context.Context, t *rapid.T, s *disk.State, m model) {
	key := rapid.SampledFrom([]string{"a/1", "a/2", "b/1", "b/deep/er"}).Draw(t, "key")
	value := rapid.StringN(0, 50, 100).Draw(t, "value")
	expiry := rapid.SampledFrom([]time.Duration{0, time.Hour}).Draw(t, "expiry")
	list := strings.HasSuffix(key, "/2")
	var err error
	switch do := rapid.SampledFrom([]string{"write", "write", "once", "delete", "delete all"}).Draw(t, "do"); {
	case do == "delete":
		err = s.Delete(ctx, key)
		delete(m, key)
	case do == "delete all":
		err = s.DeleteAll(ctx, storage.Group(key))
		maps.DeleteFunc(m, func(k, _ string) bool { return storage.Group(k) == storage.Group(key) })
	case list:
		_, err = s.Append(ctx, key, []byte(value), expiry)
		m[key] += "[" + value + "]"
	case do == "once":
		var first bool
		first, err = s.PutOnce(ctx, key, []byte(value), expiry)
		if _, there := m[key]; first == there {
			t.Fatalf("put once: %v where it was %v", first, there)
		}
		if first {
			m[key] = value
		}
	default:
		err = s.Put(ctx, key, []byte(value), expiry)
		m[key] = value
	}
	if err != nil {
		t.Fatal(err)
	}
}

// seen returns the content of a state.
func seen(ctx context.Context, t *rapid.T, s *disk.State) model {
	m := model{}
	for _, group := range []string{"a", "b"} {
		keys, err := s.Keys(ctx, group)
		if err != nil {
			t.Fatal(err)
		}
		for _, key := range keys {
			if strings.HasSuffix(key, "/2") {
				list, err := s.Read(ctx, key, 0)
				if err != nil {
					t.Fatal(err)
				}
				for _, value := range list {
					m[key] += "[" + string(value) + "]"
				}
				continue
			}
			value, err := s.Get(ctx, key)
			if err != nil {
				t.Fatal(err)
			}
			m[key] = string(value)
		}
	}
	return m
}

// TestCrashLosesNothing checks that a copy of the log between any two calls contains all that they acknowledged,
// and that any prefix of it contains a beginning.
func TestCrashLosesNothing(t *testing.T) {
	t.Parallel()
	ctx, folder := t.Context(), t.TempDir()
	file, copied := filepath.Join(folder, "log"), filepath.Join(folder, "copy")
	rapid.Check(t, func(t *rapid.T) {
		if err := os.RemoveAll(file); err != nil {
			t.Fatal(err)
		}
		from := rapid.SampledFrom([]int64{0, 300}).Draw(t, "compact from")
		s, err := disk.OpenState(disk.StateConfig{File: file, CompactFrom: from})
		if err != nil {
			t.Fatal(err)
		}
		defer func() {
			if err := s.Close(); err != nil {
				t.Error(err)
			}
		}()
		m := model{}
		history := []model{maps.Clone(m)}
		for range rapid.IntRange(0, 20).Draw(t, "steps") {
			step(ctx, t, s, m)
			history = append(history, maps.Clone(m))
		}
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		reopened := func(data []byte) model {
			if err := os.WriteFile(copied, data, 0o600); err != nil {
				t.Fatal(err)
			}
			c, err := disk.OpenState(disk.StateConfig{File: copied})
			if err != nil {
				t.Fatal(err)
			}
			got := seen(ctx, t, c)
			if err := c.Close(); err != nil {
				t.Fatal(err)
			}
			return got
		}
		for what, got := range map[string]model{"it": seen(ctx, t, s), "its copy": reopened(data)} {
			if !maps.Equal(got, m) {
				t.Fatalf("%s holds %q, not %q", what, got, m)
			}
		}
		if from != 0 {
			return // a log that was rewritten does not tell its history
		}
		got := reopened(data[:rapid.IntRange(0, len(data)).Draw(t, "cut")])
		if !slices.ContainsFunc(history, func(m model) bool { return maps.Equal(m, got) }) {
			t.Fatalf("cut short it holds %q, which it never did", got)
		}
	})
}

// spoil opens a changed copy of a log that was written with or without sync.
func spoil(t *testing.T, sync bool, change func(data []byte) []byte) spoilt {
	t.Helper()
	file := filepath.Join(t.TempDir(), "log")
	s := openState(t, disk.StateConfig{File: file})
	for i := range 5 {
		putTo(t, s, fmt.Sprintf("g/%d", i), "A WISH", 0)
		if sync {
			if err := s.Sync(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
	}
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	folder := filepath.Join(t.TempDir(), "of the copy")
	if err := os.Mkdir(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	r := spoilt{file: filepath.Join(folder, "log"), data: change(data)}
	if err := os.WriteFile(r.file, r.data, 0o600); err != nil {
		t.Fatal(err)
	}
	r.before, r.examined = disk.ExamineState(r.file)
	var log strings.Builder
	c, err := disk.OpenState(disk.StateConfig{File: r.file, Log: slog.New(slog.NewTextHandler(&log, nil))})
	if err != nil {
		r.err = err
		return r
	}
	r.keys, err = c.Keys(t.Context(), "g")
	r.err, r.log = errors.Join(err, c.Close()), log.String()
	return r
}

// spoilt is the result of opening a changed log.
type spoilt struct {
	file     string
	data     []byte
	before   []disk.Loss // as it was seen before it was opened
	examined error
	keys     []string
	log      string
	err      error
}

func TestDamagedLog(t *testing.T) {
	t.Parallel()
	const record = 20 + 1 + 1 + 1 + len("g/0") + len("A WISH") // bytes
	at := func(data []byte, wish int) int {                    // where the nth request is
		place := 0
		for range wish {
			place += strings.Index(string(data[place:]), "A WISH") + 1
		}
		return place
	}
	flip := func(wishes ...int) func([]byte) []byte {
		return func(data []byte) []byte {
			for _, wish := range wishes {
				data[at(data, wish)] ^= 1
			}
			return data
		}
	}
	cut := func(bytes int) func([]byte) []byte {
		return func(data []byte) []byte { return data[:len(data)-bytes] }
	}
	for name, c := range map[string]struct {
		sync   bool
		change func(data []byte) []byte
		left   int
		lost   int // bytes
		fault  string
	}{
		"whole":                        {true, slices.Clone[[]byte], 5, 0, ""},
		"zeros after it":               {true, func(data []byte) []byte { return append(data, make([]byte, 1000)...) }, 5, 0, ""},
		"half a record after":          {true, func(data []byte) []byte { return append(data, data[len(data)-record:][:30]...) }, 5, 0, ""},
		"cut":                          {true, cut(3), 4, record, ""},
		"cut between records":          {true, cut(2 * record), 3, 2 * record, ""},
		"cut within the last's prefix": {true, func(data []byte) []byte { return data[:at(data, 5)-20] }, 4, record, ""},
		"cut in half, and its note torn": {true, func(data []byte) []byte { // nobody can know
			data[30] ^= 1
			return data[:len(data)-2*record]
		}, 3, 0, ""},
		"damaged in the last":     {true, flip(5), 4, record, ""},
		"damaged in the middle":   {true, flip(2), 4, record, ""},
		"damaged at three places": {true, flip(1, 3, 5), 2, 3 * record, ""},
		"a length damaged": {true, func(data []byte) []byte {
			data[at(data, 2)-16] ^= 0xff
			return data
		}, 4, record, ""},
		"zeros in the middle": {true, func(data []byte) []byte {
			clear(data[at(data, 2) : at(data, 4)-1])
			return data
		}, 2, 3 * record, ""},
		"cut where it was not sure":   {false, cut(3), 4, 0, ""},
		"holes where it was not sure": {false, flip(2), 1, 0, ""},
		"of something else":           {false, func([]byte) []byte { return []byte("GIF89a") }, 0, 0, "The state file was written by another program"},
		"of a later version": {false, func(data []byte) []byte {
			return append([]byte("atelier state 3\n"), data[16:]...)
		}, 0, 0, "The state file was written by another program"},
		"empty":               {true, func([]byte) []byte { return nil }, 0, all, ""},
		"cut within its head": {true, func(data []byte) []byte { return data[:20] }, 0, all, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := spoil(t, c.sync, c.change)
			switch {
			case c.fault != "":
				wantFault(t, r.err, c.fault, "log")
				wantFault(t, r.examined, c.fault, "log")
				if strings.Contains(r.err.Error(), "WISH") {
					t.Errorf("the error quotes a request: %v", r.err)
				}
			case r.err != nil || r.examined != nil || len(r.keys) != c.left:
				t.Errorf("%v are left, not %d: %v, %v", r.keys, c.left, r.err, r.examined)
			default:
				r.wantLoss(t, c.lost)
			}
		})
	}
}

// all stands for an unknown size of the loss.
const all = -1

// wantLoss checks the reported size of the loss, and that the damaged file was kept.
func (r spoilt) wantLoss(t *testing.T, bytes int) {
	t.Helper()
	after, err := disk.ExamineState(r.file)
	if err != nil {
		t.Fatal(err)
	}
	if bytes == 0 {
		if len(r.before)+len(after) != 0 || r.log != "" {
			t.Errorf("it reported %v, %v and %q", r.before, after, r.log)
		}
		return
	}
	if len(after) != 1 || !after[0].Kept || !strings.HasPrefix(after[0].File, r.file+".damaged-") {
		t.Fatalf("what was kept is %+v", after)
	}
	if kept, err := os.ReadFile(after[0].File); err != nil || string(kept) != string(r.data) {
		t.Errorf("what was kept is not as it was: %d bytes, %v", len(kept), err)
	}
	told := "lost_bytes=" + strconv.Itoa(bytes) + " "
	if bytes == all {
		bytes, told = 0, "lost_bytes=all "
	}
	want := disk.Loss{File: r.file, Bytes: int64(bytes)}
	if len(r.before) != 1 || r.before[0] != want {
		t.Errorf("before it was opened it was seen as %+v, not %+v", r.before, want)
	}
	want.File, want.Kept = after[0].File, true
	if after[0] != want {
		t.Errorf("what was kept is seen as %+v, not %+v", after[0], want)
	}
	for _, s := range []string{"level=ERROR", told, "kept=" + strconv.Quote(after[0].File)} {
		if !strings.Contains(r.log, s) {
			t.Errorf("the log does not say %s: %s", s, r.log)
		}
	}
	if strings.Contains(r.log, "WISH") {
		t.Errorf("the log quotes a request: %s", r.log)
	}
}

// TestLogOfFormerVersion checks that it is read, and that a loss is reported as far as its records allow.
func TestLogOfFormerVersion(t *testing.T) {
	t.Parallel()
	data, err := os.ReadFile(filepath.Join("testdata", "state-1.log"))
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		change func([]byte) []byte
		left   []string
		losses int
	}{
		"whole":                 {slices.Clone[[]byte], []string{"g/0", "g/1", "g/2", "g/list"}, 0},
		"damaged in the middle": {func(b []byte) []byte { b[strings.Index(string(b), "of 1")] ^= 1; return b }, []string{"g/0", "g/2", "g/list"}, 1},
		"the list's begin":      {func(b []byte) []byte { b[strings.Index(string(b), "first")] ^= 1; return b }, []string{"g/0", "g/1", "g/2"}, 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			file := filepath.Join(t.TempDir(), "log")
			if err := os.WriteFile(file, c.change(slices.Clone(data)), 0o600); err != nil {
				t.Fatal(err)
			}
			for range 2 { // the second time it is of this version
				s := openState(t, disk.StateConfig{File: file})
				if keys, err := s.Keys(t.Context(), "g"); err != nil || !slices.Equal(keys, c.left) {
					t.Errorf("the keys are %v, %v", keys, err)
				}
				closed(t, s)
			}
			if losses, err := disk.ExamineState(file); err != nil || len(losses) != c.losses {
				t.Errorf("the losses are %+v, %v", losses, err)
			}
		})
	}
}

// countFile is the variable that makes this program count in a state until it is killed.
const countFile = "TEST_COUNT_FILE"

func count(file string) int {
	s, err := disk.OpenState(disk.StateConfig{File: file, CompactFrom: 2000})
	for i := 0; err == nil; i++ {
		_, err = s.Append(context.Background(), "g/list", []byte(strconv.Itoa(i)), 0)
		err = errors.Join(err, s.Put(context.Background(), "g/last", []byte(strconv.Itoa(i)), time.Hour))
		fmt.Println(i) //nolint:forbidigo // the parent reads it
	}
	fmt.Fprintln(os.Stderr, err)
	return 1
}

// TestKillLosesNothing checks that everything that was acknowledged survives.
func TestKillLosesNothing(t *testing.T) {
	t.Parallel()
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "log")
	for round := range 3 {
		file += strconv.Itoa(round)
		c := exec.CommandContext(t.Context(), program) //nolint:gosec // it is this program
		c.Env = append(os.Environ(), countFile+"="+file)
		c.Stderr = os.Stderr
		out, err := c.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		last := -1
		for lines := bufio.NewScanner(out); lines.Scan(); {
			if last, err = strconv.Atoi(lines.Text()); err != nil {
				break // the kill came in the middle of the line
			}
			if last == 500*(round+1) {
				_, refused := disk.OpenState(disk.StateConfig{File: file})
				wantFault(t, refused, "The data folder is in use by another process", file)
				if err := c.Process.Kill(); err != nil {
					t.Fatal(err)
				}
			}
		}
		if c.Wait() == nil || last < 500*(round+1) {
			t.Fatalf("it ended by itself, at %d", last)
		}
		s := openState(t, disk.StateConfig{File: file})
		list, err := s.Read(t.Context(), "g/list", 0)
		if err != nil || len(list) < last+1 {
			t.Errorf("%d of at least %d are there, %v", len(list), last+1, err)
		}
		for i, value := range list {
			if string(value) != strconv.Itoa(i) {
				t.Fatalf("%q is at %d", value, i)
			}
		}
		value, err := s.Get(t.Context(), "g/last")
		if n, bad := strconv.Atoi(string(value)); errors.Join(err, bad) != nil || n < last || n < len(list)-2 {
			t.Errorf("the last is %q, not %d: %v", value, last, err)
		}
	}
}
