package point

import (
	"errors"
	"net/http"

	"atelier/adapters"
)

// problem is the reason why a request is not served, in a sentence for people.
type problem struct {
	status int
	format string
	args   []any
	err    error // the detail, for the log; may be nil
}

// The statuses of problems.
const (
	badRequest   = http.StatusBadRequest
	tooSlow      = http.StatusRequestTimeout
	tooLarge     = http.StatusRequestEntityTooLarge
	notFound     = http.StatusNotFound
	gone         = http.StatusGone
	tooMany      = http.StatusTooManyRequests
	notNow       = http.StatusServiceUnavailable
	notSupported = http.StatusUnsupportedMediaType
)

func problemf(status int, format string, args ...any) *problem {
	return &problem{status: status, format: format, args: args}
}

func (p *problem) Error() string {
	if p.err != nil {
		return p.format + ": " + p.err.Error()
	}
	return p.format
}

func (p *problem) Unwrap() error { return p.err }

// Phrase returns the sentence, for the catalogue of messages.
func (p *problem) Phrase() (format string, args []any) { return p.format, p.args }

// problemOf converts an error to a problem for people.
func problemOf(err error) *problem {
	p, ok := errors.AsType[*problem](err)
	switch {
	case ok:
		return p
	case errors.Is(err, ErrForged):
		p = problemf(notFound, forgedSentence)
	case errors.Is(err, ErrExpired):
		p = problemf(gone, expiredSentence)
	case errors.Is(err, adapters.ErrGone):
		p = problemf(gone, goneSentence)
	default:
		p = problemf(notNow, "Something went wrong. Try again in a minute.")
	}
	p.err = err
	return p
}
