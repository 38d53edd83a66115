// Package operation holds what all native operations share: their function type, their faults, and how
// they create files.
//
// Guarantees:
//   - A file is created, never overwritten, in the call's folder.
//   - Faults are sentences for people. A fault is final if an explicit request cannot be fulfilled.
package operation

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"atelier/agent/plan"
	"atelier/agent/toolbox"
)

// Func runs one operation. Its errors carry a [plan.Fault].
type Func func(ctx context.Context, c toolbox.Call) (toolbox.Output, error)

// Most is the maximum number of pictures or files in one call.
const Most = 100

// Problem returns an error with only a sentence for people.
func Problem(format string, args ...any) error {
	return &plan.Fault{Sentence: plan.Say(format, args...)}
}

// OneOrMany returns the message for one thing, or the one for several.
func OneOrMany(n int, one, many plan.Message) plan.Message {
	if n > 1 {
		return many
	}
	return one
}

// File returns the path of the media argument.
func File(c toolbox.Call, arg string) (string, error) {
	vs := c.Args[arg]
	if len(vs) == 0 || vs[0].Path == "" {
		return "", &plan.Fault{Sentence: plan.Say("The picture to work on is missing."), Err: fmt.Errorf("no file for the argument %q", arg)}
	}
	return vs[0].Path, nil
}

// Create creates a file and writes its content with write. It fails if the file exists.
func Create(path string, write func(io.Writer) error) (err error) {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	return write(f)
}

// Collect combines several outputs into one.
func Collect(outs []toolbox.Output) (toolbox.Output, error) {
	if len(outs) == 0 {
		return toolbox.Output{}, errors.New("no result")
	}
	first := outs[0]
	first.More = outs[1:]
	return first, nil
}
