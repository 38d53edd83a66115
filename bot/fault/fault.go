// Package fault has the errors of commands, and their sentences for people.
package fault

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"atelier/adapters"
	"atelier/agent/plan"
	"atelier/storage"
)

// WrongSettingsApart stands between the sentences about wrong settings.
const WrongSettingsApart = "\n     "

// OneByOne are the texts of the errors that were joined to one.
func OneByOne(err error) []string {
	joined, ok := err.(interface{ Unwrap() []error })
	if !ok {
		return []string{err.Error()}
	}
	var all []string
	for _, e := range joined.Unwrap() {
		all = append(all, OneByOne(e)...)
	}
	return all
}

// PartSentence is what is told of a part that does not work. It holds no secret.
func PartSentence(err error) string {
	if f, ok := errors.AsType[*storage.Fault](err); ok {
		return f.Sentence
	}
	if f, ok := errors.AsType[*adapters.Fault](err); ok {
		return f.Told()
	}
	if errors.Is(err, context.DeadlineExceeded) {
		return "It does not answer in time."
	}
	return plan.OperatorSentence(err, plan.Quote("It does not work; the log says more.")).String()
}

// Told is the sentence of an error, whoever's it is, or otherwise.
func Told(err error, otherwise string) string {
	if f, ok := errors.AsType[*storage.Fault](err); ok {
		otherwise = f.Sentence
	}
	return plan.OperatorSentence(err, plan.Quote(otherwise)).String()
}

// Usage is a fault of the command line or the configuration: the sentence says what is
// expected.
func Usage(format string, args ...any) error {
	return &UsageError{fmt.Sprintf(format, args...)}
}

// UsageError is a fault of the command line or the settings.
type UsageError struct{ Sentence string }

func (e *UsageError) Error() string { return e.Sentence }

// Sentence is what a person is told of an error.
func Sentence(err error) string {
	switch {
	case errors.Is(err, context.Canceled):
		return "It was stopped."
	case errors.Is(err, fs.ErrPermission):
		return plan.OperatorSentence(err, plan.Quote("It is not permitted: "+err.Error())).String()
	}
	return plan.OperatorSentence(err, plan.Quote(strings.TrimSpace(err.Error()))).String()
}

// Innermost is the innermost text of an error.
func Innermost(err error) string {
	for inner := errors.Unwrap(err); inner != nil; inner = errors.Unwrap(err) {
		err = inner
	}
	return err.Error()
}

// NoScratch is that temporary files cannot be written.
func NoScratch(err error) error {
	return &plan.Fault{
		Sentence: plan.Quote(fmt.Sprintf("Temporary files cannot be written: %s. The system's folder for them must be there and have room.", Reason(err))),
		// the operator must know which folder; a colon tells that it is no file of a person's
		Err: fmt.Errorf("TMPDIR:%s: %w", os.TempDir(), err),
	}
}

// Reason is the detail of an error without the path that it befell.
func Reason(err error) string {
	if p, ok := errors.AsType[*fs.PathError](err); ok {
		return p.Err.Error()
	}
	if l, ok := errors.AsType[*os.LinkError](err); ok { // two paths: from and to
		return l.Err.Error()
	}
	if f, ok := errors.AsType[*storage.Fault](err); ok {
		return strings.TrimSuffix(f.Sentence, ".")
	}
	return err.Error()
}
