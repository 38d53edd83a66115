package adapters

import (
	"errors"
	"fmt"
	"time"
)

// What an adapter's errors are, for those who decide by it. An error that is none of these
// is a passing one: try again, at growing intervals.
var (
	// ErrRateLimited tells that the platform wants a pause: try again after [Wait].
	ErrRateLimited = errors.New("the platform wants a pause")
	// ErrGone tells that the channel, the thread, the message or the file is not there
	// any more: give up.
	ErrGone = errors.New("it is not there any more")
	// ErrForbidden tells that the bot may not do this there: give up. Whoever runs the
	// workspace must act.
	ErrForbidden = errors.New("the bot may not do this there")
	// ErrTooLarge tells that the platform does not take this much: give up.
	ErrTooLarge = errors.New("too large")
	// ErrTooMany tells that the platform does not take so many files with one reply: give up.
	ErrTooMany = errors.New("too many")
	// ErrInvalid tells that the event or reply is not what is promised here, or that the
	// platform refuses its content: give up, it is a fault of the program.
	ErrInvalid = errors.New("not valid")
	// ErrRefused tells that the platform does not take the token, or grants too little
	// with it. Whoever runs the program must act.
	ErrRefused = errors.New("the platform refuses the token")
)

// Fault is an error with two faces: a sentence for people, and the detail for the log.
type Fault struct { //nolint:errname // a Fault is more than an error: what people are told
	// Sentence says what was wrong and what to do, as a format of package fmt for Args, under
	// which it stands in the catalogue of fixed sentences. It holds no secret. Where Kind is
	// ErrForbidden or ErrRefused it is logged too, for whoever must act, and holds nothing
	// that people wrote.
	Sentence string
	Args     []any
	// Kind is one of the errors above, or nil for a passing fault.
	Kind error
	// After is how long to wait, where that is known.
	After time.Duration
	// Files are the files of a reply, by their index, that the platform does not take for this
	// reason. The rest of the reply may be sent: leave these out, or give links in their place,
	// and send again under the same key.
	Files []int
	// Limit is how many bytes of a file would be taken, or how many files, 0 if that is not known.
	Limit int64
	// Err is the detail, without token, signed address or what people wrote; it may be nil.
	Err error
}

// Told is the sentence in English.
func (f *Fault) Told() string { return fmt.Sprintf(f.Sentence, f.Args...) }

func (f *Fault) Error() string {
	if f.Err != nil {
		return f.Told() + ": " + f.Err.Error()
	}
	return f.Told()
}

// Unwrap gives what the fault is and what it came from.
func (f *Fault) Unwrap() []error {
	var all []error
	for _, err := range []error{f.Kind, f.Err} {
		if err != nil {
			all = append(all, err)
		}
	}
	return all
}

// Wait is how long an error asks to wait; 0 if it does not say.
func Wait(err error) time.Duration {
	if f, ok := errors.AsType[*Fault](err); ok {
		return f.After
	}
	return 0
}

// Final tells whether trying the same again cannot help.
func Final(err error) bool {
	for _, kind := range []error{ErrGone, ErrForbidden, ErrTooLarge, ErrTooMany, ErrInvalid, ErrRefused} {
		if errors.Is(err, kind) {
			return true
		}
	}
	return false
}

// ForOperator is what a log may hold of an error: nothing that people wrote.
func ForOperator(err error) string {
	if f, ok := errors.AsType[*Fault](err); ok {
		err = errors.Join(f.Unwrap()...)
	}
	if err == nil {
		return ""
	}
	return err.Error()
}
