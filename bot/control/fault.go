package control

import (
	"errors"

	"atelier/agent/plan"
	"atelier/bot/fault"
	"atelier/jobs"
)

// remoteFault encodes an error for the socket: its sentence, its detail, and the sentinel that callers
// check for.
type remoteFault struct {
	// Sentence is for people; "" if the error has none.
	Sentence string `json:"sentence,omitempty"`
	// Kind is unknown, over or "".
	Kind string `json:"kind,omitempty"`
	// Detail is for the log.
	Detail string `json:"detail"`
}

// faultKinds are the sentinel errors that callers check for.
var faultKinds = map[string]error{"unknown": jobs.ErrUnknown, "over": jobs.ErrOver}

func newRemoteFault(err error) *remoteFault {
	f := &remoteFault{Sentence: fault.SentenceOr(err, ""), Detail: plan.ForOperator(err)}
	for name, kind := range faultKinds {
		if errors.Is(err, kind) {
			f.Kind = name
		}
	}
	return f
}

// err decodes the error.
func (f *remoteFault) err() error {
	var err error = &remoteError{f.Detail, faultKinds[f.Kind]}
	if f.Sentence != "" {
		err = &plan.Fault{Sentence: plan.Quote(f.Sentence), Err: err}
	}
	return err
}

// remoteError is an error of another process.
type remoteError struct {
	text string
	kind error // nil if it is none of faultKinds
}

func (e *remoteError) Error() string { return e.text }
func (e *remoteError) Unwrap() error { return e.kind }
