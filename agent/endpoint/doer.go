package endpoint

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"time"

	"atelier/agent/sleep"

	"github.com/cenkalti/backoff/v5"
)

// doer sends a call, with retries. It takes the place of go-openai's http.Client rather than of a
// RoundTripper, which must return every response unchanged, and whose errors get prefixed with the
// URL, user info included.
type doer struct {
	http    *http.Client
	host    string
	secrets secrets
	timeout time.Duration
	retries int
	maxBody int64
	wait    func(context.Context, time.Duration) error
	log     *slog.Logger
	name    string // of the server, for the log
}

// maxHangs is how often a call is retried after a timeout. Each timeout takes all of
// Config.Timeout, so it is better to fail.
const maxHangs = 1

func newDoer(e *Endpoint, c Config, key string) *doer {
	d := &doer{
		host:    e.Host(),
		timeout: cmp.Or(c.Timeout, defaultTimeout),
		retries: max(cmp.Or(c.Retries, defaultRetries), 0),
		maxBody: cmp.Or(c.MaxBody, defaultMaxBody),
		wait:    c.Wait,
		log:     c.Log,
		name:    cmp.Or(c.Names.Server, "the model server"),
	}
	transport := c.Transport
	if transport == nil {
		transport = newTransport(e.Private())
	}
	if c.Wrap != nil {
		transport = c.Wrap(transport)
	}
	if d.wait == nil {
		d.wait = sleep.For
	}
	if d.log == nil {
		d.log = slog.New(slog.DiscardHandler)
	}
	d.secrets = secretsOf(key, e.base.User)
	d.http = &http.Client{Transport: transport, CheckRedirect: sameServer}
	return d
}

func secretsOf(key string, user *url.Userinfo) secrets {
	var s secrets
	password, _ := user.Password()
	for _, k := range []string{key, cmp.Or(password, user.Username())} { // a lone user name is a token
		if k != "" {
			s = append(s, k)
		}
	}
	return s
}

// Do returns a complete response with a status below 300, or fails with an *Error or the context's
// own error.
func (d *doer) Do(req *http.Request) (*http.Response, error) { return d.do(req, manner{}) }

// manner holds the options of one call: see Request.
type manner struct {
	plainly, byStatus, work, once, waits bool
	maxBody                              int64
}

// do is Do with options.
func (d *doer) do(req *http.Request, m manner) (*http.Response, error) {
	ctx := req.Context()
	if err := replayable(req); err != nil {
		return nil, err
	}
	setLabel(req)
	pause := backoff.NewExponentialBackOff()
	pause.Multiplier = 2
	pause.MaxInterval = maxWait / 2
	hangs := 0
	for try := 1; ; try++ {
		resp, fail := d.try(req, m)
		if fail == nil {
			return resp, nil
		}
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if fail.Kind == TimedOut {
			hangs++
		}
		again := fail.again
		if m.waits && fail.Loading || m.work && !fail.unmade() || m.once && !fail.unbegun() {
			again = false
		}
		wait := fail.After + pause.NextBackOff() // a random delay, so that clients do not all retry at the same moment
		if !again || try > d.retries || hangs > maxHangs || fail.After > maxWait || outlasts(ctx, wait) {
			if try > 1 {
				fail.Err = fmt.Errorf("%w (attempt %d)", fail.Err, try)
			}
			return nil, fail.Error
		}
		d.log.WarnContext(ctx, d.name+": retrying", "host", d.host, "label", label(ctx),
			"try", try, "status", fail.Status, "kind", string(fail.Kind), "wait", wait)
		if err := d.wait(ctx, wait); err != nil {
			return nil, err
		}
	}
}

// outlasts reports whether a wait would exceed the context's deadline. In that case the known
// failure is more useful than a timeout.
func outlasts(ctx context.Context, wait time.Duration) bool {
	deadline, ok := ctx.Deadline()
	return ok && time.Until(deadline) < wait
}

// replayable makes sure that the request's body can be sent again.
func replayable(req *http.Request) error {
	if req.Body == nil || req.GetBody != nil {
		return nil
	}
	b, err := io.ReadAll(req.Body)
	if err != nil {
		return fmt.Errorf("read the request body: %w", err)
	}
	req.ContentLength = int64(len(b))
	req.GetBody = func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(b)), nil }
	return req.Body.Close() //nolint:wrapcheck // a reader's
}

// sameServer follows a redirect only to the same server and with the same method: the key must not
// leak, and a POST must not become a GET.
func sameServer(to *http.Request, via []*http.Request) error {
	from := via[0]
	upgraded := from.URL.Scheme == "http" && to.URL.Scheme == "https" && from.URL.Hostname() == to.URL.Hostname()
	same := from.URL.Scheme == to.URL.Scheme && from.URL.Host == to.URL.Host
	if len(via) > 3 || to.Method != from.Method || !same && !upgraded {
		return http.ErrUseLastResponse
	}
	return nil
}
