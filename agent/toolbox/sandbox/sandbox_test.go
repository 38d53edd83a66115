package sandbox

import (
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) {
	Enter()
	goleak.VerifyTestMain(m)
}

func newSandbox(t *testing.T, c Config) *Sandbox {
	t.Helper()
	s, err := New(c)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// sh runs a script.
func sh(script string) Command { return Command{Program: "sh", Args: []string{"-c", script}} }

func TestRun(t *testing.T) {
	t.Parallel()
	out, err := newSandbox(t, Config{}).Run(t.Context(), sh("echo hello"))
	if err != nil || string(out) != "hello\n" {
		t.Errorf("%q, %v", out, err)
	}
}
