//go:build linux

package disk_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"atelier/storage"
	"atelier/storage/disk"
)

// fillFolder is the variable that makes this program fill a folder, as a process with a limit on file sizes, or on
// a small disk of its own.
const fillFolder = "TEST_FILL_FOLDER"

// TestFullDisk checks that Put without enough space fails with the right error, keeps what was there, and frees
// what it took.
func TestFullDisk(t *testing.T) {
	t.Parallel()
	t.Run("by a limit", func(t *testing.T) {
		t.Parallel()
		runFill(t, t.TempDir(), nil)
	})
	t.Run("by a small disk", func(t *testing.T) {
		t.Parallel()
		runFill(t, t.TempDir(), &syscall.SysProcAttr{
			Cloneflags:  syscall.CLONE_NEWUSER | syscall.CLONE_NEWNS,
			UidMappings: []syscall.SysProcIDMap{{HostID: os.Getuid(), Size: 1}},
			GidMappings: []syscall.SysProcIDMap{{HostID: os.Getgid(), Size: 1}},
		})
	})
}

func runFill(t *testing.T, folder string, own *syscall.SysProcAttr) {
	t.Helper()
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	c := exec.CommandContext(t.Context(), program) //nolint:gosec // it is this program
	c.Env = append(os.Environ(), fillFolder+"="+folder)
	if own != nil {
		c.Env = append(c.Env, "TEST_FILL_DISK=1")
	}
	c.SysProcAttr = own
	out, err := c.CombinedOutput()
	var exit *exec.ExitError
	switch {
	case err == nil:
		t.Logf("%s", out)
	case own != nil && (!errors.As(err, &exit) || exit.ExitCode() == noDisk):
		t.Skipf("this machine does not let a test have a disk of its own: %v %s", err, out)
	default:
		t.Errorf("%v: %s", err, out)
	}
}

const noDisk = 3

// child does the work of such a process, if this is one.
func child() (status int, ok bool) {
	folder := os.Getenv(fillFolder)
	if folder == "" {
		return 0, false
	}
	return fill(folder), true
}

func fill(folder string) int {
	if os.Getenv("TEST_FILL_DISK") != "" {
		if err := syscall.Mount("tmpfs", folder, "tmpfs", 0, "size=1m"); err != nil {
			fmt.Fprintln(os.Stderr, err)
			return noDisk
		}
	} else {
		signal.Ignore(syscall.SIGXFSZ)
		if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: 1 << 20, Max: 1 << 20}); err != nil {
			fmt.Fprintln(os.Stderr, err)
			return noDisk
		}
	}
	if err := errors.Join(fullState(filepath.Join(folder, "state")), full(folder)); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

func full(folder string) error {
	b, err := disk.Open(filepath.Join(folder, "blobs"))
	if err != nil {
		return err
	}
	ctx := context.Background()
	if err := b.Put(ctx, "k", strings.NewReader("before")); err != nil {
		return err
	}
	for _, key := range []string{"k", "new", "deep/er/new"} {
		err := b.Put(ctx, key, bytes.NewReader(make([]byte, 2<<20)))
		if !errors.Is(err, storage.ErrFull) {
			return fmt.Errorf("put %s: %w", key, err)
		}
	}
	r, err := b.Get(ctx, "k")
	if err != nil {
		return err
	}
	content, err := io.ReadAll(r)
	if err != nil || string(content) != "before" {
		return fmt.Errorf("it holds %q, %w", content, err)
	}
	if _, err := b.Stat(ctx, "new"); !errors.Is(err, storage.ErrNotFound) {
		return fmt.Errorf("it is there: %w", err)
	}
	// There is room again at once.
	if err := b.Put(ctx, "new", bytes.NewReader(make([]byte, 900<<10))); err != nil {
		return err
	}
	return errors.Join(r.Close(), b.Check(ctx), b.Close())
}
