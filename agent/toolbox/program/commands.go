package program

import (
	"context"

	"atelier/agent/toolbox"
	"atelier/agent/toolbox/program/command"
	"atelier/agent/toolbox/program/machine"
)

// Commands is the backend of the kind command. It is safe for concurrent use.
type Commands struct{ machine machine.Machine }

var _ toolbox.Backend = Commands{}

// Commands returns the backend of the kind command, with the same sandbox and limits.
func (b *Backend) Commands() Commands { return Commands{b.machine} }

// Probe reports whether the programs are installed.
func (m Commands) Probe(_ context.Context, c toolbox.Candidate) error {
	if c.Recipe == nil {
		return unknown(c.Run)
	}
	return m.machine.Require(command.Needs(c.Backing))
}

// Run runs the command line.
func (m Commands) Run(ctx context.Context, c toolbox.Candidate, call toolbox.Call) (toolbox.Output, error) {
	return execute(ctx, m.machine, call, m.Probe(ctx, c), func(ctx context.Context, call toolbox.Call) (toolbox.Output, error) {
		return command.Run(ctx, m.machine, c.Recipe, call)
	})
}
