// Package program runs tools with Debian's media programs: ffmpeg, espeak-ng, tesseract,
// pocketsphinx, abc2midi, fluidsynth, poppler, qpdf and LibreOffice.
//
// Guarantees:
//   - Programs run in the sandbox (see [sandbox]): they see only the files of the call, have no
//     network, and end with the context of the call, together with their child processes.
//   - Text from users never becomes an option or a filter: it is passed in files. A user's file
//     name reaches a program only as part of the absolute path of the file to read.
//   - The type of a user's file is detected from its first bytes, and it is read only as that type.
//   - Errors about a missing program name its Debian package.
package program

import (
	"context"
	"errors"
	"fmt"
	"maps"

	"atelier/agent/plan"
	"atelier/agent/toolbox"
	"atelier/agent/toolbox/media"
	"atelier/agent/toolbox/media/ffmpeg"
	"atelier/agent/toolbox/sandbox"
)

// Config configures a [Backend].
type Config struct {
	Sandbox *sandbox.Sandbox
	// FFmpeg reads and writes sound and video.
	FFmpeg *ffmpeg.FFmpeg
	// Limits bound the files that are read, and the results.
	Limits media.Limits
}

// Backend implements the kind program. It is safe for concurrent use.
type Backend struct {
	machine

	operations map[string]operation
}

var _ toolbox.Backend = (*Backend)(nil)

// operation is something that programs do; backings refer to it by name.
type operation struct {
	// needs are the required programs, with their Debian packages.
	needs []need
	do    func(ctx context.Context, c toolbox.Call) (toolbox.Output, error)
}

// New checks the configuration. It starts nothing.
func New(c Config) (*Backend, error) {
	if c.Sandbox == nil || c.FFmpeg == nil {
		return nil, errors.New("a sandbox and ffmpeg are required")
	}
	c.Limits = c.Limits.OrDefault()
	m := machine{c}
	b := &Backend{machine: m, operations: map[string]operation{}}
	for _, part := range []interface{ operations() map[string]operation }{
		documents{m}, reader{documents{m}}, sounds{m}, speech{sounds{m}}, musician{sounds{m}}, videos{m},
	} {
		maps.Copy(b.operations, part.operations())
	}
	return b, nil
}

// Probe reports whether the programs of the operation are installed.
func (b *Backend) Probe(_ context.Context, c toolbox.Candidate) error {
	op, err := b.operation(c)
	if err != nil {
		return err
	}
	return b.find(op.needs)
}

// Run performs the operation.
func (b *Backend) Run(ctx context.Context, c toolbox.Candidate, call toolbox.Call) (toolbox.Output, error) {
	op, err := b.operation(c)
	if err != nil {
		return toolbox.Output{}, err
	}
	if err := b.Probe(ctx, c); err != nil { // a missing program is not the input's fault
		return toolbox.Output{}, fmt.Errorf("%w: %w", toolbox.ErrDown, err)
	}
	printed, err := b.printed(ctx, call)
	if err != nil {
		return tidied(call, toolbox.Output{}, err)
	}
	out, err := op.do(ctx, printed)
	return tidied(call, out, err)
}

func (b *Backend) operation(c toolbox.Candidate) (operation, error) {
	op, ok := b.operations[c.Run]
	if !ok {
		return operation{}, unknown(c.Run)
	}
	return op, nil
}

// unknown is the fault for an operation that this version does not have.
func unknown(run string) error {
	return &plan.Fault{
		Sentence: plan.Say("This version does not know how to do that with a program."),
		Err:      fmt.Errorf("unknown operation %q", run),
	}
}
