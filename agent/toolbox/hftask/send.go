package hftask

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"image"
	"image/jpeg"
	"image/png"
	"io"
	"mime"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"atelier/agent/endpoint"
	"atelier/agent/plan"
	"atelier/agent/toolbox"
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

// cancelTimeout is the timeout for cancelling a job.
const cancelTimeout = 3 * time.Second

// longJob is the status of a job as the server reports it.
type longJob struct {
	ID            string          `json:"id"`
	Status        string          `json:"status"`
	Progress      float64         `json:"progress"` // 0 to 1
	Preview       string          `json:"preview"`  // a small picture in Base64, our extension
	Error         json.RawMessage `json:"error"`
	Code          string          `json:"code"`           // of the error
	EstimatedTime float64         `json:"estimated_time"` // seconds from now on
}

// await waits for a long job and returns its result. It cancels the job if the call ends first.
func (b *Backend) await(
	ctx context.Context, r route, t task, header http.Header, accepted endpoint.Response, pause *pauses, progress func(float64, []byte),
) (answer, error) {
	at, err := placeOf(accepted)
	if err != nil {
		return answer{}, err
	}
	a, err := b.watch(ctx, r, t, header, at, accepted, pause, progress)
	if err != nil && !errors.Is(err, errJobOver) {
		// A failed cancellation changes nothing: the server ends the job eventually.
		off, cancel := context.WithTimeout(context.WithoutCancel(ctx), cancelTimeout)
		defer cancel()
		end := at.request(r.model)
		end.Method = http.MethodDelete
		_, _ = b.config.Endpoint.Do(off, end) //nolint:errcheck // see above
	}
	return a, err
}

// place is where a job is polled: an address on the server, or a path below its base URL.
type place struct{ address, path string }

func (p place) request(model string) endpoint.Request {
	return endpoint.Request{Address: p.address, Path: p.path, Model: model, Plainly: true, MaxBody: maxInfoBody}
}

// result returns the place of the job's result.
func (p place) result() place {
	if p.address == "" {
		return place{path: p.path + "/result"}
	}
	return place{address: below(p.address, "result")}
}

// placeOf returns where to poll an accepted job. A Location header is resolved against the address of the
// request (RFC 9110, section 10.2.2).
func placeOf(accepted endpoint.Response) (place, error) {
	if to := accepted.Header.Get("Location"); to != "" {
		asked, err := url.Parse(accepted.Address)
		if err == nil {
			asked, err = asked.Parse(to)
		}
		if err != nil {
			return place{}, unreadable(errors.New("the Location of a job is not a valid address"))
		}
		return place{address: asked.String()}, nil
	}
	var j longJob
	if err := json.Unmarshal(accepted.Body, &j); err != nil || j.ID == "" {
		return place{}, unreadable(errors.New("a job was accepted without a Location or an ID"))
	}
	return place{path: "/jobs/" + url.PathEscape(j.ID)}, nil
}

// errJobOver marks the error of a job that has ended and needs no cancelling.
var errJobOver = errors.New("the job has ended")

// watch polls the job until it is done, telling its progress, and returns its result.
func (b *Backend) watch(
	ctx context.Context, r route, t task, header http.Header, at place, last endpoint.Response, pause *pauses, progress func(float64, []byte),
) (answer, error) {
	for {
		j, err := readJob(last.Body)
		if err != nil {
			return answer{}, err
		}
		switch j.Status {
		case "done":
			result := at.result().request(r.model)
			result.Header, result.MaxBody = header.Clone(), t.most()
			result.Header.Del("Content-Type")
			response, err := b.config.Endpoint.Do(ctx, result)
			if err != nil {
				return answer{}, b.pollFault(err, r.model)
			}
			return b.checkResponse(response)
		case "failed":
			code := jobCode(j.Error)
			err := cmp.Or(b.byCode(code, fmt.Errorf("the job failed: %q", code), r.model), failed(j.Error))
			return answer{}, &plan.Fault{Sentence: plan.Sentence(err, plan.Message{}), Err: wrapAs(errJobOver, err)}
		case "cancelled":
			return answer{}, down(errJobOver, "The tool server cancelled the job.")
		case "queued", "running":
		default:
			return answer{}, unreadable(fmt.Errorf("a job has an unknown status of %d bytes", len(j.Status)))
		}
		if progress != nil {
			progress(j.Progress, previewIn(j.Preview))
		}
		if err := pause.next(ctx, wanted(last.Header), time.Duration(min(max(j.EstimatedTime, 0), 1e6)*float64(time.Second))); err != nil {
			if errors.Is(err, errTooLong) {
				return answer{}, &plan.Fault{
					Sentence: plan.Say("The tool server needs more time for this than is allowed."), Err: wrapAs(toolbox.ErrLoading, err),
				}
			}
			return answer{}, err
		}
		if last, err = b.config.Endpoint.Do(ctx, at.request(r.model)); err != nil {
			return answer{}, b.pollFault(err, r.model)
		}
	}
}

// maxPreviewSide is the maximum side of a preview, in pixels.
const maxPreviewSide = 1024

// previewIn returns the preview in the status of a job; nil if there is none, or it is too large or no PNG or JPEG. A
// job does not fail for its preview.
func previewIn(encoded string) []byte {
	if encoded == "" || len(encoded) > 2*toolbox.MaxPreview {
		return nil
	}
	content, err := decodeBase64(encoded)
	if err != nil || len(content) > toolbox.MaxPreview {
		return nil
	}
	read := map[string]func(io.Reader) (image.Config, error){"image/png": png.DecodeConfig, "image/jpeg": jpeg.DecodeConfig}[http.DetectContentType(content)]
	if read == nil {
		return nil
	}
	if size, err := read(bytes.NewReader(content)); err != nil || max(size.Width, size.Height) > maxPreviewSide {
		return nil
	}
	return content
}

// jobCode returns the error code of a failed job, "" if there is none.
func jobCode(said json.RawMessage) string {
	var e struct {
		Code string `json:"code"`
	}
	if json.Unmarshal(said, &e) != nil {
		return "" // an error in another form
	}
	return e.Code
}

// readJob reads the status of a job. An empty body means queued, since the answer that accepts a job may
// have none.
func readJob(body []byte) (longJob, error) {
	j := longJob{Status: "queued"}
	if len(body) == 0 {
		return j, nil
	}
	if err := json.Unmarshal(body, &j); err != nil {
		return longJob{}, unreadable(errors.New("the status of a job is not valid JSON"))
	}
	return j, nil
}

// pollFault turns the error of a poll into a fault.
func (b *Backend) pollFault(err error, model string) error {
	if endpoint.KindOf(err) == endpoint.ModelUnknown {
		return down(err, "The tool server lost the job, perhaps because it was restarted; please try again.")
	}
	return b.asFault(err, model)
}

// below appends a path segment to an address, before its query.
func below(address, name string) string {
	path, query, _ := strings.Cut(address, "?")
	path = strings.TrimRight(path, "/") + "/" + name
	if query != "" {
		path += "?" + query
	}
	return path
}

// wanted returns the delay in the Retry-After header, at most maxPause; 0 if there is none.
func wanted(h http.Header) time.Duration {
	seconds, err := strconv.ParseFloat(h.Get("Retry-After"), 64)
	if err != nil || !(seconds > 0) {
		return 0
	}
	return time.Duration(min(seconds, maxPause.Seconds()) * float64(time.Second))
}
