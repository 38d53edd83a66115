// Package fault provides the errors of commands, and sentences about errors for people.
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

// SettingsSeparator separates the sentences about wrong settings.
const SettingsSeparator = "\n     "

// Messages returns the messages of joined errors.
func Messages(err error) []string {
	joined, ok := err.(interface{ Unwrap() []error })
	if !ok {
		return []string{err.Error()}
	}
	var all []string
	for _, e := range joined.Unwrap() {
		all = append(all, Messages(e)...)
	}
	return all
}

// PartSentence returns the sentence about a part that does not work. It contains no secret.
func PartSentence(err error) string {
	if f, ok := errors.AsType[*storage.Fault](err); ok {
		return f.Sentence
	}
	if f, ok := errors.AsType[*adapters.Fault](err); ok {
		return f.Text()
	}
	if errors.Is(err, context.DeadlineExceeded) {
		return "It does not answer in time."
	}
	return plan.OperatorSentence(err, plan.Quote("It does not work; the log says more.")).String()
}

// SentenceOr returns the sentence of an error, or the fallback.
func SentenceOr(err error, fallback string) string {
	if f, ok := errors.AsType[*storage.Fault](err); ok {
		fallback = f.Sentence
	}
	return plan.OperatorSentence(err, plan.Quote(fallback)).String()
}

// Usage is an error in the command line or the settings. The sentence should say what is expected.
func Usage(format string, args ...any) error {
	return &UsageError{fmt.Sprintf(format, args...)}
}

// UsageError is an error in the command line or the settings.
type UsageError struct{ Sentence string }

func (e *UsageError) Error() string { return e.Sentence }

// Sentence returns the sentence about an error for people.
func Sentence(err error) string {
	switch {
	case errors.Is(err, context.Canceled):
		return "It was stopped."
	case errors.Is(err, fs.ErrPermission):
		return plan.OperatorSentence(err, plan.Quote("It is not permitted: "+err.Error())).String()
	}
	return plan.OperatorSentence(err, plan.Quote(strings.TrimSpace(err.Error()))).String()
}

// Innermost returns the message of the innermost error.
func Innermost(err error) string {
	for inner := errors.Unwrap(err); inner != nil; inner = errors.Unwrap(err) {
		err = inner
	}
	return err.Error()
}

// NoScratch is the error for a folder in which temporary files cannot be written.
func NoScratch(err error) error {
	return &plan.Fault{
		Sentence: plan.Quote(fmt.Sprintf("Temporary files cannot be written: %s. The system's temporary folder must exist and have free space.", Reason(err))),
		// name the folder to the operator; the colon marks it as not being a person's file
		Err: fmt.Errorf("TMPDIR:%s: %w", os.TempDir(), err),
	}
}

// Reason returns the message of an error without its path.
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
