package endpoint

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
)

// Post sends a body to a path below the base URL, such as /images/edits, and returns
// the answer's body. It keeps the promises of any other call, and is for what go-openai
// does not send as OpenAI takes it. The model is the one that is asked for; Azure wants
// it in the address. Errors are as those of Sort.
func (e *Endpoint) Post(ctx context.Context, path, model, contentType string, body []byte) ([]byte, error) {
	to := e.base.JoinPath(path)
	if e.azure {
		to = e.base.JoinPath("openai", "deployments", url.PathEscape(model), path)
		to.RawQuery = url.Values{"api-version": {e.version}}.Encode()
	}
	return e.send(ctx, http.MethodPost, to, model, contentType, body)
}

// errElsewhere is the address of a file that lies on another server.
var errElsewhere = errors.New("the file that the answer names lies on another server")

// Fetch reads a file that an answer of the server names by its address. Only one that
// lies on this very server is read: an address elsewhere is the word of a stranger.
// Errors are as those of Sort.
func (e *Endpoint) Fetch(ctx context.Context, address string) ([]byte, error) {
	to, err := e.base.Parse(address)
	if err != nil || to.Scheme != e.base.Scheme || to.Host != e.base.Host {
		return nil, e.Sort(&Error{Kind: Malformed, Err: errElsewhere}, "")
	}
	to.User = e.base.User
	return e.send(ctx, http.MethodGet, to, "", "", nil)
}

func (e *Endpoint) send(ctx context.Context, method string, to *url.URL, model, contentType string, body []byte) ([]byte, error) {
	req, err := http.NewRequestWithContext(ctx, method, to.String(), bytes.NewReader(body))
	if err != nil {
		return nil, e.Sort(&Error{Kind: Rejected, Err: errors.New("the request cannot be made")}, model)
	}
	if contentType != "" {
		req.Header.Set("Content-Type", contentType)
	}
	switch {
	case e.key == "":
	case e.azure:
		req.Header.Set("Api-Key", e.key)
	default:
		req.Header.Set("Authorization", "Bearer "+e.key)
	}
	resp, err := e.doer.Do(req)
	if err != nil {
		return nil, e.Sort(err, model)
	}
	answer, err := io.ReadAll(resp.Body)
	if err = errors.Join(err, resp.Body.Close()); err != nil {
		return nil, e.Sort(fmt.Errorf("read the answer: %w", err), model)
	}
	return answer, nil
}
