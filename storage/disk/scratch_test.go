package disk_test

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"atelier/storage/disk"
)

func openScratch(t *testing.T, root string) *disk.Scratch {
	t.Helper()
	s, err := disk.OpenScratch(root)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// listed returns the names in a folder.
func listed(t *testing.T, folder string) []string {
	t.Helper()
	entries, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	names := make([]string, len(entries))
	for i, e := range entries {
		names[i] = e.Name()
	}
	return names
}

// heldRoot is the variable that makes this program hold a folder with a file in it under that root, until it is
// killed.
const heldRoot = "TEST_HELD_ROOT"

func hold(root string) int {
	s, err := disk.OpenScratch(root)
	if err == nil {
		err = os.MkdirAll(filepath.Join(s.Folder(), "step", "in"), 0o700)
	}
	if err == nil {
		err = os.WriteFile(filepath.Join(s.Folder(), "step", "in", "photo.jpg"), []byte("a photo"), 0o600)
	}
	if err == nil {
		fmt.Println(s.Folder()) //nolint:forbidigo // the parent reads it
		_, err = io.Copy(io.Discard, os.Stdin)
	}
	fmt.Fprintln(os.Stderr, err)
	return 1
}

// TestLeftoversOfKilledProcess checks that these are removed, whatever their age, and that the folder of a live
// process stays.
func TestLeftoversOfKilledProcess(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	s := openScratch(t, root)
	for range 3 {
		c := exec.CommandContext(t.Context(), program) //nolint:gosec // it is this program
		c.Env, c.Stderr = append(os.Environ(), heldRoot+"="+root), os.Stderr
		in, err := c.StdinPipe()
		if err != nil {
			t.Fatal(err)
		}
		out, err := c.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		folder, err := bufio.NewReader(out).ReadString('\n')
		if err != nil {
			t.Fatal(err)
		}
		folder = folder[:len(folder)-1]
		if err := s.Sweep(); err != nil {
			t.Error(err)
		}
		if _, err := os.Stat(filepath.Join(folder, "step", "in", "photo.jpg")); err != nil {
			t.Errorf("what a living process has is gone: %v", err)
		}
		if err := c.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		if c.Wait() == nil {
			t.Error("it was not killed")
		}
		if err := errors.Join(in.Close(), s.Sweep()); err != nil && !errors.Is(err, fs.ErrClosed) {
			t.Error(err)
		}
		if got := listed(t, root); !slices.Equal(got, []string{filepath.Base(s.Folder())}) {
			t.Errorf("there are %v", got)
		}
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	if got := listed(t, root); len(got) != 0 {
		t.Errorf("there are %v", got)
	}
}

// TestSweep checks folders without a lock: those that former versions left are removed once nobody can use them,
// and nothing else.
func TestSweep(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	left := func(name string, age time.Duration) {
		at := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Join(at, "in"), 0o700); err != nil {
			t.Fatal(err)
		}
		then := time.Now().Add(-age)
		if err := os.Chtimes(at, then, then); err != nil {
			t.Fatal(err)
		}
	}
	const old, young = 25 * time.Hour, 23 * time.Hour
	stays := []string{"atelier-link", "atelier-look-link", "atelier-mine", "atelier-run-young", "atelier-step-young", "somebody-else"}
	left("somebody-else", old)
	left("atelier-mine", old)
	left("atelier-step-young", young)
	left("atelier-run-young", young)
	for _, name := range []string{"atelier-run-old", "atelier-step-old", "atelier-fetch-old", "atelier-look-old", "atelier-shown-old", "atelier-ask-old"} {
		left(name, old)
	}
	mask := filepath.Join(root, "atelier-mask-1")
	then := time.Now().Add(-old)
	if err := errors.Join(os.WriteFile(mask, []byte("x"), 0o600), os.Chtimes(mask, then, then)); err != nil {
		t.Fatal(err)
	}
	for _, link := range []string{"atelier-link", "atelier-look-link"} {
		if err := os.Symlink(filepath.Join(root, "somebody-else"), filepath.Join(root, link)); err != nil {
			t.Fatal(err)
		}
	}
	if os.Geteuid() == 0 { // who else could give a folder away
		left("atelier-step-other", old)
		if err := os.Chown(filepath.Join(root, "atelier-step-other"), 12345, -1); err != nil {
			t.Fatal(err)
		}
		stays = append(stays, "atelier-step-other")
	}
	s := openScratch(t, root)
	if err := os.Chtimes(s.Folder(), then, then); err != nil {
		t.Fatal(err)
	}
	if err := s.Sweep(); err != nil {
		t.Error(err)
	}
	if info, err := os.Stat(s.Folder()); err != nil || time.Since(info.ModTime()) > time.Hour {
		t.Errorf("its own is not kept young: %v, %v", info, err)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	slices.Sort(stays)
	if got := listed(t, root); !slices.Equal(got, stays) {
		t.Errorf("there are %v, not %v", got, stays)
	}
	if _, err := os.Stat(filepath.Join(root, "somebody-else", "in")); err != nil {
		t.Error(err)
	}
}

// TestSweepKeepsNewFolders starts and sweeps concurrently.
func TestSweepKeepsNewFolders(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for range 30 {
				s, err := disk.OpenScratch(root)
				if err != nil {
					t.Error(err)
					return
				}
				file := filepath.Join(s.Folder(), "file")
				if err := errors.Join(os.WriteFile(file, nil, 0o600), s.Sweep()); err != nil {
					t.Error(err)
				}
				if _, err := os.Stat(file); err != nil {
					t.Errorf("it was swept: %v", err)
				}
				if err := s.Close(); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	for _, name := range listed(t, root) {
		// A folder that was swept as it was being made has no lock, and is empty.
		if inside := listed(t, filepath.Join(root, name)); len(inside) != 0 {
			t.Errorf("%s holds %v", name, inside)
		}
	}
	if _, err := disk.OpenScratch(filepath.Join(root, "none")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("without its root: %v", err)
	}
}
