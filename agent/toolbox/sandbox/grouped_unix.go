//go:build unix && !linux

package sandbox

import (
	"os/exec"
	"syscall"
)

// setGroup starts a program in its own process group, which is killed as a whole.
func setGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return killGroup(cmd.Process.Pid) }
}
