package hftask

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"atelier/agent/endpoint"
	"atelier/agent/plan"
	"atelier/agent/toolbox"
)

// callOff is how long calling a job off may take.
const callOff = 3 * time.Second

// longJob is what a server tells of a job.
type longJob struct {
	ID            string          `json:"id"`
	Status        string          `json:"status"`
	Error         json.RawMessage `json:"error"`
	Code          string          `json:"code"`           // of the error
	EstimatedTime float64         `json:"estimated_time"` // seconds from now on
}

// await waits for a long job and gives its result. The job is called off where the call
// ends before.
func (b *Backend) await(ctx context.Context, r route, t task, header http.Header, accepted endpoint.Response, pause *pauses) (answer, error) {
	at, err := placeOf(accepted)
	if err != nil {
		return answer{}, err
	}
	a, err := b.watch(ctx, r, t, header, at, accepted, pause)
	if err != nil && !errors.Is(err, errOver) {
		// What the call-off itself fails with changes nothing: the server ends the job some time.
		off, cancel := context.WithTimeout(context.WithoutCancel(ctx), callOff)
		defer cancel()
		end := at.request(r.model)
		end.Method = http.MethodDelete
		_, _ = b.config.Endpoint.Do(off, end) //nolint:errcheck // see above
	}
	return a, err
}

// place is where a job is asked after: an address on the server, or a path below its base.
type place struct{ address, path string }

func (p place) request(model string) endpoint.Request {
	return endpoint.Request{Address: p.address, Path: p.path, Model: model, Plainly: true, MaxBody: maxTold}
}

// result is where that of the job is.
func (p place) result() place {
	if p.address == "" {
		return place{path: p.path + "/result"}
	}
	return place{address: below(p.address, "result")}
}

// placeOf is where the job that was accepted is asked after. What the server calls its
// Location is read against the address of the question (RFC 9110, section 10.2.2).
func placeOf(accepted endpoint.Response) (place, error) {
	if to := accepted.Header.Get("Location"); to != "" {
		asked, err := url.Parse(accepted.Address)
		if err == nil {
			asked, err = asked.Parse(to)
		}
		if err != nil {
			return place{}, unreadable(errors.New("the place of a job is no address"))
		}
		return place{address: asked.String()}, nil
	}
	var j longJob
	if err := json.Unmarshal(accepted.Body, &j); err != nil || j.ID == "" {
		return place{}, unreadable(errors.New("a job was accepted, without a place to ask after it"))
	}
	return place{path: "/jobs/" + url.PathEscape(j.ID)}, nil
}

// errOver is in the error of a job that needs no calling off.
var errOver = errors.New("the job is over")

// watch asks how far the job is until it is done.
func (b *Backend) watch(
	ctx context.Context, r route, t task, header http.Header, at place, last endpoint.Response, pause *pauses,
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
				return answer{}, b.lost(err, r.model)
			}
			return b.answered(response)
		case "failed":
			code := jobCode(j.Error)
			err := cmp.Or(b.byCode(code, fmt.Errorf("the job failed: %q", code), r.model), failed(j.Error))
			return answer{}, &plan.Fault{Sentence: plan.Sentence(err, plan.Message{}), Err: by(errOver, err)}
		case "cancelled":
			return answer{}, down(errOver, "The tool server cancelled the job.")
		case "queued", "running":
		default:
			return answer{}, unreadable(fmt.Errorf("a job has an unknown status of %d letters", len(j.Status)))
		}
		if err := pause.next(ctx, wanted(last.Header), time.Duration(min(max(j.EstimatedTime, 0), 1e6)*float64(time.Second))); err != nil {
			if errors.Is(err, errTooLong) {
				return answer{}, &plan.Fault{
					Sentence: plan.Say("The tool server needs more time for this than is allowed."), Err: by(toolbox.ErrLoading, err),
				}
			}
			return answer{}, err
		}
		if last, err = b.config.Endpoint.Do(ctx, at.request(r.model)); err != nil {
			return answer{}, b.lost(err, r.model)
		}
	}
}

// jobCode is the word in which a server says why a job failed, "" if it says none.
func jobCode(said json.RawMessage) string {
	var e struct {
		Code string `json:"code"`
	}
	if json.Unmarshal(said, &e) != nil {
		return "" // told in another form
	}
	return e.Code
}

// readJob reads how far a job is. One that has just been accepted may not say so.
func readJob(body []byte) (longJob, error) {
	j := longJob{Status: "queued"}
	if len(body) == 0 {
		return j, nil
	}
	if err := json.Unmarshal(body, &j); err != nil {
		return longJob{}, unreadable(errors.New("what is told of a job is not of its form"))
	}
	return j, nil
}

// lost is the error of asking after a job.
func (b *Backend) lost(err error, model string) error {
	if endpoint.KindOf(err) == endpoint.ModelUnknown {
		return down(err, "The tool server lost the job, perhaps because it was restarted; please try again.")
	}
	return b.sorted(err, model)
}

// below is an address below another one.
func below(address, name string) string {
	path, query, _ := strings.Cut(address, "?")
	path = strings.TrimRight(path, "/") + "/" + name
	if query != "" {
		path += "?" + query
	}
	return path
}

// wanted is how long a server wants to be left alone.
func wanted(h http.Header) time.Duration {
	seconds, err := strconv.ParseFloat(h.Get("Retry-After"), 64)
	if err != nil || !(seconds > 0) {
		return 0
	}
	return time.Duration(min(seconds, maxPause.Seconds()) * float64(time.Second))
}
