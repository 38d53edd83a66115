package exchange

import (
	"cmp"
	"fmt"
	"strings"
)

// ComplaintError says what is wrong with an answer: in full for the model, and in one word for the
// operator, because the full text may quote a user.
type ComplaintError struct {
	Kind string
	Text string
}

func (c *ComplaintError) Error() string { return c.Kind }

// Complain makes a [ComplaintError].
func Complain(kind, format string, args ...any) error {
	return &ComplaintError{kind, fmt.Sprintf(format, args...)}
}

// The kinds of complaints that several jobs share.
const (
	EmptyAnswer     = "empty"
	cutOffAnswer    = "cut off"
	NotJSON         = "no JSON"
	WrongShape      = "wrong shape"
	UnknownResource = "unknown resource"
	MissingPart     = "missing part"
)

// AnswerError reports that neither the answer nor its repair could be used.
type AnswerError struct {
	Job string
	// Kind says in a word or two what was wrong with it.
	Kind string
}

func (e *AnswerError) Error() string {
	return fmt.Sprintf("the model's answer to the job %s could not be used: %s", e.Job, e.Kind)
}

// Faults collects everything that is wrong with an answer, so that one repair can fix it all.
type Faults struct {
	kind  string
	texts []string
}

// The kinds of complaints about answers that refer to things by number.
const (
	UnknownNumber = "unknown number"
	OutOfRange    = "out of range"
	GivenTwice    = "given twice"
	NotOffered    = "not offered"
)

// Addf adds a fault.
func (f *Faults) Addf(kind, format string, args ...any) {
	f.kind = cmp.Or(f.kind, kind)
	f.texts = append(f.texts, fmt.Sprintf(format, args...))
}

// faultsTold is how many faults one complaint lists.
const faultsTold = 12

// Err returns the complaint about them, or nil if there are none.
func (f *Faults) Err() error {
	if len(f.texts) == 0 {
		return nil
	}
	return Complain(f.kind, "%s", strings.Join(f.texts[:min(faultsTold, len(f.texts))], " "))
}
