package sandbox

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"atelier/agent/plan"
	"atelier/agent/toolbox/memory"
)

// TestLimits: each program exceeds a limit and gets its sentence, and the operator's log does not have the
// file's name.
func TestLimits(t *testing.T) {
	t.Parallel()
	budget := newBudget(t, 800_000_000/3)
	for name, c := range map[string]struct {
		config  Config
		command Command
		want    string
	}{
		"time":                  {Config{Timeout: 50 * time.Millisecond}, sh("sleep 60"), "sh took longer than 0.1 seconds, and was stopped"},
		"time of the command":   {Config{}, Command{Program: "sleep", Args: []string{"60"}, Timeout: 50 * time.Millisecond}, "sleep took longer than 0.1 seconds, and was stopped"},
		"a large file":          {Config{File: 1 << 20}, sh("exec dd if=/dev/zero of=large bs=1M count=1000"), "sh wrote more than 1.0 MB, and was stopped"},
		"a file of the command": {Config{}, Command{Program: "sh", Args: []string{"-c", "exec dd if=/dev/zero of=large bs=1M count=1000"}, File: 1 << 20}, "sh wrote more than 1.0 MB"},
		"many large files":      {Config{File: 1 << 20, Disk: 4 << 20}, sh("for i in $(seq 1000); do head -c 1000000 /dev/zero >file-$i; done"), "sh wrote more than 4.2 MB, and was stopped"},
		"many small files":      {Config{Disk: 2 << 20}, sh("for i in $(seq 100000); do : >file-$i; done"), "sh wrote more than 2.1 MB, and was stopped"},
		"large when it ends":    {Config{Disk: 1 << 20}, sh("head -c 2000000 /dev/zero >file"), "sh wrote more than 1.0 MB, and was stopped"},
		"files without a name":  {Config{Disk: 4 << 20}, sh("exec perl -e 'for (1..40) { open(my $f, q(>), q(f)); unlink q(f); push @all, $f; syswrite $f, q(x) x (1<<20) } sleep 60'"), "sh wrote more than 4.2 MB, and was stopped"},
		"words":                 {Config{}, Command{Program: "yes", Most: 1000}, "yes printed too much"},
		"memory at once":        {Config{Memory: 256 << 20}, sh("exec perl -e '$x = chr(1) x (1 << 30)'"), "sh needed more than 268.4 MB of memory"},
		"memory of several":     {Config{Memory: 256 << 20}, sh("for i in 1 2 3 4; do perl -e '$x = chr(1) x (100 << 20); sleep 60' & done; wait"), "sh needed more than 268.4 MB of memory"},
		"memory of the command": {Config{}, Command{Program: "perl", Args: []string{"-e", "$x = chr(1) x (300 << 20); sleep 60"}, Memory: 200 << 20}, "perl needed more than 209.7 MB of memory"},
		"memory of the budget":  {Config{Budget: budget}, sh("exec perl -e '$x = chr(1) x (300 << 20); sleep 60'"), "sh needed more than 150.0 MB of memory"},
		"processes":             {Config{Processes: 40}, sh("for i in $(seq 200); do sleep 60 & done; wait"), "sh started more than 40 processes, and was stopped"},
		"its own trouble":       {Config{}, sh("echo a secret place >&2; exit 3"), "The program sh could not do it."},
		"no program":            {Config{}, Command{Program: "no-such-program"}, "The program no-such-program cannot be started here."},
		"a file that is gone":   {Config{}, Command{Program: "true", Read: []string{"/nowhere/a secret place"}}, "The program true cannot be started here."},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c.command.Dir = t.TempDir()
			out, err := newSandbox(t, c.config).Run(t.Context(), c.command)
			if got := plan.Sentence(err, plan.Message{}).String(); !strings.Contains(got, c.want) {
				t.Errorf("it says %q (%v, %d bytes), want %q", got, err, len(out), c.want)
			}
			if _, gaveUp := errors.AsType[*exec.ExitError](err); gaveUp != (name == "its own trouble") {
				t.Errorf("it gave up by itself: %v, %v", gaveUp, err)
			}
			none(t, c.command.Dir)
		})
	}
}

