package toolbox

import (
	"context"

	"atelier/agent/plan"
)

// writer is the backend of this process that has programs written, and the candidate that runs them.
func (t *Toolbox) writer() (Writing, Candidate, error) {
	if tool, ok := t.catalogue.Improviser(); ok {
		for _, c := range t.ways[tool.Name] {
			if w, ok := t.server(c).Backend.(Writing); ok {
				return w, c, nil
			}
		}
	}
	return nil, Candidate{}, &plan.Fault{Sentence: plan.Say("I do not write programs here.")}
}

// Writes tells why no program can be written in this process; nil if it can.
func (t *Toolbox) Writes(ctx context.Context) error {
	w, c, err := t.writer()
	if err != nil {
		return err
	}
	return w.Writes(ctx, c)
}

// Write has the next draft of a program written, after those that failed. With an error, the Usage of
// the draft tells what was taken in vain.
func (t *Toolbox) Write(ctx context.Context, call Call, drafts []plan.Draft) (plan.Draft, error) {
	w, c, err := t.writer()
	if err != nil {
		return plan.Draft{}, err
	}
	return w.Write(ctx, c, call, drafts)
}
