package improvise

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestEnvironment checks that programs run in the environment once it is complete, and in Debian's Python until
// then.
func TestEnvironment(t *testing.T) {
	t.Parallel()
	backend(t, Config{}) // where no program can run, the test is skipped
	dir := filepath.Join(t.TempDir(), "python")
	c := exec.CommandContext(t.Context(), systemPython, "-m", "venv", "--without-pip", "--system-site-packages", dir) //nolint:gosec // a folder of the test
	if out, err := c.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	b, err := newBackend(Config{Environment: dir})
	if err != nil {
		t.Fatal(err)
	}
	prefix := func() string {
		t.Helper()
		m, err := b.look(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		said, err := b.config.Sandbox.Run(t.Context(), m.python.command("-I", "-c", "import sys; print(sys.prefix)"))
		if err != nil {
			t.Fatal(err)
		}
		return strings.TrimSpace(string(said))
	}
	if got := prefix(); got == dir {
		t.Error("an incomplete environment is used")
	}
	lock := filepath.Join(dir, lockFile)
	for content, want := range map[string]bool{"numpy==1.0\n": false, string(requirements): true} {
		if err := os.WriteFile(lock, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		if got := prefix(); (got == dir) != want {
			t.Errorf("with the packages %.20q, programs run in %s", content, got)
		}
	}
}

// TestSetupFails checks that the problem is reported, and that no environment is used.
func TestSetupFails(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	var log strings.Builder
	err := Setup(t.Context(), filepath.Join(file, "python"), &log)
	if err == nil || !strings.Contains(err.Error(), "virtual environment") || log.Len() == 0 {
		t.Errorf("%v, and it printed %q", err, log.String())
	}
}
