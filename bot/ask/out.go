package ask

import (
	"fmt"
	"slices"

	"atelier/agent/plan"
	"atelier/bot/export"
	"atelier/bot/fault"
)

// checkOut notices a folder of the person's own choice that cannot be written into,
// before anything is done or paid.
func (a *Command) checkOut() error {
	if a.Plan || a.Out == export.DefaultOut {
		return nil
	}
	if err := export.TryWriting(a.Out); err != nil {
		return fault.Usage("%s", a.unwritable(err))
	}
	return nil
}

// checkOutFor notices it before the steps run, if they make files: who wants none need
// not have a folder for them.
func (a *Command) checkOutFor(p *plan.Plan, choice plan.Choice) error {
	steps, _, err := p.Steps(choice)
	if err != nil {
		return fmt.Errorf("lay out the solution: %w", err)
	}
	if !slices.ContainsFunc(steps, func(s plan.Step) bool { return s.Action.Returns.Media() }) {
		return nil
	}
	if err := export.TryWriting(a.Out); err != nil {
		return &plan.Fault{Sentence: plan.Quote(a.unwritable(err)), Err: err}
	}
	return nil
}

func (a *Command) unwritable(err error) string {
	return fmt.Sprintf("--out is %q, and no file can be written there: %s.", a.Out, fault.Reason(err))
}
