// Package webapi runs tools that call a service over HTTP, as their YAML files declare it
// ([template.Request]): any function behind an API.
//
// Guarantees:
//
//   - Only hosts that the operator lists are called ([Hosts]). Redirects to another host or port are
//     not followed, and an address in an answer is opened only on the same host.
//   - A public name that resolves to a private address is not called, unless that address is listed too.
//   - People's words never change the path, a query key, a field, a header or the host. In a header
//     that the file sets they are escaped.
//   - An argument with several values is sent whole: as a list in JSON, or as several fields of a form.
//   - Files go to a host on the internet only if media may leave. Pictures leave as PNG or JPEG,
//     upright and without metadata, sound and video without tags.
//   - The token goes to its service alone. It is in no log and no error.
//   - A request ends with its context or its timeout, whichever comes first, including retries. GET is
//     retried after any trouble of the service; other methods only if the service did not begin: no
//     connection was made, or it answered 429 or 503.
//   - An answer is bounded. It counts only if its bytes are of the type that the tool returns. The
//     service's own error texts are not shown to people.
//   - A status of 4xx is a fault of the input, except 401, 402, 403, 408 and 429. Everything else that
//     goes wrong is [toolbox.ErrDown].
package webapi

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"atelier/agent/endpoint"
	"atelier/agent/memo"
	"atelier/agent/plan"
	"atelier/agent/toolbox"
	"atelier/agent/toolbox/media"
	"atelier/agent/toolbox/program/facts"
	"atelier/agent/toolbox/template"
)

// Config configures a Backend.
type Config struct {
	// Base is the service's scheme and host; required.
	Base string
	// Hosts are the hosts that may be called.
	Hosts Hosts
	// Variables are the tokens by the names that tools' files use.
	Variables map[string]string
	// AllowMedia permits sending files to a service outside your network.
	AllowMedia bool
	// Measurer measures the files of a call, to fill slots; required.
	Measurer func(toolbox.Call) facts.Measurer
	// Limits apply to the files of calls and of answers.
	Limits media.Limits
	// Transport sends the requests; nil means one that enforces the package's guarantees on addresses.
	Transport http.RoundTripper
	// Dial opens the connection of a probe; nil means a dialer that enforces the package's guarantees on
	// addresses.
	Dial func(ctx context.Context, network, address string) (net.Conn, error)
	// Clock measures the age of a probe; nil means time.Now.
	Clock func() time.Time
	// Wait returns after d, or earlier with an error when ctx ends. Nil waits in real time.
	Wait func(ctx context.Context, d time.Duration) error
	// Log receives each retry; nil disables logging.
	Log *slog.Logger
}

// Backend implements the backing kind http for one service. It is safe for concurrent use.
type Backend struct {
	config  Config
	private bool
	host    string // for people

	mu        sync.Mutex
	endpoints map[endpointKey]*endpoint.Endpoint

	health *memo.Memo[struct{}] // whether the service accepts connections
}

var _ toolbox.Backend = (*Backend)(nil)

// endpointKey is what distinguishes the endpoints of different tools.
type endpointKey struct {
	token   string
	retries int
	timeout time.Duration
}

const (
	// fresh is how long a probe is cached, and probeTime the timeout of a probe.
	fresh, probeTime = 10 * time.Second, 5 * time.Second
	// slack is the allowance for the JSON around a file in an answer, in bytes.
	slack = 64 << 10
	// maxText is the longest text that a service may return, and maxTextAnswer the largest answer with
	// one, in bytes.
	maxText, maxTextAnswer = 1 << 20, 8 << 20
)

// New checks the configuration. It sends no requests.
func New(c Config) (*Backend, error) {
	if c.Measurer == nil {
		return nil, errors.New("webapi: Config.Measurer is required")
	}
	c.Limits = c.Limits.OrDefault()
	if c.Clock == nil {
		c.Clock = time.Now
	}
	b := &Backend{config: c, endpoints: map[endpointKey]*endpoint.Endpoint{}}
	b.health = memo.New(memo.Config[struct{}]{Ask: b.connect, Life: memo.For(fresh), Clock: c.Clock})
	named, err := endpoint.New(endpoint.Config{BaseURL: c.Base})
	if err != nil {
		return nil, fmt.Errorf("invalid service address: %w", err)
	}
	b.private, b.host = named.Private(), named.Host()
	return b, nil
}

