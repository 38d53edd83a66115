package sandbox

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
	"unicode"

	"atelier/agent/plan"
)

// grace is how long to wait for the pipes and processes of a killed program.
const grace = 5 * time.Second

// maxSaid is how much of a program's standard error is kept, in bytes.
const maxSaid = 2 << 10

// Run runs a program to its end and returns its standard output. Only the error of a program that failed on
// its own wraps an [exec.ExitError]. Such a program usually failed because of its input, so a caller that
// knows the input can give a better sentence.
func (s *Sandbox) Run(ctx context.Context, c Command) ([]byte, error) {
	path, err := exec.LookPath(c.Program)
	if err == nil {
		path, err = filepath.Abs(path)
	}
	if err != nil {
		return nil, unstarted(c, err)
	}
	var giveBack func()
	if c.Memory, giveBack, err = s.config.Budget.Lend(ctx, min(cmp.Or(c.Memory, UsualMemory), s.config.Memory)); err != nil {
		return nil, err
	}
	defer giveBack()
	limit := s.timeout(c)
	timed, cancel := context.WithTimeoutCause(ctx, limit, tooLong(c, limit))
	defer cancel()
	watched, end := context.WithCancelCause(timed)
	defer end(nil)

	cmd := exec.CommandContext(watched, path, c.Args...) //nolint:gosec // the operator chooses the program, and users no arguments
	out := &bounded{most: cmp.Or(c.Most, 1<<20), full: func() {
		end(tooMuch(plan.Say("%s printed too much, and was stopped; try something shorter or smaller.", c.name())))
	}}
	said := &bounded{most: maxSaid}
	cmd.Dir, cmd.Stdin, cmd.Stdout, cmd.Stderr = cmp.Or(c.Dir, string(filepath.Separator)), c.Input, out, said
	cmd.Env = environment(c)
	cmd.WaitDelay = grace
	if s.config.Starting != nil {
		s.config.Starting(c)
	}
	err = s.confined(end, cmd, c)
	switch cause := context.Cause(watched); {
	case ctx.Err() != nil:
		return nil, &plan.Fault{Sentence: plan.Say("It was stopped before it finished."), Err: errors.Join(ctx.Err(), err)}
	case cause != nil:
		return nil, cause //nolint:wrapcheck // a fault of ours
	case err == nil:
		return out.kept, nil
	}
	return nil, s.failed(c, err, said.kept)
}

// failed returns the fault of a program that failed on its own.
func (s *Sandbox) failed(c Command, err error, said []byte) error {
	exit, ok := errors.AsType[*exec.ExitError](err)
	if !ok {
		return unstarted(c, err)
	}
	detail := &FailedError{Program: c.name(), Said: withoutNames(c, said), exit: exit}
	switch {
	case endedBy(exit) == largeFile:
		return tooLarge(c, s.file(c))
	case endedBy(exit) == longWork:
		return tooLong(c, s.timeout(c))
	case outOfMemory(said):
		return tooHungry(c, c.Memory)
	}
	return &plan.Fault{Sentence: plan.Say("The program %s could not do it.", c.name()), Err: detail}
}

// FailedError is the error of a program that failed on its own.
type FailedError struct {
	Program string
	// Said is its standard error, without file names.
	Said string
	exit *exec.ExitError
}

func (e *FailedError) Error() string {
	return fmt.Sprintf("%s: %s: %s", e.Program, e.exit, oneLine(e.Said))
}

func (e *FailedError) Unwrap() error { return e.exit }

// Status returns its exit status: "exit status 1".
func (e *FailedError) Status() string { return e.exit.Error() }

// file returns the largest file that the program may write.
func (s *Sandbox) file(c Command) int64 { return cmp.Or(c.File, s.config.File) }

func (s *Sandbox) timeout(c Command) time.Duration { return cmp.Or(c.Timeout, s.config.Timeout) }

// outOfMemory reports whether a program or the C library complains about lack of memory.
func outOfMemory(said []byte) bool {
	return bytes.Contains(said, []byte("Cannot allocate memory")) || bytes.Contains(said, []byte("bad_alloc")) || bytes.Contains(said, []byte("Out of memory"))
}

// ErrUnstarted is wrapped by the errors of programs that could not be started.
var ErrUnstarted = errors.New("the program could not be started")

func unstarted(c Command, err error) error {
	return &plan.Fault{
		Sentence: plan.Say("The program %s cannot be started here.", c.name()),
		Err:      fmt.Errorf("%w: %w", ErrUnstarted, err),
	}
}

// errLimit is wrapped by the errors of programs that were stopped at a limit.
var errLimit = errors.New("a limit was reached")

// ErrLarge is wrapped by the errors of programs that wrote too much.
var ErrLarge = errors.New("the program's output is too large")

// tooMuch returns the fault of a program that reached a limit.
func tooMuch(sentence plan.Message) error { return &plan.Fault{Sentence: sentence, Err: errLimit} }

func tooLong(c Command, most time.Duration) error {
	return tooMuch(plan.Say("%s took longer than %s, and was stopped; try something shorter or smaller.", c.name(), plan.Span(most)))
}

func tooLarge(c Command, most int64) error {
	return &plan.Fault{
		Sentence: plan.Say("%s wrote more than %s, and was stopped; try something shorter or smaller.", c.name(), plan.FileSize(most)),
		Err:      fmt.Errorf("%w: %w", errLimit, ErrLarge),
	}
}

func tooHungry(c Command, most int64) error {
	return tooMuch(plan.Say("%s needed more than %s of memory, and was stopped; try something shorter or smaller.", c.name(), plan.FileSize(most)))
}

func tooMany(c Command, most int) error {
	return tooMuch(plan.Say("%s started more than %d processes, and was stopped; try another file.", c.name(), most))
}

// name returns the program's name for people.
func (c Command) name() string { return filepath.Base(c.Program) }

// environment returns the program's environment variables.
func environment(c Command) []string {
	env := []string{
		"PATH=" + os.Getenv("PATH"), "LC_ALL=C.UTF-8", "TZ=UTC",
		"HOME=/nonexistent", "TMPDIR=" + cmp.Or(c.Dir, "/nonexistent"),
	}
	return append(env, c.Env...)
}

// end is the limit at which the kernel ended a program.
type end int

const (
	ownEnd end = iota
	largeFile
	longWork
)

// bounded keeps the start of what is written, up to a limit, and calls full when there is more.
type bounded struct {
	kept []byte
	most int
	full func()
}

func (b *bounded) Write(p []byte) (int, error) {
	room := b.most - len(b.kept)
	if len(p) > room && b.full != nil {
		b.full()
	}
	b.kept = append(b.kept, p[:min(len(p), room)]...)
	return len(p), nil
}

// withoutNames returns a program's complaint without file names, which are private.
func withoutNames(c Command, said []byte) string {
	text := strings.ToValidUTF8(string(said), "?")
	for _, path := range append([]string{c.Dir}, c.Read...) {
		if base := filepath.Base(path); path != "" && len(base) > 1 {
			text = strings.ReplaceAll(strings.ReplaceAll(text, path, "…"), base, "…")
		}
	}
	return text
}

// oneLine collapses white space and invisible characters to single spaces, for logs.
func oneLine(text string) string { return strings.Join(strings.FieldsFunc(text, unprintable), " ") }

func unprintable(r rune) bool { return unicode.IsSpace(r) || !unicode.IsPrint(r) }
