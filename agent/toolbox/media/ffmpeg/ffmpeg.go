// Package ffmpeg reads and writes audio and video with the programs ffmpeg and ffprobe.
//
// Guarantees:
//   - The format of a file is detected by its first bytes, and it is read as that format only.
//     References inside it, to files or addresses, are never opened.
//   - The programs run in the sandbox (see [sandbox]): they see only the files of the call, have no
//     network, and end with the context or the timeout, with all their child processes. Jobs do not
//     reveal users' file names to them.
//   - Files that are too long, too large, truncated or damaged are rejected before decoding.
//   - Outputs carry no metadata of the inputs, are checked before they are delivered, and are
//     reproducible where the codecs allow.
//   - A file that passed the checks is not checked again, not even as a copy under another name.
//   - Nothing is left behind but the output, or nothing at all after a failure.
//   - Errors carry one sentence for people ([plan.Fault]), which names a file by its base name and
//     never by its path.
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

// Config locates the programs and sets their limits.
type Config struct {
	// Path is the program ffmpeg, with ffprobe in the same folder. "" looks for both in PATH.
	Path string
	// Timeout limits one call of Frames or Look. 0 means a minute.
	Timeout time.Duration
	// Longest is the maximum length of a video. 0 means four hours.
	Longest time.Duration
	// Limits bound the files that are read and written, and each picture in them.
	Limits media.Limits
	// Sandbox runs the programs. Nil means a default sandbox.
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
		return nil, errors.New("ffmpeg's timeouts must not be negative")
	}
	confined := c.Sandbox
	if confined == nil {
		var err error
		if confined, err = sandbox.New(sandbox.Config{}); err != nil {
			return nil, fmt.Errorf("prepare ffmpeg's sandbox: %w", err)
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

// Probe returns an error unless both programs are installed.
func (f *FFmpeg) Probe(context.Context) error {
	_, err := f.programs()
	return err
}

// programs holds the full paths of the two programs.
type programs struct{ ffmpeg, ffprobe string }

func (f *FFmpeg) programs() (programs, error) {
	names := programs{"ffmpeg", "ffprobe"}
	if f.path != "" {
		names = programs{f.path, filepath.Join(filepath.Dir(f.path), "ffprobe"+filepath.Ext(f.path))}
		if !strings.ContainsRune(f.path, filepath.Separator) {
			names.ffprobe = filepath.Base(names.ffprobe) // from PATH as well
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

// fault returns an error about a file; the sentence starts with its name.
func fault(path string, err error, format string, args ...any) error {
	return &plan.Fault{Sentence: plan.Say("%q %s", filepath.Base(path), plan.Say(format, args...)), Err: err}
}
