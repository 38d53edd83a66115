package serve_test

import (
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"atelier/bot/fault"
)

// TestSignalsEndTheProgram checks that one signal ends a call that waits for its request, and a second one a call that
// ignores its context.
func TestSignalsEndTheProgram(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	pipe := filepath.Join(dir, "pipe")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		args   []string
		reads  func(stdin io.Writer) (io.Closer, error) // returns when the program reads
		again  bool                                     // whether one signal is not enough
		status int
	}{
		"wish": {[]string{"ask", "-"}, func(stdin io.Writer) (io.Closer, error) {
			_, err := stdin.Write(make([]byte, 128<<10)) // more than a pipe holds
			return io.NopCloser(nil), err
		}, false, fault.StatusFailed},
		"file": {[]string{"eval", "--gold", pipe, pipe}, func(io.Writer) (io.Closer, error) {
			return os.OpenFile(pipe, os.O_WRONLY, 0)
		}, true, -1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			cmd := exec.CommandContext(t.Context(), "bot", c.args...) //nolint:gosec // the program and the arguments are those above
			cmd.Dir = dir
			cmd.Env = append(os.Environ(), "PLANNER=rules", "OPENAI_API_KEY=", "OPENAI_BASE_URL=") // whatever the machine has set
			stdin, err := cmd.StdinPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			writer, err := c.reads(stdin)
			if err != nil {
				t.Fatal(err)
			}
			var failed error
			ended := make(chan struct{})
			go func() {
				defer close(ended)
				failed = cmd.Wait()
			}()
			again := time.NewTicker(50 * time.Millisecond) // signals that come together count once
			defer again.Stop()
			for sent, running := 0, true; running; sent++ {
				if sent == 0 || c.again {
					if err := cmd.Process.Signal(os.Interrupt); err != nil && !errors.Is(err, os.ErrProcessDone) {
						t.Fatal(err)
					}
				}
				select {
				case <-ended:
					running = false
				case <-again.C:
				}
			}
			if got := cmd.ProcessState.ExitCode(); got != c.status {
				t.Errorf("it ended with %d, not %d: %v", got, c.status, failed)
			}
			if err := writer.Close(); err != nil {
				t.Error(err)
			}
		})
	}
}
