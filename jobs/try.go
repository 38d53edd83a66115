package jobs

import (
	"context"
	"errors"
	"io"

	"atelier/adapters"
	"atelier/agent/plan"
	"atelier/jobs/record"
)

// Samples are example requests that people can try by a button, with their files.
type Samples interface {
	// Sample returns the sample with a key. The error is a [*plan.Fault] if there is none, or it cannot run now.
	Sample(ctx context.Context, key string) (plan.Sample, error)
	// File returns the sample file of a type, and Fetch opens it.
	File(t plan.Type) adapters.File
	Fetch(ctx context.Context, f adapters.File) (io.ReadCloser, error)
}

// tryer submits the examples that people try by a button.
type tryer struct {
	*reworker

	samples Samples
}

// press submits an example in the thread of the answer with its button.
func (y *tryer) press(ctx context.Context, e adapters.Event, r *record.Request, run *record.Run) error {
	if run == nil || run.Answer == nil || y.samples == nil {
		return nil
	}
	e.Thread = r.Asked.Event.Thread
	sample, err := y.samples.Sample(ctx, e.Reaction.Choice)
	if fault, ok := errors.AsType[*plan.Fault](err); ok {
		return y.notice(ctx, e, r, fault.Sentence)
	}
	if err != nil {
		return err
	}
	press := &record.Press{
		Sample: sample.Needs, Wish: sample.Wish, Of: record.RunRef{Request: r.ID, Run: run.N}, Root: r.ID, Message: e.Reaction.On,
	}
	return y.begin(ctx, e, r, press)
}
