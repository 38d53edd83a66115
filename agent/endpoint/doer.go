package endpoint

import (
	"bytes"
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math"
	"mime"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/cenkalti/backoff/v5"

	"atelier/agent/sleep"
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

// failure is a failed attempt, and whether to retry.
type failure struct {
	*Error

	again     bool
	unreached bool // no connection was made
}

// maxRefusal limits how much of an error body is read, in bytes; the useful part is at the
// beginning.
const maxRefusal = 64 << 10

// passing are the temporary statuses; from 520 on, a proxy could not reach the server (Cloudflare),
// and 529 is "overloaded" (Anthropic).
var passing = []int{429, 500, 502, 503, 504, 520, 521, 522, 523, 524, 529}

// unmade are the statuses that mean that the server does no work.
var unmade = []int{429, 502, 503, 504}

// unmade reports whether a retry cannot do the work twice.
func (f *failure) unmade() bool {
	return f.Kind != TimedOut && (f.Status < 400 || slices.Contains(unmade, f.Status))
}

// unbegun reports whether the server did not start the work.
func (f *failure) unbegun() bool {
	return f.unreached || f.Status == http.StatusTooManyRequests || f.Status == http.StatusServiceUnavailable
}

// try sends the request once and reads the whole response.
func (d *doer) try(req *http.Request, m manner) (*http.Response, *failure) {
	patience, maxBody := d.timeout, d.maxBody
	if deadline, ok := req.Context().Deadline(); ok && m.work {
		patience = max(patience, time.Until(deadline))
	}
	if m.maxBody > 0 {
		maxBody = min(maxBody, m.maxBody)
	}
	ctx, cancel := context.WithTimeout(req.Context(), patience)
	defer cancel()
	again := req.Clone(ctx)
	if req.GetBody != nil {
		body, err := req.GetBody()
		if err != nil {
			return nil, d.failed(Rejected, 0, err.Error(), false)
		}
		again.Body = body
	}
	resp, err := d.http.Do(again)
	if err != nil {
		return nil, d.unreached(err)
	}
	defer resp.Body.Close() //nolint:errcheck // already read
	if resp.StatusCode < 200 || resp.StatusCode > 299 {
		body, _ := io.ReadAll(io.LimitReader(resp.Body, maxRefusal)) //nolint:errcheck // the status is enough
		return nil, d.refused(req, resp, parseRefusal(body), m)
	}
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxBody+1))
	switch {
	case timedOut(err):
		return nil, d.failed(TimedOut, resp.StatusCode, "timed out while reading the answer", true)
	case err != nil:
		return nil, d.failed(Malformed, resp.StatusCode, "the answer broke off: "+d.secrets.detail(plain(err)), true)
	case int64(len(body)) > maxBody:
		return nil, d.failed(Malformed, resp.StatusCode, fmt.Sprintf("the answer is larger than %d bytes", maxBody), false)
	case isPage(resp.Header):
		return nil, d.failed(Malformed, resp.StatusCode, "the answer is a web page; the base URL may be wrong", false)
	}
	if r, ok := hiddenRefusal(body); ok && !m.plainly {
		return nil, d.refused(req, resp, r, m)
	}
	resp.Body = io.NopCloser(bytes.NewReader(body))
	return resp, nil
}

// failed returns a failure with our own description, or the system's.
func (d *doer) failed(k Kind, status int, why string, again bool) *failure {
	err := errors.New(d.host + ": " + d.secrets.hide(why))
	return &failure{Error: &Error{Kind: k, Status: status, Err: err}, again: again}
}

// unreached returns a failure that happened before any response.
func (d *doer) unreached(err error) *failure {
	if timedOut(err) {
		return d.failed(TimedOut, 0, "timed out before an answer", true)
	}
	op, ok := errors.AsType[*net.OpError](err)
	_, untrusted := errors.AsType[*tls.CertificateVerificationError](err)
	_, outside := errors.AsType[*publicAddressError](err)
	_, inside := errors.AsType[*privateAddressError](err)
	f := d.failed(Down, 0, d.secrets.detail(plain(err)), !untrusted && !outside && !inside)
	f.unreached = ok && op.Op == "dial"
	return f
}

