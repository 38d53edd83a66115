package ask

import (
	"fmt"
	"slices"

	"atelier/agent/plan"
	"atelier/bot/export"
	"atelier/bot/fault"
)

// checkOut rejects an unwritable --out before anything is run or paid for.
func (a *Command) checkOut() error {
	if a.Plan || a.Out == export.DefaultOut {
		return nil
	}
	if err := export.TryWriting(a.Out); err != nil {
		return fault.Usage("%s", a.unwritable(err))
	}
	return nil
}

// checkOutFor rejects an unwritable folder before the steps run, if they make files.
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
	return fmt.Sprintf("Cannot write to --out %q: %s.", a.Out, fault.Reason(err))
}
