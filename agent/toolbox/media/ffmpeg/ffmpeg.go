// Package ffmpeg reads and writes sound and video with the programs ffmpeg and ffprobe.
//
// Guarantees:
//   - A file is known by its first bytes, and is read as that and nothing else: what it
//     names inside, another file or an address, is never opened.
//   - The programs run in the sandbox (see [sandbox]): they see the files of the call and
//     no others, reach no network, and end with the context or the time, with all that they
//     have started. In a job they get no name that a user chose.
//   - What is too long, too large, cut off or damaged is refused before it is decoded.
//   - What is made carries no metadata of what it was made of, is looked at before it is
//     given out, and is the same each time where the codecs allow.
//   - What was found fit is not looked at again, also as a copy under another name.
//   - Nothing is left behind but the output, and not that if it failed.
//   - Errors carry one sentence for people ([plan.Fault]), which names a file by its base
//     name and never by its path.
package ffmpeg

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"atelier/agent/plan"
	"atelier/agent/toolbox/media"
	"atelier/agent/toolbox/sandbox"
)

// Config says where the programs are and what bounds them.
type Config struct {
	// Path is the program ffmpeg, beside which ffprobe lies. "" looks for both in PATH.
	Path string
	// Timeout is how long one call of Frames may take, and one look. 0 is a minute.
	Timeout time.Duration
	// Longest is the longest video that is taken. 0 is four hours.
	Longest time.Duration
	// Limits bound the files, read and written, and by their pixels each picture in them.
	Limits media.Limits
	// Sandbox is where the programs run. nil is one of the package's own.
	Sandbox *sandbox.Sandbox
}

// FFmpeg runs the programs. It is safe for concurrent use.
type FFmpeg struct {
	path    string
	timeout time.Duration
	longest time.Duration
	limits  media.Limits
	sandbox *sandbox.Sandbox
	looks   *looks
}

// New checks the configuration. It runs nothing.
func New(c Config) (*FFmpeg, error) {
	if c.Timeout < 0 || c.Longest < 0 {
		return nil, errors.New("the times of ffmpeg must not be negative")
	}
	confined := c.Sandbox
	if confined == nil {
		var err error
		if confined, err = sandbox.New(sandbox.Config{}); err != nil {
			return nil, fmt.Errorf("prepare where ffmpeg runs: %w", err)
		}
	}
	return &FFmpeg{
		sandbox: confined,
		looks:   &looks{contents: map[identity]content{}, known: map[content]found{}},
		path:    c.Path,
		timeout: cmp.Or(c.Timeout, time.Minute),
		longest: cmp.Or(c.Longest, 4*time.Hour),
		limits:  c.Limits.OrDefault(),
	}, nil
}

// Probe reports whether the programs are there.
func (f *FFmpeg) Probe(context.Context) error {
	_, err := f.programs()
	return err
}

// programs are the two programs, by their full paths.
type programs struct{ ffmpeg, ffprobe string }

func (f *FFmpeg) programs() (programs, error) {
	names := programs{"ffmpeg", "ffprobe"}
	if f.path != "" {
		names = programs{f.path, filepath.Join(filepath.Dir(f.path), "ffprobe"+filepath.Ext(f.path))}
		if !strings.ContainsRune(f.path, filepath.Separator) {
			names.ffprobe = filepath.Base(names.ffprobe) // that of PATH too
		}
	}
	var found programs
	for _, p := range []struct {
		name string
		to   *string
	}{{names.ffmpeg, &found.ffmpeg}, {names.ffprobe, &found.ffprobe}} {
		path, err := f.sandbox.Find(p.name, "ffmpeg")
		if err != nil {
			return programs{}, err
		}
		*p.to = path
	}
	return found, nil
}

// fault is an error about a video; the sentence begins with its name.
func fault(path string, err error, format string, args ...any) error {
	return &plan.Fault{Sentence: plan.Say("%q %s", filepath.Base(path), plan.Say(format, args...)), Err: err}
}
