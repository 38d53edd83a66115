// Package program is the make that runs tools by Debian's media programs: ffmpeg,
// espeak-ng, tesseract, pocketsphinx, abc2midi, fluidsynth, poppler and qpdf.
//
// Promises:
//   - Programs run in the sandbox (see [sandbox]): they see the files of the call and no
//     others, reach no network, and end with the context of the call, with all that they
//     have started.
//   - No word that a user wrote becomes an option or a filter: what people write is handed
//     over in files. The name of a user's file reaches a program only where that looks
//     into the file, behind the folders in which it lies.
//   - A file of a user is known by its first bytes, and read as that and nothing else.
//   - What is missing is named with the package of Debian that has it.
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

// Config is what the make needs.
type Config struct {
	Sandbox *sandbox.Sandbox
	// FFmpeg reads and writes sound and video.
	FFmpeg *ffmpeg.FFmpeg
	// Limits bound the files that are read, and what is made of them.
	Limits media.Limits
}

// Backend is the make of the kind program. It finds the part that has an operation. It is safe for concurrent use.
type Backend struct {
	machine

	operations map[string]operation
}

var _ toolbox.Backend = (*Backend)(nil)

// operation is one thing that programs do, by the name that a backing runs.
type operation struct {
	// needs are the programs, with the packages of Debian that have them.
	needs []need
	do    func(ctx context.Context, c toolbox.Call) (toolbox.Output, error)
}

// New checks the configuration. It starts nothing.
func New(c Config) (*Backend, error) {
	if c.Sandbox == nil || c.FFmpeg == nil {
		return nil, errors.New("programs need a sandbox and ffmpeg")
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

// Probe tells whether the programs of the operation are there.
func (b *Backend) Probe(_ context.Context, c toolbox.Candidate) error {
	op, err := b.operation(c)
	if err != nil {
		return err
	}
	return b.find(op.needs)
}

// Run does the operation.
func (b *Backend) Run(ctx context.Context, c toolbox.Candidate, call toolbox.Call) (toolbox.Output, error) {
	op, err := b.operation(c)
	if err != nil {
		return toolbox.Output{}, err
	}
	if err := b.Probe(ctx, c); err != nil { // a program that is gone is no fault of the input
		return toolbox.Output{}, fmt.Errorf("%w: %w", toolbox.ErrDown, err)
	}
	out, err := op.do(ctx, call)
	return tidied(call, out, err)
}

func (b *Backend) operation(c toolbox.Candidate) (operation, error) {
	op, ok := b.operations[c.Run]
	if !ok {
		return operation{}, unknown(c.Run)
	}
	return op, nil
}

// unknown is the fault of a backing that this version does not have.
func unknown(run string) error {
	return &plan.Fault{
		Sentence: plan.Say("This version does not know how to do that by a program."),
		Err:      fmt.Errorf("no operation is called %q", run),
	}
}
