package agent

import (
	"cmp"
	"context"
	"slices"

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

// Hears is the action by which the words of a voice message are written down: by the first
// tool that listens (see [toolbox.Tool]) and can run in any process; false where none can.
func (a *Agent) Hears(ctx context.Context, voice plan.Resource) (plan.Action, bool) {
	live, err := a.config.Toolbox.Live(ctx)
	if err != nil {
		return plan.Action{}, false
	}
	for _, s := range live.Statuses() {
		if !s.Live || !s.Tool.Listens {
			continue
		}
		for _, arg := range s.Tool.Args {
			if voice.Type.Fits(arg.Type) {
				args := []plan.Binding{{Arg: arg.Name, Type: arg.Type, Source: plan.FromResource(voice.Name)}}
				return plan.Action{Tool: s.Tool.Name, Args: args, Returns: s.Tool.Returns}, true
			}
		}
	}
	return plan.Action{}, false
}

// Device is where the action works, "cpu" or "gpu", by which the jobs choose its queue:
// the device of its candidate, whether that is live or not, else of the first candidate of
// its tool that is live in any process, else "cpu".
func (a *Agent) Device(ctx context.Context, action plan.Action) string {
	const otherwise = "cpu"
	if c, ok := a.config.Toolbox.Candidate(action.Tool, action.Candidate); ok {
		return cmp.Or(c.Device, otherwise)
	}
	live, err := a.config.Toolbox.Live(ctx)
	if err != nil {
		return otherwise
	}
	status, _ := live.Status(action.Tool)
	if i := slices.IndexFunc(status.Candidates, func(c plan.Candidate) bool { return c.Name == action.Candidate }); i >= 0 {
		return cmp.Or(status.Candidates[i].Device, otherwise)
	}
	return cmp.Or(status.By().Device, otherwise)
}