// plain returns the text of a network error without the URL.
func plain(err error) string {
	if u, ok := errors.AsType[*url.Error](err); ok {
		err = u.Err
	}
	return err.Error()
}

func timedOut(err error) bool {
	n, ok := errors.AsType[net.Error](err)
	return ok && n.Timeout() || errors.Is(err, context.DeadlineExceeded)
}

// refused returns a failure reported by the server.
func (d *doer) refused(req *http.Request, resp *http.Response, r refusal, m manner) *failure {
	status := resp.StatusCode
	if status < 300 && r.number >= 400 && r.number < 600 {
		status = r.number
	}
	echo := saidBy(req)
	if m.byStatus {
		echo = echo.withAddress(req.URL)
	}
	f := &failure{Error: newError(status, r, d.secrets, echo)}
	f.After = retryAfter(resp.Header, time.Now())
	f.Err = fmt.Errorf("%s: %w", d.host, f.Err)
	if to, err := resp.Location(); err == nil && status < 400 {
		f.Err = fmt.Errorf("%w: redirects to %s are not followed; the base URL may be wrong", f.Err, d.secrets.hide(to.Scheme+"://"+to.Host))
	}
	if m.byStatus {
		f.Kind, f.format, f.refused, r.estimated = sortOf(status, refusal{}), false, "", ""
	}
	if status == http.StatusServiceUnavailable && r.estimated != "" {
		f.Loading, f.After, f.again = true, number(r.estimated, time.Second), true
		return f
	}
	switch strings.ToLower(resp.Header.Get("X-Should-Retry")) { // like OpenAI's own clients
	case "true":
		f.again = f.Kind != Quota
	case "false":
		f.again = false
	default:
		f.again = slices.Contains(passing, status) && (f.Kind == Limited || f.Kind == Down && !f.format)
	}
	return f
}

// newError describes a refusal without secrets and user text.
func newError(status int, r refusal, s secrets, echo said) *Error {
	e := &Error{Kind: sortOf(status, r), Status: status, Code: s.name(r.code), Param: s.name(r.param), Field: s.name(r.field)}
	if e.Code == "" {
		e.Code = s.name(r.kind)
	}
	e.format = e.Kind == Down && r.aboutFormat()
	e.refused = r.refusedParameter()
	why := fmt.Sprintf("status %d", status)
	if e.Code != "" {
		why += ", " + e.Code
	}
	if e.Param != "" {
		why += ", " + e.Param
	}
	if e.Field != "" {
		why += ", " + e.Field
	}
	if m := s.detail(echo.hide(r.message)); m != "" {
		why += ": " + m
	}
	e.Err = errors.New(why)
	return e
}

// isPage reports whether the response is an HTML page.
func isPage(h http.Header) bool {
	t, _, err := mime.ParseMediaType(h.Get("Content-Type"))
	return err == nil && t == "text/html"
}

// maxWait is the longest delay before a retry; if the server asks for more, the call fails.
const maxWait = time.Minute

// retryAfter parses the delay before a retry: Retry-After-Ms in milliseconds (Azure OpenAI), else
// Retry-After in seconds or as a date (RFC 9110, section 10.2.3), relative to the server's own
// clock. It returns 0 if there is none.
func retryAfter(h http.Header, now time.Time) time.Duration {
	if d := number(h.Get("Retry-After-Ms"), time.Millisecond); d > 0 {
		return d
	}
	s := strings.TrimSpace(h.Get("Retry-After"))
	if d := number(s, time.Second); d > 0 {
		return d
	}
	at, err := http.ParseTime(s)
	if err != nil {
		return 0
	}
	if t, err := http.ParseTime(h.Get("Date")); err == nil {
		now = t
	}
	return max(at.Sub(now), 0)
}

func number(s string, unit time.Duration) time.Duration {
	f, err := strconv.ParseFloat(strings.TrimSpace(s), 64)
	if err != nil || !(f > 0) {
		return 0
	}
	return time.Duration(math.Min(f*float64(unit), float64(365*24*time.Hour)))
}
