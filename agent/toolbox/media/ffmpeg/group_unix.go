//go:build unix

package ffmpeg

import (
	"errors"
	"os"
	"os/exec"
	"syscall"
)

// inGroup puts a program into a process group of its own, which is killed as a whole.
func inGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error {
		err := syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
		if errors.Is(err, syscall.ESRCH) {
			return os.ErrProcessDone
		}
		return err //nolint:wrapcheck // os/exec says of what
	}
}
