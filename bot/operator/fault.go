package operator

import (
	"errors"

	"atelier/agent/plan"
	"atelier/bot/fault"
	"atelier/jobs"
)

// operatorFault is an error as it goes over the socket: with both its faces, and with what
// callers decide by.
type operatorFault struct {
	// Sentence is for people, "" where the error has none.
	Sentence string `json:"sentence,omitempty"`
	// Kind is unknown, over or "".
	Kind string `json:"kind,omitempty"`
	// Detail is for the log.
	Detail string `json:"detail"`
}

// faultKinds are the errors that callers decide by.
var faultKinds = map[string]error{"unknown": jobs.ErrUnknown, "over": jobs.ErrOver}

func newOperatorFault(err error) *operatorFault {
	f := &operatorFault{Sentence: fault.Told(err, ""), Detail: plan.ForOperator(err)}
	for name, kind := range faultKinds {
		if errors.Is(err, kind) {
			f.Kind = name
		}
	}
	return f
}

// err is the error that the fault was made of, as far as it matters here.
func (f *operatorFault) err() error {
	var err error = &farError{f.Detail, faultKinds[f.Kind]}
	if f.Sentence != "" {
		err = &plan.Fault{Sentence: plan.Quote(f.Sentence), Err: err}
	}
	return err
}

// farError is the detail of an error of another process.
type farError struct {
	text string
	kind error // nil is none
}

func (e *farError) Error() string { return e.text }
func (e *farError) Unwrap() error { return e.kind }
