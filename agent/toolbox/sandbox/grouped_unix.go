//go:build unix && !linux

package sandbox

import (
	"os/exec"
	"syscall"
)

// grouped puts a program into a group of its own, which is killed as a whole.
func grouped(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return killGroup(cmd.Process.Pid) }
}