// Private reports whether the service is in your network, going by its name.
func (b *Backend) Private() bool { return b.private }

// Probe reports whether the service may be called and accepts connections. It sends no request, since the
// service may count those.
func (b *Backend) Probe(ctx context.Context, c toolbox.Candidate) error {
	if _, err := b.ready(c); err != nil {
		return err
	}
	if c.Inputs != "" && !b.outward().Allows() {
		return b.outward().Refusal()
	}
	_, err := b.health.Get(ctx)
	switch {
	case ctx.Err() != nil:
		return media.Stopped(ctx)
	case err != nil:
		return b.failed(ctx, c.Request, err)
	}
	return nil
}

// Run calls the service.
func (b *Backend) Run(ctx context.Context, c toolbox.Candidate, call toolbox.Call) (toolbox.Output, error) {
	e, err := b.ready(c)
	if err != nil {
		return toolbox.Output{}, err
	}
	if err := b.outward().Check(call); err != nil {
		return toolbox.Output{}, err
	}
	filled, err := b.fill(ctx, c.Request, call)
	if err != nil {
		return toolbox.Output{}, err
	}
	mine, cancel := context.WithTimeout(ctx, c.Request.Timeout())
	defer cancel()
	header := http.Header{"Accept": {accepted(c.Request, call.Returns)}}
	for name, value := range filled.Headers { // Accept may be among them
		header.Set(name, value)
	}
	if filled.Type != "" {
		header.Set("Content-Type", filled.Type)
	}
	response, err := e.Do(mine, endpoint.Request{
		Method: c.Request.Method(), Path: filled.Path, Query: filled.Query, Header: header, Body: filled.Body,
		Plainly: true, ByStatus: true, Once: c.Request.Method() != http.MethodGet, MaxBody: b.most(call.Returns),
	})
	if err != nil {
		return toolbox.Output{}, b.failed(ctx, c.Request, err)
	}
	a := answer{backend: b, request: c.Request, call: call, endpoint: e}
	out, err := a.read(mine, response)
	if err != nil {
		return toolbox.Output{}, b.failed(ctx, c.Request, err)
	}
	return out, nil
}

// connect opens a connection to the service and closes it. Behind a proxy it does nothing, since it would
// only reach the proxy.
func (b *Backend) connect(ctx context.Context) (none struct{}, err error) {
	ctx, cancel := context.WithTimeout(ctx, probeTime)
	defer cancel()
	base, err := url.Parse(b.config.Base)
	if err != nil {
		return none, fmt.Errorf("invalid service address: %w", err)
	}
	dial := b.config.Dial
	switch {
	case dial != nil:
	case b.private:
		dial = new(net.Dialer).DialContext
	default:
		if proxy, err := http.ProxyFromEnvironment(&http.Request{URL: base}); err != nil || proxy != nil {
			return none, nil // the call itself reports a wrong proxy
		}
		dial = endpoint.NewPublicTransport(b.config.Base, b.config.Hosts.lists).DialContext
	}
	usual := map[string]string{"http": "80", "https": "443"}[base.Scheme]
	conn, err := dial(ctx, "tcp", net.JoinHostPort(base.Hostname(), cmp.Or(base.Port(), usual)))
	if err != nil {
		return none, &endpoint.Error{Kind: endpoint.Down, Err: err}
	}
	if err := conn.Close(); err != nil {
		return none, &endpoint.Error{Kind: endpoint.Down, Err: err}
	}
	return none, nil
}