func newBudget(t *testing.T, limit int64) *memory.Budget {
	t.Helper()
	b, err := memory.New(memory.Config{Limit: limit})
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// TestProgramsWaitForMemory checks that a program waits until its memory is free, and gives it back.
func TestProgramsWaitForMemory(t *testing.T) {
	t.Parallel()
	const limit = 400 << 20
	b := newBudget(t, limit)
	s := newSandbox(t, Config{Budget: b})
	giveBack, err := b.Take(t.Context(), limit/4*3)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if _, err := s.Run(ctx, Command{Program: "true"}); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("it does not wait: %v", err)
	}
	giveBack()
	for range 2 {
		if _, err := s.Run(t.Context(), Command{Program: "true"}); err != nil {
			t.Error(err)
		}
	}
	if giveBack, err = b.Take(t.Context(), limit/4*3); err != nil {
		t.Fatal(err)
	}
	giveBack()
}

// TestNothingIsLeft: however a program leaves processes running, all are gone when Run returns. They are
// recognised by their working folder.
func TestNothingIsLeft(t *testing.T) {
	t.Parallel()
	for name, script := range map[string]string{
		"in the background":   "sleep 60 & echo ok",
		"without a parent":    "(sleep 60 &) ; echo ok",
		"deaf to signals":     "(trap '' TERM HUP INT; sleep 60) & echo ok",
		"in another session":  "setsid sleep 60 & echo ok",
		"by perl's own means": "perl -e 'use POSIX; exit if fork; POSIX::setsid(); setpgrp(0, 0); exit if fork; sleep 60' & echo ok",
		"stopped":             "sleep 60 & kill -STOP $!; echo ok",
		"hidden outputs":      "sleep 60 >/dev/null 2>&1 </dev/null & echo ok",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := sh(script)
			c.Dir = t.TempDir()
			if out, err := newSandbox(t, Config{}).Run(t.Context(), c); err != nil || !strings.Contains(string(out), "ok") {
				t.Errorf("%q, %v", out, err)
			}
			none(t, c.Dir)
		})
	}
}

func TestRunEndsWithItsContext(t *testing.T) {
	t.Parallel()
	for name, script := range map[string]string{
		"a program":      "exec sleep 60",
		"with children":  "sleep 60 & (sleep 60 &) ; touch started; sleep 60",
		"deaf to others": "trap '' TERM HUP INT; touch started; sleep 60; sleep 60",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
			defer cancel()
			c := sh(script)
			c.Dir = t.TempDir()
			_, err := newSandbox(t, Config{}).Run(ctx, c)
			if !errors.Is(err, context.DeadlineExceeded) || plan.Sentence(err, plan.Message{}).String() != "It was stopped before it finished." {
				t.Errorf("got %v", err)
			}
			none(t, c.Dir)
		})
	}
}

// none checks that no process works in the folder and that there are no zombies.
func none(t *testing.T, dir string) {
	t.Helper()
	folders, err := filepath.Glob("/proc/[0-9]*/cwd")
	if err != nil {
		t.Fatal(err)
	}
	for _, link := range folders {
		if at, err := os.Readlink(link); err == nil && at == dir {
			name, err := os.ReadFile(filepath.Join(filepath.Dir(link), "cmdline"))
			t.Errorf("it still runs: %q, %v", name, err)
		}
	}
}

// TestNothingIsLeftToBury: zombies are reaped too, which nobody else does if this program is PID 1 in a
// container.
func TestNothingIsLeftToBury(t *testing.T) { //nolint:paralleltest // the children of others must not be counted
	c := sh("for i in 1 2 3 4 5; do (sleep 60 &); done")
	c.Dir = t.TempDir()
	if _, err := newSandbox(t, Config{}).Run(t.Context(), c); err != nil {
		t.Fatal(err)
	}
	children, err := os.ReadFile(fmt.Sprintf("/proc/self/task/%d/children", os.Getpid()))
	if err != nil || strings.TrimSpace(string(children)) != "" {
		t.Errorf("left are %q, %v", children, err)
	}
}
