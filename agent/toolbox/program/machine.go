package program

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"

	"atelier/agent/plan"
	"atelier/agent/toolbox"
	"atelier/agent/toolbox/sandbox"
)

// machine runs programs in the sandbox.
type machine struct{ config Config }

// run runs a program in the call's folder. What is the program's own trouble counts
// against it.
func (m machine) run(ctx context.Context, c sandbox.Command) ([]byte, error) {
	var err error
	if c.Dir, err = filepath.Abs(c.Dir); err != nil {
		return nil, fmt.Errorf("find the folder of a call: %w", err)
	}
	out, err := m.config.Sandbox.Run(ctx, c)
	switch {
	case err == nil:
		return out, nil
	case ctx.Err() == nil && (errors.Is(err, exec.ErrNotFound) || errors.Is(err, os.ErrPermission)):
		return nil, fmt.Errorf("%s: %w: %w", filepath.Base(c.Program), toolbox.ErrDown, err)
	}
	return nil, fmt.Errorf("%s: %w", filepath.Base(c.Program), err)
}

// need is a program, or the data of one, and the package of Debian that has it; "" if that is not known.
type need struct {
	program, debian string
	// find looks for it where it is more than a program of that name.
	find func(debian string) (string, error)
}

// ffmpegs are what operations on sound and video need.
func ffmpegs() []need {
	return []need{{program: "ffmpeg", debian: "ffmpeg"}, {program: "ffprobe", debian: "ffmpeg"}}
}

// find reports what is missing.
func (m machine) find(needs []need) error {
	for _, n := range needs {
		if _, err := m.look(n); err != nil {
			return fmt.Errorf("look for what %s has: %w", cmp.Or(n.debian, n.program), err)
		}
	}
	return nil
}

// look is the path of what an operation needs, or a fault that says that it is missing.
func (m machine) look(n need) (string, error) {
	if n.find != nil {
		return n.find(n.debian)
	}
	return m.config.Sandbox.Find(n.program, n.debian)
}

// missing is a part that is not there, by the name that people know it by.
func missing(what plan.Message, debian string, err error) error {
	return &plan.Fault{
		Sentence: plan.Say("It needs %s, which is not installed; on Debian: apt-get install %s.", what, debian),
		Err:      err,
	}
}
