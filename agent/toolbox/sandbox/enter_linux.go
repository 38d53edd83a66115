package sandbox

import (
	"encoding/json"
	"fmt"
	"os"
	"runtime"
	"sync/atomic"
	"syscall"

	"golang.org/x/sys/unix"
)

const (
	// mark is what the process that stands in between is called, and marked is in its
	// environment.
	mark   = "atelier-sandbox"
	marked = "ATELIER_SANDBOX=enter"
	// reportTo is where it says why it could not become the program: closed by the start
	// of the program.
	reportTo = 3
	// notStarted is its exit status then, as that of shells.
	notStarted = 127
)

// entered is true once Enter was called: without it this program would start itself
// anew and anew in place of others.
var entered atomic.Bool //nolint:gochecknoglobals // it says of the process whether its main is prepared

// Enter is called first thing in main, and in TestMain of packages whose tests run
// programs: in the process that stands between this program and a confined one it does
// not return. In any other it makes the process the one that inherits what its programs
// leave behind, so that it can see it to its end; and without Landlock it hides the process's
// memory and environment from others of its user, as programs then are. It does nothing else.
func Enter() {
	if len(os.Args) > 2 && os.Args[0] == mark && os.Getenv("ATELIER_SANDBOX") == "enter" {
		err := become(os.Args[1], os.Args[2], os.Args[2:])
		_, _ = syscall.Write(reportTo, []byte(err.Error())) //nolint:errcheck // nobody else could be told
		os.Exit(notStarted)
	}
	_ = unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) //nolint:errcheck // where there is none, the first process buries them
	if landlockVersion() < 1 {
		_ = unix.Prctl(unix.PR_SET_DUMPABLE, 0, 0, 0, 0) //nolint:errcheck // it takes no other values
	}
	entered.Store(true)
}

// become confines this process and turns it into the program, or writes to its output what
// holds it where it is a probe. It returns only if that fails.
func become(rules, path string, args []string) error {
	runtime.LockOSThread() // what confines one thread confines what is started from it
	unix.CloseOnExec(reportTo)
	var p policy
	if err := json.Unmarshal([]byte(rules), &p); err != nil {
		return fmt.Errorf("read what a program may do: %w", err)
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
			return fmt.Errorf("tell what confines programs: %w", err)
		}
		os.Exit(0)
	}
	if err := syscall.Exec(path, args, env); err != nil { //nolint:gosec // the operator names the program
		return fmt.Errorf("start the program: %w", err)
	}
	return nil
}
