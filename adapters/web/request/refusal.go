package request

import (
	"errors"
	"fmt"
	"net/http"
	"time"

	"atelier/adapters"
)

// Refusals of several packages.
var (
	// ErrUnknown is for what does not exist (any more).
	ErrUnknown = Refuse(http.StatusNotFound, "This does not exist, or was deleted.")
	// ErrUnreadable is for what no page of this version sends.
	ErrUnreadable = Refuse(http.StatusBadRequest, "The browser sent something that the server does not understand. Reload the page.")
	// ErrThreadFull is for a thread that is too long.
	ErrThreadFull = Refuse(http.StatusConflict, "This thread is full. Start a new one.")
)

// Refusal is why a request is not served, in a sentence for people.
type Refusal struct { //nolint:errname // it is also what people are told
	Status int
	format string // a sentence of the catalogue
	args   []any
	After  time.Duration // when to retry, if known
	Ends   bool          // the rest of the body is not read
}

// Refuse returns a refusal with an HTTP status.
func Refuse(status int, format string, args ...any) *Refusal {
	if false {
		_ = fmt.Sprintf(format, args...) // so that go vet checks the callers
	}
	return &Refusal{Status: status, format: format, args: args}
}

func (r *Refusal) Error() string { return "refused: " + http.StatusText(r.Status) }

// Phrase returns the sentence, for the catalogue of messages.
func (r *Refusal) Phrase() (format string, args []any) { return r.format, r.args }

// RefusalOf returns what people are told of an error. It returns fault true if the error is to be logged.
func RefusalOf(err error) (r *Refusal, fault bool) {
	if r, ok := errors.AsType[*Refusal](err); ok {
		return r, false
	}
	_, large := errors.AsType[*http.MaxBytesError](err)
	switch {
	case large, errors.Is(err, adapters.ErrTooLarge):
		return Refuse(http.StatusRequestEntityTooLarge, "This is too much for one message. Send less."), false
	case errors.Is(err, adapters.ErrGone):
		return ErrUnknown, false
	}
	r = Refuse(http.StatusServiceUnavailable, "Something went wrong. Try again in a moment.")
	r.After = 5 * time.Second
	return r, true
}
