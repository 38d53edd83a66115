package exchange

import (
	"cmp"
	"fmt"
	"strings"
)

// ComplaintError is what is wrong with an answer: exactly, for the model, and in one word,
// for the operator, since the exact words may quote a user.
type ComplaintError struct {
	Kind string
	Text string
}

func (c *ComplaintError) Error() string { return c.Kind }

// Complain makes a [ComplaintError].
func Complain(kind, format string, args ...any) error {
	return &ComplaintError{kind, fmt.Sprintf(format, args...)}
}

// The kinds of complaints that several jobs know.
const (
	EmptyAnswer     = "empty"
	cutOffAnswer    = "cut off"
	NotJSON         = "no JSON"
	WrongShape      = "wrong shape"
	UnknownResource = "unknown resource"
	MissingPart     = "missing part"
)

// AnswerError is an answer that could not be used, and neither could the one after the
// complaint.
type AnswerError struct {
	Job string
	// Kind says in a word or two what was wrong with it.
	Kind string
}

func (e *AnswerError) Error() string {
	return fmt.Sprintf("the model's answer to the job %s could not be used: %s", e.Job, e.Kind)
}

// Faults collects all that is wrong with an answer, so that one repair puts it right.
type Faults struct {
	kind  string
	texts []string
}

// The kinds of complaints about answers that name what they speak of by numbers.
const (
	UnknownNumber = "unknown number"
	OutOfRange    = "out of range"
	GivenTwice    = "given twice"
	NotOffered    = "not offered"
)

// Addf adds one.
func (f *Faults) Addf(kind, format string, args ...any) {
	f.kind = cmp.Or(f.kind, kind)
	f.texts = append(f.texts, fmt.Sprintf(format, args...))
}

// faultsTold is how many of them are told at once.
const faultsTold = 12

// Err is the complaint about them; nil where there are none.
func (f *Faults) Err() error {
	if len(f.texts) == 0 {
		return nil
	}
	return Complain(f.kind, "%s", strings.Join(f.texts[:min(faultsTold, len(f.texts))], " "))
}
