// Package machine is what operations run on: programs in the sandbox, ffmpeg, and the limits of files. It finds the
// programs that an operation needs, and says which Debian package has a missing one.
package machine

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

// Machine is what operations run on.
type Machine struct {
	Sandbox *sandbox.Sandbox
	// FFmpeg reads and writes sound and video.
	FFmpeg *ffmpeg.FFmpeg
	// Limits bound the files that are read, and the results.
	Limits media.Limits
	// Reversed is how many bytes of decoded frames or samples ffmpeg's filters reverse and areverse may keep, by
	// default 192 MiB. They keep all that they get, so longer files are reversed in pieces.
	Reversed int
}

// Operation is something that programs do. Tools refer to it by name.
type Operation struct {
	// Needs are the required programs, with their Debian packages.
	Needs []Need
	Do    func(ctx context.Context, c toolbox.Call) (toolbox.Output, error)
}

// Run runs a program in the call's folder.
func (m Machine) Run(ctx context.Context, c sandbox.Command) ([]byte, error) {
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

// Write runs ffmpeg, which writes a file into a folder.
func (m Machine) Write(ctx context.Context, job ffmpeg.Job, dir, name string) (toolbox.Output, error) {
	job.Output = filepath.Join(dir, name)
	if err := m.FFmpeg.Do(ctx, job); err != nil {
		return toolbox.Output{}, err
	}
	return toolbox.Output{Path: job.Output}, nil
}

// Report runs ffmpeg for what a filter prints with file=out.txt. The filter must print something.
func (m Machine) Report(ctx context.Context, job ffmpeg.Job, dir string) (string, error) {
	job.ByFilter = true
	made, err := m.Write(ctx, job, dir, "report.txt")
	if err != nil {
		return "", err
	}
	said, err := os.ReadFile(made.Path)
	if err = errors.Join(err, os.Remove(made.Path)); err != nil {
		return "", fmt.Errorf("read a report of ffmpeg: %w", err)
	}
	return string(said), nil
}

// Need is a required program or data file, and its Debian package, "" if unknown.
type Need struct {
	Program, Debian string
	// Find locates it if looking for the program's name is not enough.
	Find func(debian string) (string, error)
}

// FFmpegNeeds lists the programs that operations on sound and video need.
func FFmpegNeeds() []Need {
	return []Need{{Program: "ffmpeg", Debian: "ffmpeg"}, {Program: "ffprobe", Debian: "ffmpeg"}}
}

// Require returns an error if one of the needs is missing.
func (m Machine) Require(needs []Need) error {
	for _, n := range needs {
		if _, err := m.Locate(n); err != nil {
			return fmt.Errorf("look for %s: %w", cmp.Or(n.Debian, n.Program), err)
		}
	}
	return nil
}

// Locate returns the path of a need, or a fault that names what is missing.
func (m Machine) Locate(n Need) (string, error) {
	if n.Find != nil {
		return n.Find(n.Debian)
	}
	return m.Sandbox.Find(n.Program, n.Debian)
}

// Missing is the fault for a missing part, by the name that people know.
func Missing(what plan.Message, debian string, err error) error {
	return &plan.Fault{
		Sentence: plan.Say("It needs a program that I do not have here."),
		Operator: plan.Say("It needs %s, which is not installed; on Debian: apt-get install %s.", what, debian),
		Err:      err,
	}
}

// Bounds of programs other than ffmpeg.
const (
	OtherTime   = 3 * time.Minute
	OtherMemory = 1 << 30
	// MostTold is the maximum size of a program's text output, in bytes.
	MostTold = 16 << 20
)
