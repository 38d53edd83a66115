package disk_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
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

// model is what a state holds, as one could write it down: by key, the values joined.
type model map[string]string

// step does something random to a state and to what it should hold.
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

// seen writes down what a state holds.
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

// TestACrashLosesNothing: a copy of the log as it is between any two methods holds what
// they have returned for, and of one that was cut short anywhere, a beginning of it.
func TestACrashLosesNothing(t *testing.T) {
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
			if err := os.WriteFile(copied, data, 0o600); err != nil { //nolint:gosec // it is in the test's own folder
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

// spoil opens a copy of a log that was written so, and then changed.
func spoil(t *testing.T, sync bool, change func(data []byte) []byte) (keys []string, err error) {
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
	if err := os.WriteFile(file+"2", change(data), 0o600); err != nil {
		t.Fatal(err)
	}
	c, err := disk.OpenState(disk.StateConfig{File: file + "2"})
	if err != nil {
		return nil, err
	}
	keys, err = c.Keys(t.Context(), "g")
	return keys, errors.Join(err, c.Close())
}

func TestADamagedLog(t *testing.T) {
	t.Parallel()
	at := func(data []byte, wish int) int { // where the nth wish is
		place := 0
		for range wish {
			place += strings.Index(string(data[place:]), "A WISH") + 1
		}
		return place
	}
	flip := func(wish int) func([]byte) []byte {
		return func(data []byte) []byte { data[at(data, wish)] ^= 1; return data }
	}
	for name, c := range map[string]struct {
		sync   bool
		change func(data []byte) []byte
		left   int
		fault  string
	}{
		"whole":                         {true, slices.Clone[[]byte], 5, ""},
		"torn":                          {true, func(data []byte) []byte { return data[:len(data)-3] }, 4, ""},
		"torn within the last's prefix": {true, func(data []byte) []byte { return data[:at(data, 5)-20] }, 4, ""},
		"zeros after it":                {true, func(data []byte) []byte { return append(data, make([]byte, 1000)...) }, 5, ""},
		"damaged in the last":           {true, flip(5), 4, ""},
		"damaged where it was sure":     {true, flip(2), 0, "The file of the state is damaged in the middle"},
		"a length damaged where it was sure": {true, func(data []byte) []byte {
			data[at(data, 2)-16] ^= 0xff
			return data
		}, 0, "The file of the state is damaged in the middle"},
		"holes where it was not sure": {false, flip(2), 1, ""},
		"of something else":           {false, func([]byte) []byte { return []byte("GIF89a") }, 0, "The file of the state was written by something else"},
		"of a later version": {false, func(data []byte) []byte {
			return append([]byte("atelier state 2\n"), data[16:]...)
		}, 0, "The file of the state was written by something else"},
		"empty":                {false, func([]byte) []byte { return nil }, 0, ""},
		"torn within its head": {false, func(data []byte) []byte { return data[:20] }, 0, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			keys, err := spoil(t, c.sync, c.change)
			switch {
			case c.fault != "":
				wantFault(t, err, c.fault, "log")
				if strings.Contains(err.Error(), "WISH") {
					t.Errorf("the error tells a wish: %v", err)
				}
			case err != nil || len(keys) != c.left:
				t.Errorf("%v are left, not %d: %v", keys, c.left, err)
			}
		})
	}
}

// countFile names the variable by which this program is called to count into a state,
// until it is killed.
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

// TestAKillLosesNothing that was acknowledged.
func TestAKillLosesNothing(t *testing.T) {
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
