//go:build !linux

package sandbox

import (
	"context"
	"errors"
	"os/exec"
)

// Enter must be called first in main, and in TestMain of packages whose tests run programs. It does nothing
// on this system.
func Enter() {}

func (s *Sandbox) confinement(context.Context) Confinement {
	return Confinement{
		User:  "Programs run as the user of this process.",
		Lacks: errors.New("programs are only confined on Linux: here they can access everything that this process can"),
	}
}

// confined runs the program as it is.
func (s *Sandbox) confined(end context.CancelCauseFunc, cmd *exec.Cmd, c Command) error {
	w := s.watch(c)
	setGroup(cmd)
	if err := cmd.Start(); err != nil {
		return err //nolint:wrapcheck // Run adds context
	}
	stop := w.start(cmd.Process.Pid, end)
	err := cmd.Wait()
	stop()
	if cmd.Cancel != nil {
		_ = cmd.Cancel() //nolint:errcheck // there may be nothing left to kill
	}
	if over := w.checkWritten(nil); over != nil {
		end(over)
	}
	return err //nolint:wrapcheck // Run adds context
}

// usage is unknown on this system.
func usage(int, int) used { return used{} }

// used is the resource usage of a process group.
type used struct {
	threads int
	memory  int64
	ids     []string
}

// unnamedBytes is unknown on this system.
func unnamedBytes([]string) int64 { return 0 }

// threads is unknown on this system.
func threads() int { return 0 }
