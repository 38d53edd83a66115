package agent

import (
	"cmp"
	"context"

	"atelier/agent/plan"
)

// Capabilities are what this process can run now: candidates by tool, to be published
// for the processes that plan (see [toolbox.Toolbox.Local]). It fails only when ctx ends.
func (a *Agent) Capabilities(ctx context.Context) (map[string][]plan.Candidate, error) {
	return a.config.Toolbox.Local(ctx)
}

// Lacks tells whether no backing of the action's tool is live in this process, so that
// the jobs hand the action back for another one instead of failing it here. What is not
// known, since ctx has ended, is not lacking.
func (a *Agent) Lacks(ctx context.Context, action plan.Action) bool {
	able, err := a.config.Toolbox.Local(ctx)
	return err == nil && len(able[action.Tool]) == 0
}

// Device is where the action works, "cpu" or "gpu", by which the jobs choose its queue:
// the device of its candidate, else of the first candidate of its tool that is live in
// any process, else "cpu".
func (a *Agent) Device(ctx context.Context, action plan.Action) string {
	device := "cpu"
	live, err := a.config.Toolbox.Live(ctx)
	if err != nil {
		return device
	}
	status, _ := live.Status(action.Tool)
	for i, c := range status.Candidates {
		if i == 0 || c.Name == action.Candidate {
			device = cmp.Or(c.Device, device)
		}
	}
	return device
}
