package sandbox

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// maxReport is the longest account of why a program could not be started, in bytes.
const maxReport = 4 << 10

// self is this program, wherever it lies.
const self = "/proc/self/exe"

// confined runs the program by way of this one, which confines itself before it becomes
// the other.
func (s *Sandbox) confined(end context.CancelCauseFunc, cmd *exec.Cmd, c Command) error {
	if !entered.Load() {
		return errors.New("sandbox.Enter was not called at the start of this program")
	}
	rules, err := json.Marshal(s.policy(c))
	if err != nil {
		return fmt.Errorf("write down what a program may do: %w", err)
	}
	report, theirs, err := os.Pipe()
	if err != nil {
		return fmt.Errorf("prepare the start of a program: %w", err)
	}
	defer report.Close() //nolint:errcheck // it was read
	cmd.Args = append([]string{mark, string(rules), cmd.Path}, cmd.Args[1:]...)
	cmd.Path = self
	cmd.Env = append(cmd.Env, marked)
	cmd.ExtraFiles = []*os.File{theirs} // becomes reportTo
	// A program dies with the thread that started it, so that none is left when this one
	// is killed; the thread is held as long.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
	cmd.Cancel = func() error { return killGroup(cmd.Process.Pid) }
	w := s.watch(c)
	if err := errors.Join(cmd.Start(), theirs.Close()); err != nil {
		return err
	}
	stop := w.start(cmd.Process.Pid, end)
	// This ends when the program starts, or with a word why it does not.
	unstarted, _ := io.ReadAll(io.LimitReader(report, maxReport)) //nolint:errcheck // then how the process ended tells
	err = waitAll(cmd)
	stop()
	if over := w.written(nil); over != nil {
		end(over)
	}
	if len(unstarted) > 0 {
		return errors.New(oneLine(withoutNames(c, unstarted)))
	}
	return err
}

// confinement asks a process that is confined as programs are.
func (s *Sandbox) confinement(ctx context.Context) Confinement {
	out, err := s.Run(ctx, Command{Program: self, probe: true})
	if err != nil {
		return Confinement{Lacks: fmt.Errorf("no program can be started: %w", err)}
	}
	var holds protection
	if err := json.Unmarshal(out, &holds); err != nil {
		return Confinement{Lacks: fmt.Errorf("read what confines programs: %w", err)}
	}
	return Confinement{User: holds.user(), Lacks: holds.lacks()}
}

// waitAll waits for the program and ends all that it has left. The group is killed while
// the program, dead, still holds its number, which thus is nobody else's.
func waitAll(cmd *exec.Cmd) error {
	group := cmd.Process.Pid
	for {
		err := unix.Waitid(unix.P_PID, group, nil, unix.WEXITED|unix.WNOWAIT, nil)
		if !errors.Is(err, unix.EINTR) {
			break
		}
	}
	_ = killGroup(group) //nolint:errcheck // gone reports whether they are
	err := cmd.Wait()
	return errors.Join(err, gone(group))
}

// gone waits until no process of a killed group is there any more. Those whose parents have
// died have become ours (see Enter), or those of the system's first process.
func gone(group int) error {
	for rest := time.Millisecond; rest < grace; rest *= 2 {
		for {
			pid, err := syscall.Wait4(-group, nil, syscall.WNOHANG, nil)
			if pid <= 0 && !errors.Is(err, syscall.EINTR) {
				break
			}
		}
		if err := syscall.Kill(-group, 0); errors.Is(err, syscall.ESRCH) {
			return nil
		}
		time.Sleep(rest)
	}
	return errors.New("what a program has started does not die")
}
