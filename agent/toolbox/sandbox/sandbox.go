// Package sandbox runs programs that work on what people send, confined.
//
// Guarantees:
//   - A program sees the files that it was given to read, the folder that it may write
//     to, and what it itself is made of; it opens no socket, changes the mode, owner, times
//     and attributes of no file, and reaches no other process: not its memory, its limits,
//     its priority or its processors. [Sandbox.Confinement] tells what of that holds here.
//   - It ends with its context or its time, and so does all that it has started: none of
//     its processes outlives [Sandbox.Run].
//   - Its memory, the files that it writes, its processes and its time on the processor
//     are bounded; it has no standard input but what it is handed, and a small environment.
//   - Errors carry a sentence for people ([plan.Fault]); what the program said of the
//     matter is for the operator's log, bounded, in one line and without the names of files.
//
// How: this program is started once more, confines itself ([Enter]) and becomes the
// program that is wanted. Linux alone knows how to; elsewhere programs run unconfined,
// in their own group of processes where there are such.
//
// What holds a program: Landlock keeps it to its files. A filter of system calls (seccomp)
// refuses those that open sockets, leave the group of processes, leave something in the kernel
// (shared memory, queues, keys), open a system of its own (namespaces, mounts), look into
// others (ptrace), change modes, owners, times and attributes of files, or change limits and
// scheduling of any process but the caller. The filter sees no paths, so that a program cannot
// change the mode of its own files either: those calls fail with EPERM. Where this process is
// root, and has the privileges for it, programs also have a user of their own, to whom the
// kernel refuses the same of other users' processes and files by itself. An ordinary user
// cannot give them one: to the kernel a user namespace is still that user.
//
// Where something is missing: with Landlock below version 6 (Linux 6.12) the filter also keeps
// programs from sending signals, except each to itself and its group, since all of them have
// the same user. So they cannot end their own children one by one. Below version 3 (Linux
// 6.2) they may empty files. Without Landlock they may read and write the files that this
// process may, but not its memory and environment. Without the filter and without a user of
// their own they may do to other processes and files of their user whatever that user may.
//
// What is not confined: the system's folders, its fonts and what /proc tells of processor and
// memory may be read, and whether a file exists. Other system calls are not refused. How much
// is read of the disk is not bounded. What is watched (the folder with what is open and has no
// name, memory in all, processes) may go beyond its limit between two looks, a tenth of a
// second at most, and a file without a name that is mapped and no longer open is not seen;
// memory and files are held by the kernel to their limits besides, process by process and
// file by file. When this program is killed with SIGKILL, the program that it has started dies
// with it, but not what that has left in the background: it goes on until its time on the
// processor is over.
package sandbox

import (
	"cmp"
	"context"
	"errors"
	"io"
	"os/exec"
	"path/filepath"
	"time"

	"atelier/agent/plan"
	"atelier/agent/toolbox/memory"
)

// Config bounds what programs may take. A zero field means its default.
type Config struct {
	// Memory is the most that a program and all that it starts may hold, in bytes, however
	// much its command asks for; 2 GiB by default.
	Memory int64
	// Budget is what they are lent it of. nil lends them all.
	Budget *memory.Budget
	// File is the largest file that it may write, in bytes; 1 GiB by default.
	File int64
	// Disk is the most that it may write into its folder in all; 2 GiB by default.
	Disk int64
	// Processes is how many processes and threads of it there may be; 256 by default.
	Processes int
	// Timeout is how long it may run where a command does not say; 5 minutes by default.
	Timeout time.Duration
	// Starting is told each command just before it starts; nil is nobody. It is called from the
	// goroutine of [Sandbox.Run], so several calls may run at once.
	Starting func(Command)
}

// Command is one use of a program.
type Command struct {
	// Program is its name, looked for in PATH, or its absolute path.
	Program string
	Args    []string
	// Dir is the one folder that it may write to, and works in. Absolute. "" is none: it
	// writes nothing but its output.
	Dir string
	// Read are files and folders that it may read besides. Absolute.
	Read []string
	// Input is its standard input; nil is none.
	Input io.Reader
	// Env are further variables of its environment: "OMP_THREAD_LIMIT=2".
	Env []string
	// Most is how much of its standard output is taken, in bytes: more is an error. Zero
	// is 1 MiB.
	Most int
	// Memory is the most that it and all that it starts may hold, in bytes; 0 is [UsualMemory]. It
	// waits until that is free of [Config].Budget, and gets less where that is small.
	Memory int64
	// File is the largest file that it may write; 0 is [Config].File.
	File int64
	// Timeout is how long it may run; 0 is [Config].Timeout.
	Timeout time.Duration

	probe bool // tell what confines it, instead of running
}

// UsualMemory is what most programs get by with, on what people send: 512 MiB.
const UsualMemory = 512 << 20

// Sandbox runs programs. It is safe for concurrent use.
type Sandbox struct{ config Config }

// New checks the configuration. It starts nothing.
func New(c Config) (*Sandbox, error) {
	if c.Memory < 0 || c.File < 0 || c.Disk < 0 || c.Processes < 0 || c.Timeout < 0 {
		return nil, errors.New("the limits of programs must not be negative")
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

// Find is the absolute path of a program, or a fault that says that it is missing and
// names the package of Debian that has it, if that is known.
func (s *Sandbox) Find(program, debian string) (string, error) {
	path, err := exec.LookPath(program)
	if err == nil {
		path, err = filepath.Abs(path)
	}
	if err == nil {
		return path, nil
	}
	sentence := plan.Say("It needs the program %s, which is not installed.", filepath.Base(program))
	if debian != "" {
		sentence = plan.Say("It needs the program %s, which is not installed; on Debian: apt-get install %s.", filepath.Base(program), debian)
	}
	return "", &plan.Fault{Sentence: sentence, Err: err}
}

// Confinement is how programs are confined on this machine, for the operator.
type Confinement struct {
	// User says as which user programs run, and why not as one of their own, in sentences.
	User string
	// Lacks says what is promised and not held here, and why; nil is nothing.
	Lacks error
}

// Confinement starts a process that is confined as programs are and asks it.
func (s *Sandbox) Confinement(ctx context.Context) Confinement { return s.confinement(ctx) }
