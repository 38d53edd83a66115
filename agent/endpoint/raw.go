package endpoint

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
)

// Request is a call to any path.
type Request struct {
	// Method is the HTTP method; "" means GET.
	Method string
	// Path is relative to the base URL, such as /images/edits. Its parts get escaped.
	Path string
	// Query may be nil.
	Query url.Values
	// Address replaces Path and Query: a URL, absolute or relative to the root, that a response of
	// this server named. Addresses on other servers are rejected, since they are not trusted.
	Address string
	// Header is added to the key; may be nil.
	Header http.Header
	// Body is sent unchanged; may be nil.
	Body []byte
	// Model is used in error messages; Azure also needs it in the URL.
	Model string
	// Plainly accepts a body with an "error" field as a normal response if the status is 2xx.
	Plainly bool
	// ByStatus classifies failures by status alone, for servers whose messages are not those of a
	// model server.
	ByStatus bool
	// MaxBody is the size limit of this response in bytes, if less than Config.MaxBody; 0 means
	// Config.MaxBody.
	MaxBody int64
	// Work means that the response is expensive to make, such as a picture or a video. An attempt
	// may then take until the context's deadline, and is retried only if no work was done: too many
	// requests (429), gateway errors (502, 503, 504), a broken connection. After a timeout or any
	// other failure the work might be done twice.
	Work bool
	// Once means that each request may have side effects. It is retried only if the server did not
	// start: no connection was made, or it answered 429 or 503.
	Once bool
	// Waits means that the caller waits for a loading model itself, so there is no retry for that.
	Waits bool
}

// Response is a complete, successful response.
type Response struct {
	Status int
	Header http.Header
	Body   []byte
	// Address is its URL without user info, to resolve a Location against.
	Address string
}

// Do sends a request, with all guarantees of the package. Errors are those of Explain.
func (e *Endpoint) Do(ctx context.Context, r Request) (Response, error) {
	to, err := e.target(r)
	if err != nil {
		return Response{}, err
	}
	req, err := http.NewRequestWithContext(ctx, cmp.Or(r.Method, http.MethodGet), to.String(), bytes.NewReader(r.Body))
	if err != nil {
		return Response{}, e.Explain(&Error{Kind: Rejected, Err: errors.New("invalid request")}, r.Model)
	}
	maps.Copy(req.Header, r.Header)
	switch {
	case e.key == "":
	case e.azure:
		req.Header.Set("Api-Key", e.key)
	default:
		req.Header.Set("Authorization", "Bearer "+e.key)
	}
	resp, err := e.doer.do(req, manner{plainly: r.Plainly, byStatus: r.ByStatus, work: r.Work, once: r.Once, waits: r.Waits, maxBody: r.MaxBody})
	if err != nil {
		return Response{}, e.Explain(err, r.Model)
	}
	answer, err := io.ReadAll(resp.Body)
	if err = errors.Join(err, resp.Body.Close()); err != nil {
		return Response{}, e.Explain(fmt.Errorf("read the answer: %w", err), r.Model)
	}
	from := *to
	if resp.Request != nil && resp.Request.URL != nil { // after redirects
		from = *resp.Request.URL
	}
	from.User = nil
	return Response{Status: resp.StatusCode, Header: resp.Header, Body: answer, Address: from.String()}, nil
}

// errElsewhere is returned for a file on another server.
var errElsewhere = errors.New("the response links to a file on another server")

// target returns the URL of a request.
func (e *Endpoint) target(r Request) (*url.URL, error) {
	if r.Address != "" {
		to, err := e.base.Parse(r.Address)
		if err != nil || to.Scheme != e.base.Scheme || to.Host != e.base.Host {
			return nil, e.Explain(&Error{Kind: Malformed, Err: errElsewhere}, "")
		}
		to.User = e.base.User
		return to, nil
	}
	to := e.base.JoinPath(r.Path)
	query := maps.Clone(r.Query)
	if e.azure {
		to = e.base.JoinPath("openai", "deployments", url.PathEscape(r.Model), r.Path)
		if query == nil {
			query = url.Values{}
		}
		query.Set("api-version", e.version)
	}
	to.RawQuery = query.Encode()
	return to, nil
}

// Post sends a body to a path below the base URL and returns the response body: see Do. It is for
// work (see Request) that go-openai does not send the way OpenAI expects.
func (e *Endpoint) Post(ctx context.Context, path, model, contentType string, body []byte) ([]byte, error) {
	answer, err := e.Do(ctx, Request{
		Method: http.MethodPost, Path: path, Header: http.Header{"Content-Type": {contentType}}, Body: body, Model: model, Work: true,
	})
	return answer.Body, err
}

// Fetch downloads a file whose URL the server named in a response: see Request.
func (e *Endpoint) Fetch(ctx context.Context, address string) ([]byte, error) {
	answer, err := e.Do(ctx, Request{Address: cmp.Or(address, ":")})
	return answer.Body, err
}
