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

// question is what a server is asked.
type question struct {
	inputs     any // a file, a text, or several by name
	parameters map[string]any
}

// file is one as it is sent: in JSON it is in Base64.
type file struct {
	content []byte
	mime    string
}

// MarshalJSON writes the content in Base64.
func (f file) MarshalJSON() ([]byte, error) {
	return json.Marshal(f.content) //nolint:wrapcheck // bytes are always written
}

// body is the question as it goes over the wire.
func (q question) body() (content []byte, kind string, err error) {
	if f, ok := q.inputs.(file); ok && len(q.parameters) == 0 {
		return f.content, f.mime, nil
	}
	content, err = json.Marshal(struct {
		Inputs     any            `json:"inputs"`
		Parameters map[string]any `json:"parameters,omitempty"`
	}{q.inputs, q.parameters})
	if err != nil {
		return nil, "", fmt.Errorf("write the question: %w", err)
	}
	return content, "application/json", nil
}

// answer is what a server made of a question.
type answer struct {
	header http.Header
	body   []byte
	// fetch gets what the answer names by its address on the same server.
	fetch func(ctx context.Context, address string) (answer, error)
}

// kind is the media type of the answer, "" if it is not told.
func (a answer) kind() string {
	t, _, err := mime.ParseMediaType(a.header.Get("Content-Type"))
	if err != nil {
		return ""
	}
	return t
}

const (
	// maxPause is the longest between two questions of how far a server is, and minPause
	// the shortest.
	maxPause = 10 * time.Second
	minPause = 500 * time.Millisecond
	// maxPauses bounds all of them where the call has no end of its own.
	maxPauses = time.Hour
)

// pauses are the waits of one call.
type pauses struct {
	backend *Backend
	last    time.Duration
	sum     time.Duration
}

// next waits, longer each time, and at least as long as the server wants, up to maxPause.
// It fails at once where the wait, or what the server expects to need, outlasts the call.
func (p *pauses) next(ctx context.Context, wanted, expected time.Duration) error {
	p.last = min(max(p.last+p.last/2, minPause), maxPause)
	wait := min(max(p.last, wanted), maxPause)
	p.sum += wait
	if deadline, ok := ctx.Deadline(); ok && time.Until(deadline) < max(wait, expected) || p.sum > maxPauses {
		return errTooLong
	}
	return p.backend.config.Wait(ctx, wait)
}

var errTooLong = errors.New("it would take longer than the call may")

// send asks, waits for a model that is being loaded and for a long job, and gives the
// answer.
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
				return answer{}, b.sorted(err, r.model)
			}
			continue
		}
		if err != nil {
			return answer{}, b.sorted(err, r.model)
		}
		if response.Status == http.StatusAccepted {
			return b.await(ctx, r, t, header, response, pause)
		}
		return b.answered(response)
	}
}

// expected is how long a server expects to need.
func expected(err error) time.Duration {
	if e, ok := errors.AsType[*endpoint.Error](err); ok {
		return e.After
	}
	return 0
}

const (
	// maxWordsBody is the most bytes of an answer that holds no file, and maxMasksBody of
	// one that spells out masks.
	maxWordsBody = 8 << 20
	maxMasksBody = 64 << 20
)

// most is the most bytes of an answer; 0 is as many as the endpoint takes.
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

// answered takes an answer, unless it says that there is none.
func (b *Backend) answered(response endpoint.Response) (answer, error) {
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

// failed is what a server says of its failure with a status of success: a text, or a code
// and a message. Neither is repeated but for a code that is a word.
func failed(said json.RawMessage) error {
	var e struct {
		Code string `json:"code"`
	}
	if json.Unmarshal(said, &e) == nil && strings.HasPrefix(e.Code, "invalid") {
		return fault(errors.New("the input is refused"), "The tool server rejected this input; please try another one.")
	}
	return fault(errors.New("the server tells of an error"), "The model failed at this; please try again, or with another input.")
}

// fetch gets what an answer names by its address.
func (b *Backend) fetch(ctx context.Context, address string) (answer, error) {
	response, err := b.config.Endpoint.Do(ctx, endpoint.Request{Address: address, Plainly: true})
	if err != nil {
		return answer{}, down(err, "The tool server did not send the result, only a link to it.")
	}
	return b.answered(response)
}
