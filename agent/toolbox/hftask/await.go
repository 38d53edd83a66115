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
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"atelier/agent/endpoint"
	"atelier/agent/plan"
	"atelier/agent/toolbox"
)

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
