package web

import (
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"time"

	"atelier/adapters"
)

// refusal is why a request is not done, for who made it.
type refusal struct {
	status int
	format string // a sentence of the catalogue
	args   []any
	after  time.Duration // when to try again, where that is known
	ends   bool          // the rest of what is sent is not read
}

func refuse(status int, format string, args ...any) *refusal {
	if false {
		_ = fmt.Sprintf(format, args...) // so that go vet checks those who call
	}
	return &refusal{status: status, format: format, args: args}
}

func (r *refusal) Error() string { return "refused: " + http.StatusText(r.status) }

// Phrase is the sentence, for the catalogue.
func (r *refusal) Phrase() (format string, args []any) { return r.format, r.args }

// unknown is what is not there, or not any more.
func unknown() *refusal {
	return refuse(http.StatusNotFound, "This is not here (any more).")
}

// refusalOf is what people are told of an error; whole says that they cannot help it, and
// that it is for the log.
func refusalOf(err error) (r *refusal, fault bool) {
	if r, ok := errors.AsType[*refusal](err); ok {
		return r, false
	}
	if _, ok := errors.AsType[*http.MaxBytesError](err); ok {
		return refuse(http.StatusRequestEntityTooLarge, "This is too much for one message. Send less."), false
	}
	switch {
	case errors.Is(err, adapters.ErrGone):
		return unknown(), false
	case errors.Is(err, adapters.ErrTooLarge):
		return refuse(http.StatusRequestEntityTooLarge, "This is too much for one message. Send less."), false
	}
	r = refuse(http.StatusServiceUnavailable, "This did not work just now. Try again in a moment.")
	r.after = 5 * time.Second
	return r, true
}

// refused answers a request that is not done.
func (c *Channel) refused(w http.ResponseWriter, r *http.Request, err error) (status int, sentence string) {
	if r.Context().Err() != nil {
		return 0, "" // nobody waits any more
	}
	why, fault := refusalOf(err)
	if fault {
		c.log.ErrorContext(r.Context(), "a request of a browser failed", "route", r.Pattern, "error", forOperator(err))
	}
	if why.after > 0 {
		w.Header().Set("Retry-After", strconv.Itoa(int(max(why.after, time.Second)/time.Second)))
	}
	if why.ends {
		w.Header().Set("Connection", "close")
	}
	w.Header().Set("Cache-Control", "no-store")
	return why.status, c.pages.words.Tell(c.language(r), why)
}
