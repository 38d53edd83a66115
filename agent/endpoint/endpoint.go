// Package endpoint is a client for a server with OpenAI's API: OpenAI itself, Azure OpenAI, vLLM,
// Ollama, llama.cpp's server, LocalAI and the like.
//
// Guarantees:
//
//   - A call is retried, with jittered backoff, where that can help: after too many requests,
//     server errors, a connection that failed or broke during the answer, and once after a
//     hang. It is not retried after any other refusal or when the quota is used up. The server's own
//     advice (Retry-After, X-Should-Retry) takes precedence. The context ends attempts and waits.
//     Expensive work (see Request.Work) is retried only if no work was done yet.
//   - If a model is loading, the call waits as long as the server expects, but at most a minute,
//     unless the caller waits itself (see Request.Waits).
//   - An answer is returned only when it is complete, and is never larger than Config.MaxBody or
//     the Request's limit.
//   - The key is sent only to that server: not to the host of a redirect. It never appears in errors
//     or the log, even if the server's answer repeats it. Neither do bodies, user text that the
//     server repeats, or URLs with user info or query.
//   - A private server (see Private) is reached directly and at a private address, or not at all,
//     whatever its name resolves to. A Config.Transport must ensure this for its own
//     connections.
//   - Every failure becomes a sentence for people and a Kind to decide by (see Endpoint.Explain).
package endpoint

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/sashabaranov/go-openai"

	"atelier/agent/lazyregexp"
)

// Config configures an Endpoint.
type Config struct {
	// BaseURL is the URL without /chat/completions; "" means https://api.openai.com/v1. For Azure
	// it is the resource's: https://NAME.openai.azure.com.
	BaseURL string
	// Key is a secret. Self-hosted servers often need none.
	Key string
	// AzureVersion, if set, selects Azure OpenAI's dialect with this api-version; models are then
	// deployment names.
	AzureVersion string
	// Timeout limits one attempt, from the first byte sent to the last one read; 0 means two
	// minutes.
	Timeout time.Duration
	// Retries is the maximum number of retries; 0 means 3, negative means none.
	Retries int
	// MaxBody is the size limit of a response in bytes; 0 means 4 MiB.
	MaxBody int64
	// Transport sends the requests; nil means a new one.
	Transport http.RoundTripper
	// Wrap wraps the transport, including the default one with its rules for private servers; nil
	// means no wrapping.
	Wrap func(http.RoundTripper) http.RoundTripper
	// Wait waits for d and returns an error if ctx ends before that; nil uses the clock.
	Wait func(ctx context.Context, d time.Duration) error
	// Log receives a warning for each retry; nil logs nothing.
	Log *slog.Logger
	// Names are the names of the settings, for sentences that tell the operator what to check.
	Names Names
}

// Names are the settings of a server; "" means OPENAI_API_KEY, OPENAI_BASE_URL and OPENAI_MODEL.
// Server names the server itself in the log; "" means "the model server".
type Names struct{ Key, BaseURL, Model, Server string }

// Endpoint is a client for one server. It is safe for concurrent use.
type Endpoint struct {
	base    *url.URL
	azure   bool
	version string // of Azure's API
	key     string
	names   Names
	doer    *doer
	client  *openai.Client
}

const (
	openAI         = "https://api.openai.com/v1"
	defaultTimeout = 2 * time.Minute
	defaultRetries = 3
	defaultMaxBody = 4 << 20
)

// New validates the configuration. It does not connect. Its errors are for the operator and contain
// neither the key nor a password in the base URL.
func New(c Config) (*Endpoint, error) {
	azure := c.AzureVersion != ""
	base, err := parseBase(c.BaseURL, azure)
	if err != nil {
		return nil, err
	}
	key := strings.TrimSpace(c.Key) // a key read from a file often ends with a line break
	if strings.ContainsFunc(key, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return nil, errors.New("the key contains an invalid character: only printable ASCII without spaces is allowed")
	}
	if azure && !apiVersion.MatchString(c.AzureVersion) {
		return nil, fmt.Errorf("invalid Azure API version %q: expected a date such as 2024-10-21", c.AzureVersion)
	}
	if c.Timeout < 0 || c.MaxBody < 0 {
		return nil, errors.New("the timeout and the maximum response size must not be negative")
	}
	e := &Endpoint{base: base, azure: azure, version: c.AzureVersion, key: key, names: c.Names}
	config := openai.DefaultConfig(key)
	if azure {
		config = openai.DefaultAzureConfig(key, base.String())
		config.APIVersion = c.AzureVersion
		config.AzureModelMapperFunc = url.PathEscape // the operator names the deployment itself
	}
	config.BaseURL = base.String()
	e.doer = newDoer(e, c, key)
	config.HTTPClient = e.doer
	e.client = openai.NewClientWithConfig(config)
	return e, nil
}

var apiVersion = lazyregexp.New(`^[A-Za-z0-9.-]+$`)

// parseBase parses the base URL. Its errors do not repeat the URL.
func parseBase(s string, azure bool) (*url.URL, error) {
	if s == "" && azure {
		return nil, errors.New("the base URL is missing: Azure OpenAI needs the resource's URL, such as https://name.openai.azure.com")
	}
	u, err := url.Parse(cmp.Or(strings.TrimSpace(s), openAI))
	switch {
	case err != nil || u.Hostname() == "" || u.Scheme != "http" && u.Scheme != "https":
		return nil, errors.New("invalid base URL: expected http:// or https://, a host and a path, such as http://localhost:11434/v1")
	case u.RawQuery != "" || u.Fragment != "":
		return nil, errors.New("the base URL must not have a query or a fragment")
	}
	u.Path, u.RawPath = strings.TrimRight(u.Path, "/"), ""
	if azure {
		u.Path = strings.TrimSuffix(u.Path, "/openai") // go-openai adds it again
	}
	return u, nil
}

// Client returns go-openai's client for the server. Pass its errors to Explain.
func (e *Endpoint) Client() *openai.Client { return e.client }

// Azure reports whether the server speaks Azure OpenAI's dialect.
func (e *Endpoint) Azure() bool { return e.azure }

// Host returns the server's host, with the port if one was given, for people and logs.
func (e *Endpoint) Host() string { return e.base.Host }

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
