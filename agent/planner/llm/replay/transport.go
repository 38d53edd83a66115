package replay

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"

	"atelier/agent/endpoint"
)

// labelOf parses the label of a call; false if it does not contain a request, a job and a round.
func labelOf(req *http.Request) (request, job string, round int, ok bool) {
	request, job, round, ok = endpoint.ParseLabel(req.Header.Get(endpoint.LabelHeader))
	return request, job, round, ok && request != "" && job != "" && round >= 0
}

// Replay answers chat completions from the recordings, without network access. Other calls, and
// those that are not recorded, get a 404 with the error code [NotRecorded].
func (r *Recordings) Replay() http.RoundTripper { return player{r} }

type player struct{ recordings *Recordings }

// RoundTrip answers one call.
func (p player) RoundTrip(req *http.Request) (*http.Response, error) {
	asked, err := readBody(req)
	if err != nil {
		return nil, err
	}
	if err := req.Context().Err(); err != nil {
		return nil, err
	}
	request, job, round, ok := labelOf(req)
	switch {
	case !isChat(req):
		return notRecorded(req, "only chat completions are recorded"), nil
	case !ok:
		return notRecorded(req, "the call has no label with its request, job and round"), nil
	}
	e, ok := p.recordings.Answer(request, job, round)
	if !ok {
		return notRecorded(req, fmt.Sprintf("nothing is recorded for the request %q, job %s, round %d", request, job, round)), nil
	}
	if q, err := parseQuestion(asked); err != nil || q.hash() != e.Messages {
		p.recordings.mark(request, job, round)
	}
	return respond(req, http.StatusOK, e.Body()), nil
}

// Record forwards calls and records the answers of labelled chat completions. If an answer cannot
// be written, the call fails, and so do all later ones, before they are forwarded, since an
// unrecorded run is not worth its price.
func (r *Recordings) Record(next http.RoundTripper) http.RoundTripper {
	return recorder{r, next}
}

type recorder struct {
	recordings *Recordings
	next       http.RoundTripper
}

// RoundTrip forwards one call.
//
//nolint:wrapcheck // errors of the next transport are returned unchanged
func (c recorder) RoundTrip(req *http.Request) (*http.Response, error) {
	request, job, round, ok := labelOf(req)
	if !ok || !isChat(req) {
		return c.next.RoundTrip(req)
	}
	asked, err := readBody(req)
	if err != nil {
		return nil, err
	}
	if err := c.recordings.failure(); err != nil {
		return nil, err
	}
	passed := req.Clone(req.Context())
	passed.Body = io.NopCloser(bytes.NewReader(asked))
	passed.ContentLength = int64(len(asked))
	res, err := c.next.RoundTrip(passed)
	if err != nil || res.StatusCode != http.StatusOK {
		return res, err
	}
	answered, whole := peek(res)
	if !whole {
		return res, nil
	}
	if err := c.recordings.Keep(request, job, round, asked, answered); err != nil {
		return nil, errors.Join(err, res.Body.Close())
	}
	return res, nil
}
