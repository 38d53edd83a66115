// Package sandbox runs programs on people's files, confined.
//
// Guarantees:
//   - A program can access only its input files, its output folder, and the system files that it
//     needs to run. It cannot open sockets, change the mode, owner, times or attributes of files, or
//     reach other processes: their memory, limits, priority or processors. [Sandbox.Confinement]
//     reports which of this holds on the machine.
//   - It ends with its context or its timeout, and so do all processes that it started: none of
//     them outlives [Sandbox.Run].
//   - Its memory, the files that it writes, its processes and its CPU time are limited. Its
//     environment is small, and its standard input empty unless the command has one.
//   - Errors carry a sentence for people ([plan.Fault]). The program's own message is for the
//     operator's log: truncated, on one line, and without file names.
//
// How it works: this program starts itself again, and that process confines itself ([Enter]) and
// executes the other program. This works on Linux only. Elsewhere programs run unconfined, in their
// own process group if the system has those.
//
// Confinement: Landlock restricts a program to its files. A system call filter (seccomp) denies calls
// that open sockets, leave the process group, leave something in the kernel (shared memory, queues,
// keys), create namespaces or mounts, look into other processes (ptrace), change modes, owners, times
// and attributes of files, or change the limits and scheduling of any process but the caller. The
// filter cannot see paths, so a program cannot change the mode of its own files either: those calls
// fail with EPERM. If this process is root with sufficient privileges, programs also run as a user of
// their own, from whom the kernel protects other users' processes and files anyway. An ordinary user
// cannot do that: in a user namespace, the kernel still treats a process as that user.
//
// On older kernels: with Landlock below version 6 (Linux 6.12) the filter also allows signals
// only to the sender itself and to its whole group, since all programs run as the same user; they
// cannot end their children one by one then. Below version 3 (Linux 6.2) programs may empty files. Without
// Landlock they may read and write the same files as this process, but not its memory and
// environment. Without the filter and a user of their own, they may do to other processes and files
// of their user whatever that user may.
//
// Limitations: programs may read the system's folders, fonts and what /proc says about
// processor and memory, and may find out whether a file exists. All other system calls are allowed.
// Disk reads are unlimited. The size of the folder and of open unnamed files, the total memory and
// the number of processes are checked every 100 ms, and may exceed their limits in between; a mapped
// unnamed file that is no longer open goes unnoticed. The kernel also limits memory per process, and
// size per file. If this program is killed with SIGKILL, the program that it started dies with it, but
// not the program's background processes: they run until their CPU time is used up.
package sandbox

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"atelier/agent/plan"
	"atelier/agent/toolbox/memory"
)

// Config sets the limits of programs. Zero fields have defaults.
type Config struct {
	// Memory is the most memory of a program and all that it starts, in bytes, whatever its command asks
	// for; 2 GiB by default.
	Memory int64
	// Budget lends them their memory; nil means unlimited.
	Budget *memory.Budget
	// File is the largest file that a program may write, in bytes; 1 GiB by default.
	File int64
	// Disk is the most that it may write to its folder in total, in bytes; 2 GiB by default.
	Disk int64
	// Processes is how many processes and threads it may have; 256 by default.
	Processes int
	// Timeout is how long it may run unless its command says otherwise; 5 minutes by default.
	Timeout time.Duration
	// Starting is called with each command just before it starts, unless it is nil. It runs in the goroutine
	// of [Sandbox.Run], so several calls may be concurrent.
	Starting func(Command)
}

// Command is one run of a program.
type Command struct {
	// Program is its absolute path, or its name in PATH.
	Program string
	Args    []string
	// Dir is the absolute path of its working folder, the only one that it may write to. "" means none: it
	// writes to standard output only.
	Dir string
	// Read are absolute paths of further files and folders that it may read.
	Read []string
	// Input is its standard input; nil means empty.
	Input io.Reader
	// Env are additional environment variables: "OMP_THREAD_LIMIT=2".
	Env []string
	// Most is the most standard output, in bytes; more is an error. 0 means 1 MiB.
	Most int
	// Memory is the most memory of the program and all that it starts, in bytes; 0 means [UsualMemory]. Run
	// waits until [Config].Budget has it free, and takes less if the budget is small.
	Memory int64
	// File is the largest file that it may write, in bytes; 0 means [Config].File.
	File int64
	// Timeout is how long it may run; 0 means [Config].Timeout.
	Timeout time.Duration

	probe bool // report the confinement instead of running
}

// UsualMemory is enough for most programs: 512 MiB.
const UsualMemory = 512 << 20

// Sandbox runs programs. It is safe for concurrent use.
type Sandbox struct{ config Config }

// New checks the configuration. It starts nothing.
func New(c Config) (*Sandbox, error) {
	if c.Memory < 0 || c.File < 0 || c.Disk < 0 || c.Processes < 0 || c.Timeout < 0 {
		return nil, errors.New("sandbox limits must not be negative")
	}
	return &Sandbox{Config{
		Memory:    cmp.Or(c.Memory, 2<<30),
		Budget:    c.Budget,
		File:      cmp.Or(c.File, 1<<30),
		Disk:      cmp.Or(c.Disk, 2<<30),
		Processes: cmp.Or(c.Processes, 256),
		Timeout:   cmp.Or(c.Timeout, 5*time.Minute),
		Starting:  c.Starting,
	}}, nil
}

// Find returns the absolute path of a program. The fault of a missing one names its Debian package, if that
// is given.
func (s *Sandbox) Find(program, debian string) (string, error) {
	path, err := exec.LookPath(program)
	if err == nil {
		path, err = filepath.Abs(path)
	}
	if err == nil {
		return path, nil
	}
	operator := plan.Say("It needs the program %s, which is not installed.", filepath.Base(program))
	if debian != "" {
		operator = plan.Say("It needs the program %s, which is not installed; on Debian: apt-get install %s.", filepath.Base(program), debian)
	}
	return "", &plan.Fault{Sentence: plan.Say("It needs a program that I do not have here."), Operator: operator, Err: err}
}

// Confinement describes how programs are confined on this machine, for the operator.
type Confinement struct {
	// User says which user programs run as, and why not as one of their own, in sentences.
	User string
	// Lacks says which of the package's promises do not hold here, and why; nil means that all hold.
	Lacks error
}

// Confinement starts a process that is confined as programs are, and returns its report.
func (s *Sandbox) Confinement(ctx context.Context) Confinement { return s.confinement(ctx) }

// ErrNotWritten is the error for an output that a program has not written. Whoever wrote the program's arguments
// needs to know, since it does not depend on the input.
var ErrNotWritten = errors.New("the program ended without writing its output")

// Left returns an error unless the path is a regular file that a program has left. It rejects links, through
// which a reader could see what the program could not, hard links to other files, pipes and devices. Call it
// before opening a program's output, once the program has ended.
func Left(path string) error {
	info, err := os.Lstat(path)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return fmt.Errorf("%w: %w", ErrNotWritten, err)
	case err != nil:
		return fmt.Errorf("inspect a program's output: %w", err)
	case !info.Mode().IsRegular():
		return errors.New("a program's output is not a regular file")
	case names(info) > 1:
		return errors.New("a program's output is a hard link")
	}
	return nil
}
