package bottest

import (
	"context"

	"atelier/agent/toolbox"
)

// IdleBackend can run everything, and does nothing.
type IdleBackend struct{ Err error }

// Probe fails as it is told.
func (b IdleBackend) Probe(context.Context, toolbox.Candidate) error { return b.Err }

// Run gives nothing.
func (b IdleBackend) Run(context.Context, toolbox.Candidate, toolbox.Call) (toolbox.Output, error) {
	return toolbox.Output{Value: "done"}, b.Err
}

// Capacity is how much it does at a time.
func (IdleBackend) Capacity(context.Context) int { return 3 }

// ModelOf is the model for everything.
func (b IdleBackend) ModelOf(context.Context, toolbox.Candidate) string { return "idle-1" }
