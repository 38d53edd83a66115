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

// Request is a call of any form.
type Request struct {
	// Method is that of HTTP; "" is GET.
	Method string
	// Path is one below the base URL, such as /images/edits. Its parts are escaped here.
	Path string
	// Query stands behind it; nil is none.
	Query url.Values
	// Address stands in place of Path and Query: that of something on this very
	// server, as an answer of it has named it, whole or from its root on. What lies
	// elsewhere is not asked for: an address elsewhere is the word of a stranger.
	Address string
	// Header goes along, besides the key; nil is none.
	Header http.Header
	// Body is sent as it is; nil is none.
	Body []byte
	// Model is the one that is asked for, for the sentences; Azure wants it in the address.
	Model string
	// Plainly takes a body that speaks of an error as an answer, where its status is one of
	// success.
	Plainly bool
	// ByStatus sorts failures by their status alone: what a server says of them in words that model
	// servers use means nothing.
	ByStatus bool
	// MaxBody is the most bytes that this answer may have, where that is less than
	// Config.MaxBody; 0 is that.
	MaxBody int64
	// Work tells that the answer is made with effort, as a picture or a video is. A try may
	// then take as long as its context, where that has a deadline, and another follows only
	// where nothing was made as yet: too many requests (429), a gateway's trouble (502, 503,
	// 504), a connection that broke. After a hang or any other failure it might be made twice.
	Work bool
	// Once tells that the server may do something each time that it is asked. Another try then follows
	// only where it did not begin: no connection was made, or it answered 429 or 503.
	Once bool
	// Waits tells that the caller waits itself for a model that is being loaded: that is
	// not asked again here.
	Waits bool
}

// Response is an answer that has come whole, with a status of success.
type Response struct {
	Status int
	Header http.Header
	Body   []byte
	// Address is where it came from, against which a Location is read; without user info.
	Address string
}

// Do makes a call. It keeps the promises of any other. Errors are as those of Sort.
func (e *Endpoint) Do(ctx context.Context, r Request) (Response, error) {
	to, err := e.target(r)
	if err != nil {
		return Response{}, err
	}
	req, err := http.NewRequestWithContext(ctx, cmp.Or(r.Method, http.MethodGet), to.String(), bytes.NewReader(r.Body))
	if err != nil {
		return Response{}, e.Sort(&Error{Kind: Rejected, Err: errors.New("the request cannot be made")}, r.Model)
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
		return Response{}, e.Sort(err, r.Model)
	}
	answer, err := io.ReadAll(resp.Body)
	if err = errors.Join(err, resp.Body.Close()); err != nil {
		return Response{}, e.Sort(fmt.Errorf("read the answer: %w", err), r.Model)
	}
	from := *to
	if resp.Request != nil && resp.Request.URL != nil { // after redirects
		from = *resp.Request.URL
	}
	from.User = nil
	return Response{Status: resp.StatusCode, Header: resp.Header, Body: answer, Address: from.String()}, nil
}

// errElsewhere is the address of a file that lies on another server.
var errElsewhere = errors.New("the file that the answer names lies on another server")

// target is where a call goes.
func (e *Endpoint) target(r Request) (*url.URL, error) {
	if r.Address != "" {
		to, err := e.base.Parse(r.Address)
		if err != nil || to.Scheme != e.base.Scheme || to.Host != e.base.Host {
			return nil, e.Sort(&Error{Kind: Malformed, Err: errElsewhere}, "")
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

// Post sends a body to a path below the base URL and returns the answer's body: see Do.
// It is for work (see Request) that go-openai does not send as OpenAI takes it.
func (e *Endpoint) Post(ctx context.Context, path, model, contentType string, body []byte) ([]byte, error) {
	answer, err := e.Do(ctx, Request{
		Method: http.MethodPost, Path: path, Header: http.Header{"Content-Type": {contentType}}, Body: body, Model: model, Work: true,
	})
	return answer.Body, err
}

// Fetch reads a file that an answer of the server names by its address: see Request.
func (e *Endpoint) Fetch(ctx context.Context, address string) ([]byte, error) {
	answer, err := e.Do(ctx, Request{Address: cmp.Or(address, ":")})
	return answer.Body, err
}
