package download

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"atelier/adapters"
)

// Open opens a file. The header is sent only to the URL's own host. The content may have any length and type. An error
// while reading is also an [*adapters.Fault], and temporary.
func (c *Client) Open(ctx context.Context, address string, header http.Header) (io.ReadCloser, error) {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" {
		return nil, Elsewhere()
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, u.String(), nil)
	if err != nil {
		return nil, Elsewhere()
	}
	maps.Copy(r.Header, header)
	r.Header.Set("Accept-Encoding", "identity") // the reader counts the bytes
	answer, err := c.http.Do(r)
	if err != nil {
		return nil, interrupted(err)
	}
	if err := refusal(answer, len(header) > 0); err != nil {
		return nil, errors.Join(err, answer.Body.Close())
	}
	return &body{answer.Body}, nil
}

// body returns the errors of a download as faults.
type body struct{ io.ReadCloser }

func (b *body) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if err != nil && !errors.Is(err, io.EOF) {
		return n, interrupted(err)
	}
	return n, err //nolint:wrapcheck // readers expect io.EOF itself
}

// refusal returns why a response contains no file, or nil.
func refusal(answer *http.Response, withToken bool) error {
	code := answer.StatusCode
	err := fmt.Errorf("the file host responded with status %d", code)
	switch {
	case code == http.StatusOK:
		return nil
	case code == http.StatusTooManyRequests:
		return &adapters.Fault{
			Sentence: "The chat platform is limiting downloads. Please try again later.", Kind: adapters.ErrRateLimited, After: after(answer.Header), Err: err,
		}
	case code == http.StatusUnauthorized, code == http.StatusForbidden && withToken:
		return &adapters.Fault{
			Sentence: "I am not allowed to read this file. An admin of the workspace has to allow it.", Kind: adapters.ErrForbidden, Err: err,
		}
	case code >= 400 && code < 500 && code != http.StatusRequestTimeout && code != http.StatusTooEarly:
		return &adapters.Fault{
			Sentence: "The file is no longer available: it was deleted, or its link has expired. Please send it again.", Kind: adapters.ErrGone, Err: err,
		}
	default:
		return &adapters.Fault{Sentence: "The chat platform did not send the file. Please try again later.", Err: err}
	}
}

// after returns the pause that a host asks for.
func after(h http.Header) time.Duration {
	const least, most = 1, 3600
	seconds, err := strconv.ParseFloat(h.Get("Retry-After"), 64)
	if err != nil {
		seconds = least
	}
	return time.Duration(min(max(seconds, least), most) * float64(time.Second))
}

// interrupted returns the fault for an error of a request or a body. It is temporary unless it is a refusal.
func interrupted(err error) error {
	if own, ok := errors.AsType[*adapters.Fault](err); ok {
		return own
	}
	return &adapters.Fault{Sentence: "The file could not be downloaded completely. Please try again later.", Err: Detail(err)}
}

// private returns the fault for a host whose addresses are all in private networks.
func private() *adapters.Fault {
	return &adapters.Fault{
		Sentence: "The link leads into a private network, and I download nothing from there. Please upload the file here.", Kind: adapters.ErrForbidden,
	}
}

// Elsewhere returns the fault for a URL that is not on an allowed host.
func Elsewhere() *adapters.Fault {
	return &adapters.Fault{
		Sentence: "This file is not on the chat platform's own servers, and I download files only from there. Please upload it here.",
		Kind:     adapters.ErrForbidden,
	}
}

// misdirected returns the fault for an invalid proxy setting.
func misdirected() *adapters.Fault {
	return &adapters.Fault{Sentence: "The proxy in the settings cannot be used: check HTTPS_PROXY.", Kind: adapters.ErrRefused}
}
