package slacktest

import (
	"io"
	"math"
	"net/http"
	"slices"
	"strconv"
	"time"
)

// Faults make calls of the Web API fail. The uploads and downloads of bytes are the methods
// "upload" and "download".
type Faults struct {
	*shared
	coming []*fault
	stalls []*stall
}

// Failure is how a call fails.
type Failure struct {
	// Status is the HTTP status; 0 is 200 for an Error and 500 otherwise.
	Status int
	// Error is the code in {"ok":false,"error":…}; "" answers with an HTML page.
	Error string
	// Messages are what Slack adds to an Error.
	Messages []string

	retryAfter time.Duration
}

// fault fails the next calls of one method, or of any.
type fault struct {
	method  string
	left    int
	lose    bool
	failure Failure
}

// stall holds the calls of one method, or of any.
type stall struct {
	method  string
	release chan struct{}
}

// RateLimit makes the next n calls of method fail with 429 and Retry-After of retryAfter,
// rounded up to seconds. method may be "" for any.
func (f *Faults) RateLimit(method string, n int, retryAfter time.Duration) {
	f.add(fault{method: method, left: n, failure: limited(retryAfter)})
}

// FailNext makes the next n calls of method ("" for any) fail; nothing is done.
func (f *Faults) FailNext(method string, n int, failure Failure) {
	if failure.Status == 0 {
		failure.Status = http.StatusInternalServerError
		if failure.Error != "" {
			failure.Status = http.StatusOK
		}
	}
	f.add(fault{method: method, left: n, failure: failure})
}

// LoseAnswers does what the next n calls of method ("" for any) ask, and breaks their
// connection before the answer.
func (f *Faults) LoseAnswers(method string, n int) {
	f.add(fault{method: method, left: n, lose: true})
}

// Stall holds calls of method ("" for any) until release is called or the server closes.
// Then they go on.
func (f *Faults) Stall(method string) (release func()) {
	st := &stall{method: method, release: make(chan struct{})}
	f.change(func() { f.stalls = append(f.stalls, st) })
	return func() {
		f.change(func() {
			if i := slices.Index(f.stalls, st); i >= 0 {
				f.stalls = slices.Delete(f.stalls, i, i+1)
				close(st.release)
			}
		})
	}
}

// Coming reports whether faults are still to come.
func (f *Faults) Coming() (coming bool) {
	f.read(func() { coming = len(f.coming) > 0 })
	return coming
}

// add is called without the lock.
func (f *Faults) add(one fault) {
	f.change(func() {
		if one.left > 0 {
			f.coming = append(f.coming, &one)
		}
	})
}

// befall takes the next fault of a method, and waits while it is stalled. ok is false if the
// client or the server ended meanwhile. It is called without the lock.
func (f *Faults) befall(r *http.Request, method string) (failed *Failure, lose, ok bool) {
	var release chan struct{}
	f.read(func() {
		for _, s := range f.stalls {
			if s.method == "" || s.method == method {
				release = s.release
			}
		}
		failed, lose = f.take(method)
	})
	if release != nil {
		select {
		case <-release:
		case <-r.Context().Done():
			return nil, false, false
		case <-f.done:
			return nil, false, false
		}
	}
	return failed, lose, true
}

func (f *Faults) take(method string) (failed *Failure, lose bool) {
	for i, one := range f.coming {
		if one.method != "" && one.method != method {
			continue
		}
		if one.left--; one.left == 0 {
			f.coming = slices.Delete(f.coming, i, i+1)
		}
		if one.lose {
			return nil, true
		}
		return &one.failure, false
	}
	return nil, false
}

// limited returns the answer to a call above the rate limit.
func limited(retryAfter time.Duration) Failure {
	return Failure{Status: http.StatusTooManyRequests, Error: "ratelimited", retryAfter: retryAfter}
}

// write answers with the failure.
func (f *Failure) write(w http.ResponseWriter) {
	if f.Status == http.StatusTooManyRequests {
		w.Header().Set("Retry-After", strconv.Itoa(int(math.Ceil(f.retryAfter.Seconds()))))
	}
	if f.Error == "" {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		w.WriteHeader(f.Status)
		_, _ = io.WriteString(w, "<!DOCTYPE html><html><title>Slack</title><h1>Something went wrong.</h1></html>") //nolint:errcheck // the client has gone
		return
	}
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.WriteHeader(f.Status)
	answer := object{"ok": false, "error": f.Error}
	if len(f.Messages) > 0 {
		answer["response_metadata"] = object{"messages": f.Messages}
	}
	_, _ = w.Write(encode(answer)) //nolint:errcheck // the client has gone
}
