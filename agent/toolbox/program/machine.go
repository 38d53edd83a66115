package program

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"atelier/agent/plan"
	"atelier/agent/toolbox"
	"atelier/agent/toolbox/media"
	"atelier/agent/toolbox/media/ffmpeg"
	"atelier/agent/toolbox/sandbox"
)

// machine is what operations run on.
type machine struct {
	Sandbox *sandbox.Sandbox
	// FFmpeg reads and writes sound and video.
	FFmpeg *ffmpeg.FFmpeg
	// Limits bound the files that are read, and the results.
	Limits media.Limits
}

// operation is something that programs do. Tools refer to it by name.
type operation struct {
	// needs are the required programs, with their Debian packages.
	needs []need
	do    func(ctx context.Context, c toolbox.Call) (toolbox.Output, error)
}

// run runs a program in the call's folder.
func (m machine) run(ctx context.Context, c sandbox.Command) ([]byte, error) {
	var err error
	if c.Dir, err = filepath.Abs(c.Dir); err != nil {
		return nil, fmt.Errorf("find the call's folder: %w", err)
	}
	out, err := m.Sandbox.Run(ctx, c)
	switch {
	case err == nil:
		return out, nil
	case ctx.Err() == nil && (errors.Is(err, exec.ErrNotFound) || errors.Is(err, os.ErrPermission)):
		return nil, fmt.Errorf("%s: %w: %w", filepath.Base(c.Program), toolbox.ErrDown, err)
	}
	return nil, fmt.Errorf("%s: %w", filepath.Base(c.Program), err)
}

// write runs ffmpeg, which writes a file into a folder.
func (m machine) write(ctx context.Context, job ffmpeg.Job, dir, name string) (toolbox.Output, error) {
	job.Output = filepath.Join(dir, name)
	if err := m.FFmpeg.Do(ctx, job); err != nil {
		return toolbox.Output{}, err
	}
	return toolbox.Output{Path: job.Output}, nil
}

// report runs ffmpeg for what a filter prints with file=out.txt. The filter must print something.
func (m machine) report(ctx context.Context, job ffmpeg.Job, dir string) (string, error) {
	job.ByFilter = true
	made, err := m.write(ctx, job, dir, "report.txt")
	if err != nil {
		return "", err
	}
	said, err := os.ReadFile(made.Path)
	if err = errors.Join(err, os.Remove(made.Path)); err != nil {
		return "", fmt.Errorf("read a report of ffmpeg: %w", err)
	}
	return string(said), nil
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
	return m.Sandbox.Find(n.program, n.debian)
}

// missing is the fault for a missing part, by the name that people know.
func missing(what plan.Message, debian string, err error) error {
	return &plan.Fault{
		Sentence: plan.Say("It needs %s, which is not installed; on Debian: apt-get install %s.", what, debian),
		Err:      err,
	}
}

const (
	// otherTime and otherMemory bound programs other than ffmpeg.
	otherTime   = 3 * time.Minute
	otherMemory = 1 << 30
	// mostTold is the maximum size of a program's text output, in bytes.
	mostTold = 16 << 20
)
