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

// maxReport is the longest report on why a program could not be started, in bytes.
const maxReport = 4 << 10

// self is the path of this program.
const self = "/proc/self/exe"

// confined starts this program again, which confines itself and then becomes the other program.
func (s *Sandbox) confined(end context.CancelCauseFunc, cmd *exec.Cmd, c Command) error {
	if !entered.Load() {
		return errors.New("sandbox.Enter was not called at the start of main")
	}
	rules, err := json.Marshal(s.policy(c))
	if err != nil {
		return fmt.Errorf("encode the policy: %w", err)
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
	// A program dies with the thread that started it, so that none outlives this process.
	// The thread is therefore locked until the program ends.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
	cmd.Cancel = func() error { return killGroup(cmd.Process.Pid) }
	w := s.watch(c)
	if err := errors.Join(cmd.Start(), theirs.Close()); err != nil {
		return err
	}
	stop := w.start(cmd.Process.Pid, end)
	// This returns when the program starts, or with the reason why it cannot.
	unstarted, _ := io.ReadAll(io.LimitReader(report, maxReport)) //nolint:errcheck // then the exit status tells
	err = waitAll(cmd)
	stop()
	if over := w.checkWritten(nil); over != nil {
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
		return Confinement{Lacks: fmt.Errorf("programs cannot be started: %w", err)}
	}
	var holds protection
	if err := json.Unmarshal(out, &holds); err != nil {
		return Confinement{Lacks: fmt.Errorf("parse the confinement: %w", err)}
	}
	return Confinement{User: holds.user(), Lacks: holds.lacks()}
}

// waitAll waits for the program and kills what is left of its group. It does so before reaping the program,
// so that the group's ID cannot belong to anyone else.
func waitAll(cmd *exec.Cmd) error {
	group := cmd.Process.Pid
	for {
		err := unix.Waitid(unix.P_PID, group, nil, unix.WEXITED|unix.WNOWAIT, nil)
		if !errors.Is(err, unix.EINTR) {
			break
		}
	}
	_ = killGroup(group) //nolint:errcheck // gone reports survivors
	err := cmd.Wait()
	return errors.Join(err, awaitGroup(group))
}

// awaitGroup waits until all processes of a killed group have ended. Orphans are children of this process (see
// Enter) or of init.
func awaitGroup(group int) error {
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
	return errors.New("a child process of the program is still running")
}
