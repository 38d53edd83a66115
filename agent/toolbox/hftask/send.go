package hftask

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"mime"
	"net/http"
	"strings"
	"time"

	"atelier/agent/endpoint"
)

// question is a request to a server.
type question struct {
	inputs     any // a file, a text, or several by name
	parameters map[string]any
	progress   func(share float64, preview []byte) // nil if nobody asks
}

// file is a file to send; in JSON it is encoded as Base64.
type file struct {
	content []byte
	mime    string
}

// MarshalJSON writes the content in Base64.
func (f file) MarshalJSON() ([]byte, error) {
	return json.Marshal(f.content) //nolint:wrapcheck // encoding bytes never fails
}

// body returns the request body and its media type: the bytes of a single file, or JSON.
func (q question) body() (content []byte, kind string, err error) {
	if f, ok := q.inputs.(file); ok && len(q.parameters) == 0 {
		return f.content, f.mime, nil
	}
	content, err = json.Marshal(struct {
		Inputs     any            `json:"inputs"`
		Parameters map[string]any `json:"parameters,omitempty"`
	}{q.inputs, q.parameters})
	if err != nil {
		return nil, "", fmt.Errorf("encode the request: %w", err)
	}
	return content, "application/json", nil
}

// answer is a server's response.
type answer struct {
	header http.Header
	body   []byte
	// fetch downloads a file that the answer links to, from the same server only.
	fetch func(ctx context.Context, address string) (answer, error)
}

// kind returns the media type of the answer, "" if there is none.
func (a answer) kind() string {
	t, _, err := mime.ParseMediaType(a.header.Get("Content-Type"))
	if err != nil {
		return ""
	}
	return t
}

const (
	// maxPause and minPause are the longest and the shortest wait between two polls.
	maxPause = 10 * time.Second
	minPause = 500 * time.Millisecond
	// maxPauses is the limit for all waits of a call without a deadline.
	maxPauses = time.Hour
)

// pauses is the backoff of one call.
type pauses struct {
	backend *Backend
	last    time.Duration
	sum     time.Duration
}

// next waits, longer each time, and at least as long as the server asks, up to maxPause. It fails at once if
// the wait, or the time that the server expects to need, exceeds the deadline.
func (p *pauses) next(ctx context.Context, wanted, expected time.Duration) error {
	p.last = min(max(p.last+p.last/2, minPause), maxPause)
	wait := min(max(p.last, wanted), maxPause)
	p.sum += wait
	if deadline, ok := ctx.Deadline(); ok && time.Until(deadline) < max(wait, expected) || p.sum > maxPauses {
		return errTooLong
	}
	return p.backend.config.Wait(ctx, wait)
}

var errTooLong = errors.New("the wait would exceed the call's deadline")

// send sends the request, waits while a model is loading or a long job is running, and returns the answer.
func (b *Backend) send(ctx context.Context, r route, t task, q question) (answer, error) {
	body, kind, err := q.body()
	if r.path == chatPath {
		body, err = q.chat(r.model)
	}
	if err != nil {
		return answer{}, err
	}
	header := http.Header{"Content-Type": {kind}, "Accept": {accepted(t)}}
	if b.config.Hub != nil && b.config.Hub.BillTo != "" {
		header.Set("X-Hf-Bill-To", b.config.Hub.BillTo)
	}
	pause := &pauses{backend: b}
	for {
		response, err := b.config.Endpoint.Do(ctx, endpoint.Request{
			Method: http.MethodPost, Path: r.path, Header: header, Body: body, Model: r.model, Plainly: true, Work: true, Waits: true, MaxBody: t.most(),
		})
		if endpoint.Loading(err) {
			if wait := pause.next(ctx, 0, expected(err)); wait != nil {
				return answer{}, b.asFault(err, r.model)
			}
			continue
		}
		if err != nil {
			return answer{}, b.asFault(err, r.model)
		}
		if response.Status == http.StatusAccepted {
			return b.await(ctx, r, t, header, response, pause, q.progress)
		}
		return b.checkResponse(response)
	}
}

// expected returns how long the server expects to need, 0 if unknown.
func expected(err error) time.Duration {
	if e, ok := errors.AsType[*endpoint.Error](err); ok {
		return e.After
	}
	return 0
}

const (
	// maxWordsBody is the largest answer without files, in bytes, and maxMasksBody the largest with masks.
	maxWordsBody = 8 << 20
	maxMasksBody = 64 << 20
)

// most returns the largest answer to the task in bytes; 0 means the endpoint's limit.
func (t task) most() int64 {
	switch {
	case t.accept != "":
		return 0
	case t.masks:
		return maxMasksBody
	}
	return maxWordsBody
}

func accepted(t task) string {
	if t.accept == "" {
		return "application/json"
	}
	return t.accept
}

// checkResponse returns the answer in a response. It fails if the body is empty or reports an error.
func (b *Backend) checkResponse(response endpoint.Response) (answer, error) {
	a := answer{header: response.Header, body: response.Body, fetch: b.fetch}
	if len(a.body) == 0 {
		return answer{}, down(fmt.Errorf("status %d without a body", response.Status), "The tool server sent an empty answer.")
	}
	if strings.Contains(a.kind(), "json") {
		var said struct {
			Error json.RawMessage `json:"error"`
		}
		if json.Unmarshal(a.body, &said) == nil && len(said.Error) > 0 && string(said.Error) != "null" {
			return answer{}, failed(said.Error)
		}
	}
	return a, nil
}

// failed returns the fault of an error that a server reports with a success status, as a text or as {code,
// message}. The server's words are not repeated.
func failed(said json.RawMessage) error {
	var e struct {
		Code string `json:"code"`
	}
	if json.Unmarshal(said, &e) == nil && strings.HasPrefix(e.Code, "invalid") {
		return fault(errors.New("the server rejects the input"), "The tool server rejected this input; please try another one.")
	}
	return fault(errors.New("the answer reports an error"), "The model failed on this; please try again, or try another input.")
}

// fetch downloads what an answer links to.
func (b *Backend) fetch(ctx context.Context, address string) (answer, error) {
	response, err := b.config.Endpoint.Do(ctx, endpoint.Request{Address: address, Plainly: true})
	if err != nil {
		return answer{}, down(err, "The tool server did not send the result, only a link to it.")
	}
	return b.checkResponse(response)
}
