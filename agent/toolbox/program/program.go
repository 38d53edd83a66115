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
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"atelier/agent/plan"
	"atelier/agent/toolbox"
	"atelier/agent/toolbox/program/command"
	"atelier/agent/toolbox/program/document"
	"atelier/agent/toolbox/program/facts"
	"atelier/agent/toolbox/program/machine"
	"atelier/agent/toolbox/program/music"
	"atelier/agent/toolbox/program/read"
	"atelier/agent/toolbox/program/sound"
	"atelier/agent/toolbox/program/speech"
	"atelier/agent/toolbox/program/video"
)

// Backend implements the kind program. It is safe for concurrent use.
type Backend struct {
	machine    machine.Machine
	operations map[string]machine.Operation
}

var _ toolbox.Backend = (*Backend)(nil)

// Config is what the backends run on.
type Config = machine.Machine

// New checks the configuration. It starts nothing.
func New(m Config) (*Backend, error) {
	if m.Sandbox == nil || m.FFmpeg == nil {
		return nil, errors.New("a sandbox and ffmpeg are required")
	}
	m.Limits, m.Reversed = m.Limits.OrDefault(), cmp.Or(m.Reversed, 192<<20)
	b := &Backend{machine: m, operations: map[string]machine.Operation{}}
	documents, sounds := document.Documents{Machine: m}, sound.Sounds{Machine: m}
	for _, part := range []interface {
		Operations() map[string]machine.Operation
	}{
		documents, read.Reader{Documents: documents}, sounds, speech.Speech{Sounds: sounds}, music.Player{Sounds: sounds}, video.Videos{Machine: m},
	} {
		maps.Copy(b.operations, part.Operations())
	}
	return b, nil
}

// Probe reports whether the programs of the operation are installed.
func (b *Backend) Probe(_ context.Context, c toolbox.Candidate) error {
	op, err := b.operation(c)
	if err != nil {
		return err
	}
	return b.machine.Require(op.Needs)
}

// Run performs the operation.
func (b *Backend) Run(ctx context.Context, c toolbox.Candidate, call toolbox.Call) (toolbox.Output, error) {
	op, err := b.operation(c)
	if err != nil {
		return toolbox.Output{}, err
	}
	return execute(ctx, b.machine, call, b.Probe(ctx, c), op.Do)
}

// execute runs an operation unless its programs are missing. Office documents are given to it as PDF, and
// documents that a new one is made of without their scripts.
func execute(ctx context.Context, m machine.Machine, call toolbox.Call, missing error,
	do func(context.Context, toolbox.Call) (toolbox.Output, error),
) (toolbox.Output, error) {
	if missing != nil { // not the input's fault
		return toolbox.Output{}, fmt.Errorf("%w: %w", toolbox.ErrDown, missing)
	}
	out := toolbox.Output{}
	documents, scripts := document.Documents{Machine: m}, false
	given, err := documents.Printed(ctx, call)
	if err == nil && call.Returns == plan.Document {
		given, scripts, err = documents.WithoutScripts(ctx, given)
	}
	if err == nil {
		out, err = do(ctx, given)
	}
	if scripts {
		out.Note = plan.Sentences(out.Note, plan.Say("It had scripts, which were removed."))
	}
	return tidied(call, out, err)
}

// unknown is the fault for an operation that this version does not have.
func unknown(run string) error {
	return &plan.Fault{
		Sentence: plan.Say("This version does not know how to do that with a program."),
		Err:      fmt.Errorf("unknown operation %q", run),
	}
}

// tidied deletes everything in the call's folder except the outputs.
func tidied(c toolbox.Call, out toolbox.Output, err error) (toolbox.Output, error) {
	var given []string
	if err == nil {
		for _, o := range append([]toolbox.Output{out}, out.More...) {
			given = append(given, filepath.Base(o.Path))
		}
	}
	entries, failed := os.ReadDir(c.Dir)
	for _, e := range entries {
		if !slices.Contains(given, e.Name()) {
			failed = errors.Join(failed, os.RemoveAll(filepath.Join(c.Dir, e.Name())))
		}
	}
	if err == nil && failed != nil {
		err = &plan.Fault{Sentence: plan.Say("Temporary files could not be removed."), Err: failed}
	}
	return out, err
}

// Measurer returns a measurer for the files of a call.
func (b *Backend) Measurer(call toolbox.Call) facts.Measurer {
	return command.Measurer{Machine: b.machine, Call: call}
}

// Player returns a player that uses the same sandbox and limits.
func (b *Backend) Player() music.Player {
	return music.Player{Sounds: sound.Sounds{Machine: b.machine}}
}

func (b *Backend) operation(c toolbox.Candidate) (machine.Operation, error) {
	op, ok := b.operations[c.Run]
	if !ok {
		return machine.Operation{}, unknown(c.Run)
	}
	return op, nil
}
