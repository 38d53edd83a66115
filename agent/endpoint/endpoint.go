// Package endpoint speaks to one server with OpenAI's API: OpenAI itself, Azure OpenAI, vLLM,
// Ollama, llama.cpp's server, LocalAI and the like.
//
// Guarantees:
//
//   - A call is retried, with jittered backoff, where that can help: after too many requests,
//     server errors, a connection that failed or broke during the answer, and once after a
//     hang. It is not retried after any other refusal or when the quota is used up. The server's own
//     advice (Retry-After, X-Should-Retry) takes precedence. The context ends attempts and waits.
//     Expensive work (see Request.Work) is asked for again only if nothing was made yet.
//   - If a model is loading, the call waits as long as the server expects, but at most a minute,
//     unless the caller waits itself (see Request.Waits).
//   - An answer is returned only when it is complete, and is never larger than Config.MaxBody or
//     the Request's limit.
//   - The key goes to that server and nowhere else: not to the host of a redirect, not into an
//     error, not into the log, even if the server's answer repeats it. Errors and the log also
//     contain no bodies, no text of people that the server repeats, and no addresses with user
//     info or query.
//   - A private server (see Private) is reached directly and at a private address, or not at all,
//     whatever its name resolves to. Config.Transport takes over this duty for what it dials
//     itself.
//   - Every failure becomes a sentence for people and a Kind to decide by (see Endpoint.Sort).
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

// Config says which server, and how patiently it is asked.
type Config struct {
	// BaseURL ends before /chat/completions; "" is OpenAI's own, https://api.openai.com/v1.
	// For Azure it is the resource's: https://NAME.openai.azure.com.
	BaseURL string
	// Key is a secret. Servers of one's own often want none.
	Key string
	// AzureVersion, where set, means Azure OpenAI's dialect with this api-version; the
	// model of a call is then the name of a deployment.
	AzureVersion string
	// Timeout is that of one try, from the first byte sent to the last one read; 0 is
	// two minutes.
	Timeout time.Duration
	// Retries is how often a call is tried after the first time; 0 is 3, less is never.
	Retries int
	// MaxBody is the most bytes that an answer may have; 0 is 4 MiB.
	MaxBody int64
	// Transport carries the tries; nil is one of its own.
	Transport http.RoundTripper
	// Wrap goes round what carries the tries, that of the endpoint's own included, with its
	// rules for private servers; nil is as it is.
	Wrap func(http.RoundTripper) http.RoundTripper
	// Wait returns after d, or with an error before, when ctx ends; nil waits by the clock.
	Wait func(ctx context.Context, d time.Duration) error
	// Log hears of each retry; nil is silence.
	Log *slog.Logger
	// Names are those of the settings, for sentences that tell the operator what to check.
	Names Names
}

// Names are how the operator calls the settings of a server; "" is OPENAI_API_KEY,
// OPENAI_BASE_URL and OPENAI_MODEL. Server is what the log calls the server itself; "" is
// the model server.
type Names struct{ Key, BaseURL, Model, Server string }

// Endpoint is one server. It is safe for use by many goroutines.
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

// New checks the configuration. It dials nothing. Its errors are for the operator and
// name neither the key nor a password in the base URL.
func New(c Config) (*Endpoint, error) {
	azure := c.AzureVersion != ""
	base, err := parseBase(c.BaseURL, azure)
	if err != nil {
		return nil, err
	}
	key := strings.TrimSpace(c.Key) // a key is often read from a file with a line break
	if strings.ContainsFunc(key, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return nil, errors.New("the key holds a character that no key has: letters, digits and ASCII signs are expected, without spaces")
	}
	if azure && !apiVersion.MatchString(c.AzureVersion) {
		return nil, fmt.Errorf("the Azure API version %q is none: a date such as 2024-10-21 is expected", c.AzureVersion)
	}
	if c.Timeout < 0 || c.MaxBody < 0 {
		return nil, errors.New("the timeout and the size of an answer must not be negative")
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

// parseBase reads the base URL; what is wrong with it is said without repeating it.
func parseBase(s string, azure bool) (*url.URL, error) {
	if s == "" && azure {
		return nil, errors.New("the base URL is missing: Azure OpenAI needs that of the resource, such as https://name.openai.azure.com")
	}
	u, err := url.Parse(cmp.Or(strings.TrimSpace(s), openAI))
	switch {
	case err != nil || u.Hostname() == "" || u.Scheme != "http" && u.Scheme != "https":
		return nil, errors.New("the base URL is not one: http:// or https://, a host and a path are expected, such as http://localhost:11434/v1")
	case u.RawQuery != "" || u.Fragment != "":
		return nil, errors.New("the base URL must not have a query or a fragment")
	}
	u.Path, u.RawPath = strings.TrimRight(u.Path, "/"), ""
	if azure {
		u.Path = strings.TrimSuffix(u.Path, "/openai") // the dialect puts it there
	}
	return u, nil
}

// Client is go-openai's client for the server. Hand what it fails with to Sort.
func (e *Endpoint) Client() *openai.Client { return e.client }

// Azure reports whether the server speaks Azure OpenAI's dialect.
func (e *Endpoint) Azure() bool { return e.azure }

// Host names the server for people and logs: its name, and the port where one was given.
func (e *Endpoint) Host() string { return e.base.Host }
