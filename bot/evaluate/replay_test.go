package evaluate_test

import (
	"bufio"
	"context"
	"io"
	"path/filepath"
	"strings"
	"testing"

	"atelier/bot/cli"
	"atelier/bot/clitest"
	"atelier/bot/command"
	"atelier/bot/fault"
)

// TestReplayCommand checks that `bot ask` can plan with the benchmark's recorded answers.
func TestReplayCommand(t *testing.T) {
	t.Parallel()
	ctx, stop := context.WithCancel(t.Context())
	out, in := io.Pipe()
	var stderr strings.Builder
	ended := make(chan int, 1)
	go func() {
		p := command.Program{Args: []string{"replay", "--listen", "127.0.0.1:0", filepath.FromSlash("../../agent/evaluate/benchmark/recordings")}, Stdout: in, Stderr: &stderr}
		ended <- cli.Run(ctx, p)
	}()
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err, stderr.String())
	}
	name, url, _ := strings.Cut(strings.TrimSpace(line), "=")
	env := map[string]string{name: url, "OPENAI_MODEL": "recorded", "ATELIER_DATA": t.TempDir()}
	status, stdout, said := clitest.Run(t, env, "ask", "transcribe the recording")
	if status != fault.StatusQuestion || !strings.Contains(stdout, "Which recording do you mean? Please attach it.") {
		t.Errorf("a recorded wish: status %d: %s%s", status, stdout, said)
	}
	status, stdout, said = clitest.Run(t, env, "ask", "transcribe what nobody has recorded")
	if status != fault.StatusFailed {
		t.Errorf("another wish: status %d: %s%s", status, stdout, said)
	}
	stop()
	if status := <-ended; status != fault.StatusDone {
		t.Errorf("status %d: %s", status, stderr.String())
	}
}

// TestReplayCommandRejects checks that recordings that cannot be served are rejected.
func TestReplayCommandRejects(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		args []string
		says string
	}{
		"no recordings": {[]string{t.TempDir()}, "No answers are recorded in"},
		"an address":    {[]string{"--listen", "nowhere", "../../agent/evaluate/benchmark/recordings"}, "Choose another address with --listen"},
		"no server":     {[]string{"--record", t.TempDir()}, "set OPENAI_BASE_URL"},
		"a file":        {[]string{"replay_test.go"}, "cannot be read"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			status, _, stderr := clitest.Run(t, nil, append([]string{"replay"}, c.args...)...)
			if status != fault.StatusUsage || !strings.Contains(stderr, c.says) {
				t.Errorf("status %d: %s", status, stderr)
			}
		})
	}
}
