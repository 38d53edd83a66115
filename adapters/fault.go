package adapters

import (
	"errors"
	"fmt"
	"time"
)

// The kinds of errors that adapters return, for callers to decide by. Any other error is
// temporary: retry with backoff.
var (
	// ErrRateLimited means that the platform limits the rate of calls: retry after [Wait].
	ErrRateLimited = errors.New("rate limited by the platform")
	// ErrGone means that the channel, thread, message or file no longer exists: give up.
	ErrGone = errors.New("no longer exists")
	// ErrForbidden means that the bot lacks a permission there: give up. The workspace's admins must act.
	ErrForbidden = errors.New("not permitted there")
	// ErrTooLarge means that the content is larger than the platform accepts: give up.
	ErrTooLarge = errors.New("too large")
	// ErrTooMany means that one reply has more files than the platform accepts: give up.
	ErrTooMany = errors.New("too many")
	// ErrInvalid means that the event or reply breaks the rules of this package, or that the platform rejects its
	// content: give up, it is a bug.
	ErrInvalid = errors.New("not valid")
	// ErrRefused means that the platform rejects the token, or that the token lacks a scope. The operator must
	// act.
	ErrRefused = errors.New("the platform rejected the token")
)

// Fault is an error with two faces: a sentence for people, and the detail for the log.
type Fault struct { //nolint:errname // it is also what people are told
	// Sentence says what was wrong and what to do. It is a fmt format for Args and a key of the catalogue of
	// messages. It holds no secret. If Kind is ErrForbidden or ErrRefused, it is also logged for the operator, and
	// then holds nothing that people wrote.
	Sentence string
	Args     []any
	// Kind is one of the errors above, or nil for a temporary fault.
	Kind error
	// After is how long to wait, if known.
	After time.Duration
	// Files are the indexes of the reply's files that the platform rejects for this reason. The rest of the reply
	// can still be sent: leave these files out, or replace them with links, and send again under the same key.
	Files []int
	// Limit is the accepted number of bytes per file, or of files; 0 if unknown.
	Limit int64
	// Err is the detail, without tokens, signed URLs or anything that people wrote; it may be nil.
	Err error
}

// Text returns the sentence in English.
func (f *Fault) Text() string { return fmt.Sprintf(f.Sentence, f.Args...) }

func (f *Fault) Error() string {
	if f.Err != nil {
		return f.Text() + ": " + f.Err.Error()
	}
	return f.Text()
}

// Unwrap returns the kind and the cause.
func (f *Fault) Unwrap() []error {
	var all []error
	for _, err := range []error{f.Kind, f.Err} {
		if err != nil {
			all = append(all, err)
		}
	}
	return all
}

// Wait returns how long an error asks to wait; 0 if it does not say.
func Wait(err error) time.Duration {
	if f, ok := errors.AsType[*Fault](err); ok {
		return f.After
	}
	return 0
}

// Final reports whether retrying cannot help.
func Final(err error) bool {
	for _, kind := range []error{ErrGone, ErrForbidden, ErrTooLarge, ErrTooMany, ErrInvalid, ErrRefused} {
		if errors.Is(err, kind) {
			return true
		}
	}
	return false
}

// ForOperator returns the part of an error that may be logged: nothing that people wrote.
func ForOperator(err error) string {
	if f, ok := errors.AsType[*Fault](err); ok {
		err = errors.Join(f.Unwrap()...)
	}
	if err == nil {
		return ""
	}
	return err.Error()
}
