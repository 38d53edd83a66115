package agent

import (
	"cmp"
	"context"
	"slices"

	"atelier/agent/plan"
	"atelier/agent/toolbox"
)

// placement tells what this process and others can run.
type placement struct{ toolbox *toolbox.Toolbox }

// Capabilities returns the candidates that this process can run now, by tool. They are published
// for the processes that plan (see [toolbox.Toolbox.Local]). It fails only when ctx ends.
func (p placement) Capabilities(ctx context.Context) (map[string][]plan.Candidate, error) {
	return p.toolbox.Local(ctx)
}

// Lacks reports whether this process should hand the action back for another process to run: it has
// no live candidate for the tool, or the action's candidate is live only elsewhere. If that
// candidate is live nowhere, or none is set, the best live one counts, and the action is handed
// back if only a weaker approximation runs here. With anyhow set, any live candidate here will do.
// If ctx has ended, nothing is known and Lacks returns false.
func (p placement) Lacks(ctx context.Context, action plan.Action, anyhow bool) bool {
	able, err := p.toolbox.Local(ctx)
	if err != nil {
		return false
	}
	here := able[action.Tool]
	if len(here) == 0 || anyhow {
		return len(here) == 0
	}
	if action.Entry != "" && action.Entry != p.toolbox.Catalogue().Hash(action.Tool) {
		return true // this process has another file of the tool
	}
	live, err := p.toolbox.Live(ctx)
	if err != nil {
		return false
	}
	status, _ := live.Status(action.Tool)
	named := func(name string) func(plan.Candidate) bool {
		return func(c plan.Candidate) bool { return c.Name == name }
	}
	switch best := status.By(); {
	case slices.ContainsFunc(status.Candidates, named(action.Candidate)):
		return !slices.ContainsFunc(here, named(action.Candidate))
	case best.Approximate || slices.ContainsFunc(here, named(best.Name)):
		return false
	}
	return !slices.ContainsFunc(here, func(c plan.Candidate) bool { return !c.Approximate })
}

// Hears returns the action that transcribes a voice message, using the best candidate that is live
// in any process of a tool that listens (see [toolbox.Tool]). It returns false if there is none.
func (p placement) Hears(ctx context.Context, voice plan.Resource) (plan.Action, bool) {
	live, err := p.toolbox.Live(ctx)
	if err != nil {
		return plan.Action{}, false
	}
	var ears []toolbox.Status
	for _, s := range live.Statuses() {
		if s.Live && s.Tool.Listens && slices.ContainsFunc(s.Tool.Args, func(arg toolbox.Arg) bool { return voice.Type.Fits(arg.Type) }) {
			ears = append(ears, s)
		}
	}
	if len(ears) == 0 {
		return plan.Action{}, false
	}
	best := max(0, slices.IndexFunc(ears, func(s toolbox.Status) bool { return !s.By().Approximate }))
	tool := ears[best].Tool
	arg := tool.Args[slices.IndexFunc(tool.Args, func(arg toolbox.Arg) bool { return voice.Type.Fits(arg.Type) })]
	return plan.Action{
		Tool: tool.Name, Returns: tool.Returns, Candidate: ears[best].By().Name,
		Args: []plan.Binding{{Arg: arg.Name, Type: arg.Type, Source: plan.FromResource(voice.Name)}},
	}, true
}

// Device returns "cpu" or "gpu", which decides the job queue of the action: the device of its
// candidate, live or not, else of the first candidate of its tool that is live in any process, else
// "cpu".
func (p placement) Device(ctx context.Context, action plan.Action) string {
	const otherwise = "cpu"
	if c, ok := p.toolbox.Candidate(action.Tool, action.Candidate); ok {
		return cmp.Or(c.Device, otherwise)
	}
	live, err := p.toolbox.Live(ctx)
	if err != nil {
		return otherwise
	}
	status, _ := live.Status(action.Tool)
	if i := slices.IndexFunc(status.Candidates, func(c plan.Candidate) bool { return c.Name == action.Candidate }); i >= 0 {
		return cmp.Or(status.Candidates[i].Device, otherwise)
	}
	return cmp.Or(status.By().Device, otherwise)
}
