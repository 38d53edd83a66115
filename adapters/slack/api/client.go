package api

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/url"
	"strings"

	"github.com/slack-go/slack"

	"atelier/adapters/download"
	"atelier/adapters/lenient"
)

// maxAnswer is the maximum size of a response in bytes: a page of a thread has many messages.
const maxAnswer = 16 << 20

// Client calls Slack's Web API with the library's client, and waits while Slack limits the rate.
type Client struct {
	*slack.Client

	gate       *gate
	token, url string
}

// New returns a client of the API at a URL, which ends in a slash.
func New(outside *http.Client, botToken, appToken, url string) *Client {
	g := newGate(outside, url)
	return &Client{
		Client: slack.New(botToken, slack.OptionHTTPClient(g), slack.OptionAPIURL(url), slack.OptionAppLevelToken(appToken)),
		gate:   g, token: botToken, url: url,
	}
}

// Call calls a method whose parameters the library does not send, or whose response it does not read. The
// response's Err reports whether Slack did it.
func (c *Client) Call(ctx context.Context, method string, form url.Values, answer interface{ Err() error }) error {
	form.Set("token", c.token)
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, c.url+method, strings.NewReader(form.Encode()))
	if err != nil {
		return download.Detail(err)
	}
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	got, err := c.gate.Do(r) //nolint:bodyclose // readAll does
	if err != nil {
		return err
	}
	b, err := readAll(got.Body, maxAnswer)
	if err := errors.Join(CheckStatus(got), err); err != nil {
		return err
	}
	if _, err := lenient.Unmarshal(b, answer); err != nil {
		return errors.New("slack's response cannot be parsed")
	}
	return answer.Err()
}

// IsPaced reports whether Slack recently rejected a method because of its rate.
func (c *Client) IsPaced(method string) bool { return c.gate.paces.isPaced(method) }

// CheckStatus returns the error of a response by its status.
func CheckStatus(answer *http.Response) error {
	switch {
	case answer.StatusCode == http.StatusTooManyRequests:
		return &slack.RateLimitedError{RetryAfter: retryAfter(answer.Header)}
	case answer.StatusCode/100 != 2:
		return slack.StatusCodeError{Code: answer.StatusCode, Status: answer.Status}
	}
	return nil
}

// readAll reads a body up to a limit, and closes it.
func readAll(r io.ReadCloser, most int64) ([]byte, error) {
	defer r.Close()                            //nolint:errcheck // it is only read
	return io.ReadAll(io.LimitReader(r, most)) //nolint:wrapcheck // it is the program's own text
}
