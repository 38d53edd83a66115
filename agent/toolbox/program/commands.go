package program

import (
	"context"

	"atelier/agent/toolbox"
)

// Commands is the backend of the kind command: it runs the command lines of tool files. It is safe for
// concurrent use.
//
// ffmpeg gets the inputs as they are; other programs get pictures as PNG. Video and sound get the
// default codecs of their format unless the command line names one. The endings "sound" and "picture"
// stand for the format of the input.
type Commands struct{ machine machine }

var _ toolbox.Backend = Commands{}

// Commands returns the backend of the kind command, with the same sandbox and limits.
func (b *Backend) Commands() Commands { return Commands{b.machine} }

// Probe reports whether the programs are installed.
func (m Commands) Probe(_ context.Context, c toolbox.Candidate) error {
	if c.Recipe == nil {
		return unknown(c.Run)
	}
	return m.machine.find(needsOf(c.Backing))
}

// Run runs the command line.
func (m Commands) Run(ctx context.Context, c toolbox.Candidate, call toolbox.Call) (toolbox.Output, error) {
	return execute(ctx, m.machine, call, m.Probe(ctx, c), func(ctx context.Context, call toolbox.Call) (toolbox.Output, error) {
		return runRecipe(ctx, m.machine, c.Recipe, call)
	})
}
