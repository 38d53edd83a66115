package jobs

import (
	"context"
	"errors"
	"io"

	"atelier/adapters"
	"atelier/agent/plan"
	"atelier/jobs/record"
)

// Samples are requests that people try by a button, and the files with which they are tried.
type Samples interface {
	// Sample is the one of a key. Its error is a [*plan.Fault] if there is none, or it cannot be done now.
	Sample(ctx context.Context, key string) (plan.Sample, error)
	// File is one of a type that samples need, and Fetch opens it.
	File(t plan.Type) adapters.File
	Fetch(ctx context.Context, f adapters.File) (io.ReadCloser, error)
}

// tryer asks for people what they try by the button of an example.
type tryer struct {
	*reworker

	samples Samples
}

// press asks an example in the thread of the answer that has its button.
func (y *tryer) press(ctx context.Context, e adapters.Event, r *record.Request, run *record.Run) error {
	if run == nil || run.Answer == nil || y.samples == nil {
		return nil
	}
	e.Thread = r.Asked.Event.Thread
	sample, err := y.samples.Sample(ctx, e.Reaction.Choice)
	if fault, ok := errors.AsType[*plan.Fault](err); ok {
		if refused, err := y.refused(ctx, e, e.Thread); refused || err != nil {
			return err
		}
		return y.tell(ctx, e, r, fault.Sentence)
	}
	if err != nil {
		return err
	}
	t, err := y.store.Thread(ctx, record.ThreadID(e.Thread))
	if err != nil {
		return err
	}
	return y.admission.admit(ctx, e, t, origin{act: &record.Act{
		Sample: sample.Needs, Wish: sample.Wish, Of: record.RunRef{Request: r.ID, Run: run.N}, Root: r.ID, Message: e.Reaction.On,
	}})
}