// ready returns the endpoint for a candidate, or why its service cannot be called.
func (b *Backend) ready(c toolbox.Candidate) (*endpoint.Endpoint, error) {
	r := c.Request
	switch {
	case r == nil || r.Base() != b.config.Base:
		return nil, &plan.Fault{
			Sentence: plan.Say("It needs a service that this version does not know."), Err: fmt.Errorf("%s does not belong to %s", c.Run, b.config.Base),
		}
	case !b.config.Hosts.Allow(r.Base()):
		return nil, notSetUp(plan.Say("Tools are not allowed to call %s: to allow it, add it to ATELIER_HTTP_HOSTS.", r.Host()))
	}
	key := strings.TrimSpace(b.config.Variables[r.Token()])
	if r.Token() != "" && key == "" {
		return nil, notSetUp(plan.Say("The service at %s needs a token: set %s.", r.Host(), r.Token()))
	}
	m := endpointKey{r.Token(), r.Retries(), r.Timeout()}
	b.mu.Lock()
	defer b.mu.Unlock()
	if known, ok := b.endpoints[m]; ok {
		return known, nil
	}
	e, err := b.dial(m, key)
	if err != nil { // err does not contain the token
		return nil, notSetUp(plan.Say("The token in %s contains characters that a token cannot have.", r.Token()))
	}
	b.endpoints[m] = e
	return e, nil
}

// dial creates an endpoint. It opens no connection.
func (b *Backend) dial(m endpointKey, key string) (*endpoint.Endpoint, error) {
	c := endpoint.Config{
		BaseURL: b.config.Base, Key: key, Timeout: m.timeout, Retries: cmp.Or(m.retries, -1), MaxBody: b.maxAnswer(),
		Transport: b.config.Transport, Wait: b.config.Wait, Log: b.config.Log, Names: endpoint.Names{Key: m.token, Server: "the service"},
		Wrap: func(next http.RoundTripper) http.RoundTripper { return only{b.config.Base, next} },
	}
	if c.Transport == nil && !b.private {
		c.Transport = endpoint.NewPublicTransport(b.config.Base, b.config.Hosts.lists)
	}
	return endpoint.New(c)
}

// maxAnswer returns the largest answer: the largest file in Base64, within JSON.
func (b *Backend) maxAnswer() int64 { return b.config.Limits.Bytes/3*4 + slack }

// only restricts requests to one scheme and host, redirects included.
type only struct {
	base string
	next http.RoundTripper
}

// RoundTrip rejects requests to other hosts.
func (o only) RoundTrip(r *http.Request) (*http.Response, error) {
	if !strings.EqualFold(r.URL.Scheme+"://"+r.URL.Host, o.base) {
		return nil, errors.New("redirects to another host are not followed")
	}
	return o.next.RoundTrip(r) //nolint:wrapcheck // callers match the error
}

// most returns the largest answer for a tool's return type.
func (b *Backend) most(returns plan.Type) int64 {
	if returns == plan.Text {
		return maxTextAnswer
	}
	return b.maxAnswer()
}

// accepted returns the Accept header.
func accepted(r *template.Request, returns plan.Type) string {
	switch {
	case r.Result() != nil:
		return "application/json"
	case returns == plan.Text:
		return "text/plain, application/json;q=0.9, */*;q=0.5"
	case returns == plan.Document:
		return "application/pdf, */*;q=0.5"
	}
	return string(returns) + "/*, */*;q=0.5"
}

// fill fills in the slots of a request.
func (b *Backend) fill(ctx context.Context, r *template.Request, call toolbox.Call) (template.Filled, error) {
	known := facts.New(ctx, call, b.config.Measurer(call), b.config.Limits)
	u := &uploads{ctx: ctx, call: call, limits: b.config.Limits, done: map[string]template.Upload{}}
	filled, err := r.Fill(known.Of, u.file)
	if err == nil {
		return filled, nil
	}
	if stopped := media.Stopped(ctx); stopped != nil {
		return filled, stopped
	}
	if errors.Is(err, template.ErrSegment) {
		return filled, &plan.Fault{
			Sentence: plan.Say("The service needs a short name here, without slashes or line breaks. Please rephrase your request."), Err: err,
		}
	}
	if _, ok := errors.AsType[*plan.Fault](err); !ok {
		err = &plan.Fault{Sentence: plan.Say("It could not be done, because a file could not be read or written here."), Err: err}
	}
	return filled, err
}
