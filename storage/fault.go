package storage

import "errors"

// What a storage's errors are, for those who decide by it. Errors that are none of these
// are of no kind that a caller can do anything about.
var (
	// ErrNotFound tells that there is no such blob or value: asking again will not help.
	ErrNotFound = errors.New("nothing is kept under this key")
	// ErrKey tells that a key can never name what is asked for.
	ErrKey = errors.New("not a key")
	// ErrTooLarge tells that a value or a hint has more bytes than one may.
	ErrTooLarge = errors.New("too large")
	// ErrNoLinks tells that the storage was not set up to give links: send the content.
	ErrNoLinks = errors.New("the storage is not set up to give links")

	// ErrUnreachable tells that the server cannot be reached, does not answer, or is not
	// ready: try again later.
	ErrUnreachable = errors.New("the storage does not answer")
	// ErrFull tells that there is no room left: try again when whoever runs the storage
	// has made some.
	ErrFull = errors.New("the storage is full")
	// ErrRefused tells that there are no credentials, or they are wrong, or do not
	// suffice. Whoever runs the program must act.
	ErrRefused = errors.New("the storage refuses the credentials")
	// ErrNoBucket tells that the bucket is not there. Whoever runs the program must act.
	ErrNoBucket = errors.New("there is no such bucket")
	// ErrUnfit tells that the storage is reached but not set up for what is promised
	// here. Whoever runs the program must act.
	ErrUnfit = errors.New("the storage is not fit for this")
)

// Fault is an error with two faces: a sentence for who runs the program, and the detail
// for the log. A make gives one where it is set up or checked.
type Fault struct { //nolint:errname // a Fault is more than an error: what people are told
	// Sentence says what was wrong and what to do. It holds no secret.
	Sentence string
	// Kind is one of the errors above, or nil where a setting is wrong.
	Kind error
	// Err is the detail; it may be nil.
	Err error
}

func (f *Fault) Error() string {
	if f.Err != nil {
		return f.Sentence + ": " + f.Err.Error()
	}
	return f.Sentence
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
