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

// run runs a program in the call's folder.
func (m machine) run(ctx context.Context, c sandbox.Command) ([]byte, error) {
	var err error
	if c.Dir, err = filepath.Abs(c.Dir); err != nil {
		return nil, fmt.Errorf("find the call's folder: %w", err)
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

// need is a required program or data file, and its Debian package, "" if unknown.
type need struct {
	program, debian string
	// find locates it if looking for the program's name is not enough.
	find func(debian string) (string, error)
}

// ffmpegs lists the programs that operations on sound and video need.
func ffmpegs() []need {
	return []need{{program: "ffmpeg", debian: "ffmpeg"}, {program: "ffprobe", debian: "ffmpeg"}}
}

// find returns an error if one of the needs is missing.
func (m machine) find(needs []need) error {
	for _, n := range needs {
		if _, err := m.look(n); err != nil {
			return fmt.Errorf("look for %s: %w", cmp.Or(n.debian, n.program), err)
		}
	}
	return nil
}

// look returns the path of a need, or a fault that names what is missing.
func (m machine) look(n need) (string, error) {
	if n.find != nil {
		return n.find(n.debian)
	}
	return m.config.Sandbox.Find(n.program, n.debian)
}

// missing is the fault for a missing part, by the name that people know.
func missing(what plan.Message, debian string, err error) error {
	return &plan.Fault{
		Sentence: plan.Say("It needs %s, which is not installed; on Debian: apt-get install %s.", what, debian),
		Err:      err,
	}
}
