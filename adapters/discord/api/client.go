package api

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"mime/multipart"
	"net/http"
	"net/textproto"
	"net/url"
	"strings"
	"time"

	"atelier/agent/sleep"

	"github.com/bwmarrin/discordgo"

	"atelier/adapters"
	"atelier/adapters/lenient"
)

// How long a call may take, and one that uploads files.
const (
	CallTimeout   = 30 * time.Second
	uploadTimeout = 5 * time.Minute
)

// Backoff is the pauses between retries: the first one, then doubling, up to the longest.
type Backoff struct{ First, Longest time.Duration }

// Retry calls try until it is done or the context ends. It waits longer if an error asks for it.
func (b Backoff) Retry(ctx context.Context, try func() (done bool, err error)) error {
	for wait := b.First; ; wait = min(2*wait, b.Longest) {
		done, err := try()
		if done {
			return err
		}
		if ended := sleep.For(ctx, max(wait, adapters.Wait(err))); ended != nil {
			return errors.Join(ended, err)
		}
	}
}

// Config configures a client.
type Config struct {
	Token string // without "Bot "
	// URL is that of another server with the same protocol; "" is Discord's.
	URL     string
	HTTP    *http.Client
	Backoff Backoff
	Log     *slog.Logger
	Now     func() time.Time
}

// Client calls Discord through the library, but without its rate limiter and retries, which ignore contexts.
type Client struct {
	Backoff

	Session *discordgo.Session // with the token and the user agent
	log     *slog.Logger
}

// New returns a client.
func New(c Config) (*Client, error) {
	session, err := discordgo.New("Bot " + c.Token)
	if err != nil {
		return nil, fmt.Errorf("discord: %w", err)
	}
	session.ShouldRetryOnRateLimit = false
	session.MaxRestRetries = 0
	base := strings.TrimSuffix(discordgo.EndpointAPI, "/")
	if c.URL != "" {
		base = strings.TrimRight(c.URL, "/")
	}
	session.Client = &http.Client{
		Transport:     newPacer(rebased{base: base, next: c.HTTP.Transport}, c.Now),
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	return &Client{Backoff: c.Backoff, Session: session, log: c.Log}, nil
}

// rebased redirects requests for Discord's own API to another server.
type rebased struct {
	base string
	next http.RoundTripper
}

func (e rebased) RoundTrip(r *http.Request) (*http.Response, error) {
	to, err := url.Parse(e.base + "/" + strings.TrimPrefix(r.URL.String(), discordgo.EndpointAPI))
	if err != nil {
		return nil, fmt.Errorf("discord: %w", err)
	}
	r = r.Clone(r.Context())
	r.URL, r.Host = to, to.Host
	return e.next.RoundTrip(r) //nolint:wrapcheck // the library wraps it
}

// Get reads an object.
func (c *Client) Get(ctx context.Context, path string, out any) error {
	return c.Call(ctx, http.MethodGet, path, nil, out)
}

// Await reads an object, and retries until Discord answers. It fails if Discord rejects the call permanently, or
// the context ends.
func (c *Client) Await(ctx context.Context, path string, out any) error {
	return c.Retry(ctx, func() (bool, error) {
		err := c.Get(ctx, path, out)
		if !IsTransient(err) || ctx.Err() != nil {
			return true, err
		}
		c.log.WarnContext(ctx, "a lookup failed", "error", err)
		return false, err
	})
}

// Call sends an object, unless in is nil, and reads the answer, unless out is nil.
func (c *Client) Call(ctx context.Context, method, path string, in, out any) error {
	var body []byte
	if in != nil {
		var err error
		if body, err = json.Marshal(in); err != nil {
			return fmt.Errorf("discord: %w", err)
		}
	}
	ctx, stop := context.WithTimeout(ctx, CallTimeout)
	defer stop()
	return c.send(ctx, method, path, "application/json", body, out)
}

// File is a file to upload.
type File struct {
	Name, Type string
	Content    []byte
}

var quoted = strings.NewReplacer(`\`, `\\`, `"`, `\"`)

// Upload posts an object with files.
func (c *Client) Upload(ctx context.Context, path string, in any, files []File, out any) error {
	var b bytes.Buffer
	form := multipart.NewWriter(&b)
	payload, err := json.Marshal(in)
	err = errors.Join(err, field(form, `form-data; name="payload_json"`, "application/json", payload))
	for i, f := range files {
		if f.Type == "" || strings.ContainsFunc(f.Type, func(r rune) bool { return r < ' ' || r > '~' }) {
			f.Type = "application/octet-stream"
		}
		err = errors.Join(err, field(form, fmt.Sprintf(`form-data; name="files[%d]"; filename="%s"`, i, quoted.Replace(f.Name)), f.Type, f.Content))
	}
	if err := errors.Join(err, form.Close()); err != nil {
		return fmt.Errorf("discord: %w", err)
	}
	ctx, stop := context.WithTimeout(ctx, uploadTimeout)
	defer stop()
	return c.send(ctx, http.MethodPost, path, form.FormDataContentType(), b.Bytes(), out)
}

func field(form *multipart.Writer, disposition, kind string, content []byte) error {
	w, err := form.CreatePart(textproto.MIMEHeader{"Content-Disposition": {disposition}, "Content-Type": {kind}})
	if err == nil {
		_, err = w.Write(content)
	}
	return err //nolint:wrapcheck // Upload does
}

// send makes a call. Its errors are those of the adapters.
func (c *Client) send(ctx context.Context, method, path, contentType string, body []byte, out any) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	bucket := discordgo.NewRatelimiter().LockBucket("") // a new one never waits
	answer, err := c.Session.RequestWithLockedBucket(method, discordgo.EndpointAPI+path, contentType, body, bucket, 0, discordgo.WithContext(ctx))
	if err != nil {
		return fault(ctx, err)
	}
	if out == nil || len(bytes.TrimSpace(answer)) == 0 {
		return nil
	}
	if !Decode(answer, out) {
		return &adapters.Fault{
			Sentence: "Discord sent an answer that cannot be read. I will try again.", Err: fmt.Errorf("%w of %d bytes", errUnread, len(answer)),
		}
	}
	return nil
}

// Decode reads an object as far as possible, and reports whether it could.
func Decode(data []byte, v any) bool {
	_, err := lenient.Unmarshal(data, v)
	return err == nil
}
