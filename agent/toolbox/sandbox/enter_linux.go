package sandbox

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"runtime"
	"sync/atomic"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

const (
	// mark is the argv[0] of the intermediate process, and marked is in its environment.
	mark   = "atelier-sandbox"
	marked = "ATELIER_SANDBOX=enter"
	// reportTo is the file descriptor for its report on why it could not start the program. The start of the
	// program closes it.
	reportTo = 3
	// notStarted is its exit status then, as in shells.
	notStarted = 127
)

// entered is true once Enter was called. Without that, this program would start itself over and over instead
// of others.
var entered atomic.Bool //nolint:gochecknoglobals // a property of the process

// Enter must be called first in main, and in TestMain of packages whose tests run programs. In the
// intermediate process, which confines itself and starts the program, it does not return. In other processes
// it makes them the subreaper, so that they can kill what their programs leave behind. Without Landlock it
// also hides the process's memory and environment from other processes of its user, as programs then are. It
// does nothing else.
func Enter() {
	if len(os.Args) > 2 && os.Args[0] == mark && os.Getenv("ATELIER_SANDBOX") == "enter" {
		err := confineAndExec(os.Args[1], os.Args[2], os.Args[2:])
		_, _ = syscall.Write(reportTo, []byte(err.Error())) //nolint:errcheck // there is no other way to report it
		os.Exit(notStarted)
	}
	_ = unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) //nolint:errcheck // otherwise init reaps them
	if landlockVersion() < 1 {
		_ = unix.Prctl(unix.PR_SET_DUMPABLE, 0, 0, 0, 0) //nolint:errcheck // fails only for other values
	}
	entered.Store(true)
}

// confineAndExec confines this process and replaces it with the program. For a probe it prints its confinement and
// exits instead. It returns only on failure.
func confineAndExec(rules, path string, args []string) error {
	runtime.LockOSThread() // the confinement of a thread is inherited by what it starts
	unix.CloseOnExec(reportTo)
	var p policy
	if err := json.Unmarshal([]byte(rules), &p); err != nil {
		return fmt.Errorf("parse the policy: %w", err)
	}
	var env []string
	for _, v := range os.Environ() {
		if v != marked {
			env = append(env, v)
		}
	}
	holds, err := p.enforce(path)
	if err != nil {
		return err
	}
	if p.Probe {
		if err := json.NewEncoder(os.Stdout).Encode(holds); err != nil {
			return fmt.Errorf("report the confinement: %w", err)
		}
		os.Exit(0)
	}
	return replace(path, args, env, p.Limits)
}

// replace sets the limits and replaces this process with the program. It returns only on failure. The limits apply
// to this process too, so nothing is allocated in between: a Go program that cannot get memory crashes.
func replace(path string, args, env []string, limits []limit) error {
	program, badPath := syscall.BytePtrFromString(path)
	argv, badArgs := syscall.SlicePtrFromStrings(args)
	envv, badEnv := syscall.SlicePtrFromStrings(env)
	if err := errors.Join(badPath, badArgs, badEnv); err != nil {
		return fmt.Errorf("start the program: %w", err)
	}
	values := make([]unix.Rlimit, len(limits))
	for i, l := range limits {
		values[i] = unix.Rlimit{Cur: uint64(l.Most), Max: uint64(l.Most)} //nolint:gosec // not negative
	}
	for i, l := range limits {
		//nolint:gosec // a system call takes pointers so
		if _, _, no := unix.RawSyscall6(unix.SYS_PRLIMIT64, 0, uintptr(l.What), uintptr(unsafe.Pointer(&values[i])), 0, 0, 0); no != 0 {
			return fmt.Errorf("set limit %d: %w", l.What, no)
		}
	}
	//nolint:gosec // a system call takes pointers so
	_, _, no := unix.RawSyscall(unix.SYS_EXECVE,
		uintptr(unsafe.Pointer(program)), uintptr(unsafe.Pointer(&argv[0])), uintptr(unsafe.Pointer(&envv[0])))
	return fmt.Errorf("start the program: %w", no)
}
