//go:build !linux

package sandbox

import (
	"context"
	"errors"
	"os/exec"
)

// Enter is called first thing in main, and in TestMain of packages whose tests run
// programs. It does nothing on this system.
func Enter() {}

func (s *Sandbox) confinement(context.Context) Confinement {
	return Confinement{
		User:  "Programs run as the user of this process.",
		Lacks: errors.New("only Linux confines programs: here they may read, write and reach whatever this process may"),
	}
}

// confined runs the program as it is.
func (s *Sandbox) confined(end context.CancelCauseFunc, cmd *exec.Cmd, c Command) error {
	w := s.watch(c)
	grouped(cmd)
	if err := cmd.Start(); err != nil {
		return err //nolint:wrapcheck // Run says of what
	}
	stop := w.start(cmd.Process.Pid, end)
	err := cmd.Wait()
	stop()
	if cmd.Cancel != nil {
		_ = cmd.Cancel() //nolint:errcheck // what it has left behind, if any
	}
	if over := w.written(nil); over != nil {
		end(over)
	}
	return err //nolint:wrapcheck // Run says of what
}
