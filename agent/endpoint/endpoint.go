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
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
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
