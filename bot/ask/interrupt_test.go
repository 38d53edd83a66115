package ask_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"atelier/agent/planner/llm/llmtest"
	"atelier/agent/toolbox/slow"
	"atelier/bot/bottest"
	"atelier/bot/clitest"
	"atelier/bot/fault"
)

// TestInterruptedAsk checks that an interrupted call leaves nothing that the next one would continue, however it
// was interrupted, and that a completed call leaves no temporary files.
func TestInterruptedAsk(t *testing.T) {
	slow.Test(t)
	t.Parallel()
	for name, c := range map[string]struct {
		signal syscall.Signal
		status int
		told   string
		kept   bool // in a conversation
	}{
		"interrupted":                   {syscall.SIGINT, fault.StatusFailed, "bot: It was stopped.\n", false},
		"interrupted in a conversation": {syscall.SIGINT, fault.StatusFailed, "bot: It was stopped.\n", true},
		"killed":                        {syscall.SIGKILL, -1, "", false},
		"killed in a conversation":      {syscall.SIGKILL, -1, "", true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			passing := filepath.Join(dir, "passing")
			if err := os.Mkdir(passing, 0o700); err != nil {
				t.Fatal(err)
			}
			photo := filepath.Join(dir, "photo.png")
			bottest.Write(t, photo, string(bottest.PictureBytes(40, 20)))
			began, ended := make(chan struct{}), make(chan struct{})
			server := llmtest.New(t, llmtest.Config{Answer: func(r llmtest.Request) llmtest.Response {
				close(began) // a second call of the model would panic
				<-ended
				return clitest.English().Respond(r)
			}})
			bot := func(args ...string) (*exec.Cmd, *bytes.Buffer) {
				cmd := exec.CommandContext(t.Context(), "bot", append([]string{"ask", "--file", photo}, args...)...) //nolint:gosec // the program and the arguments of this test
				if c.kept {
					cmd.Args = append(cmd.Args, "--thread", "one")
				}
				var stderr bytes.Buffer
				cmd.Dir, cmd.Stderr = dir, &stderr
				cmd.Env = append(os.Environ(), "TMPDIR="+passing, "OPENAI_API_KEY=", "OPENAI_BASE_URL="+server.URL(), "OPENAI_MODEL=test-model")
				return cmd, &stderr
			}
			cmd, stderr := bot("make it black and white")
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			<-began
			if err := cmd.Process.Signal(c.signal); err != nil {
				t.Fatal(err)
			}
			err := cmd.Wait()
			if got := cmd.ProcessState.ExitCode(); got != c.status || stderr.String() != c.told {
				t.Errorf("it ended with %d: %v: %s", got, err, stderr)
			}
			close(ended)
			next, stderr := bot("--planner", "rules", "rotate it by 90 degrees")
			out, err := next.Output()
			if err != nil || !strings.Contains(string(out), "rotate_image") || strings.Contains(string(out), "greyscale") {
				t.Errorf("the next one: %v: %s%s", err, out, stderr)
			}
			if asked := len(server.Requests()); asked != 1 {
				t.Errorf("the model was asked %d times", asked)
			}
			left, err := os.ReadDir(passing)
			if err != nil || len(left) > 0 {
				t.Errorf("passing files are left: %v, %v", left, err)
			}
		})
	}
}
