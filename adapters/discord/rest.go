package discord

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/bwmarrin/discordgo"

	"atelier/adapters"
)

// How long a call may take, and one that uploads files.
const (
	callTime   = 30 * time.Second
	uploadTime = 5 * time.Minute
)

// api calls Discord's REST interface through the library, whose own limiter and retries,
// which know no contexts, are left out.
type api struct {
	session *discordgo.Session
}

func newAPI(c Config, client *http.Client) (*api, error) {
	session, err := discordgo.New("Bot " + c.Token)
	if err != nil {
		return nil, fmt.Errorf("discord: %w", err)
	}
	session.ShouldRetryOnRateLimit = false
	session.MaxRestRetries = 0
	base := strings.TrimSuffix(discordgo.EndpointAPI, "/")
	if c.APIURL != "" {
		base = strings.TrimRight(c.APIURL, "/")
	}
	session.Client = &http.Client{
		Transport:     newPacer(elsewhere{base: base, next: client.Transport}, c.Now),
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	return &api{session: session}, nil
}

// elsewhere sends what is meant for Discord's own interface to another base.
type elsewhere struct {
	base string
	next http.RoundTripper
}

func (e elsewhere) RoundTrip(r *http.Request) (*http.Response, error) {
	rest := strings.TrimPrefix(r.URL.String(), discordgo.EndpointAPI)
	to, err := url.Parse(e.base + "/" + rest)
	if err != nil {
		return nil, fmt.Errorf("discord: %w", err)
	}
	r = r.Clone(r.Context())
	r.URL, r.Host = to, to.Host
	return e.next.RoundTrip(r) //nolint:wrapcheck // the library wraps it
}

// get reads an object.
func (a *api) get(ctx context.Context, path string, out any) error {
	return a.call(ctx, http.MethodGet, path, nil, out)
}

// call sends an object as JSON, where it is not nil, and reads the answer, where out is not.
func (a *api) call(ctx context.Context, method, path string, in, out any) error {
	var body []byte
	if in != nil {
		var err error
		if body, err = json.Marshal(in); err != nil {
			return fmt.Errorf("discord: %w", err)
		}
	}
	ctx, stop := context.WithTimeout(ctx, callTime)
	defer stop()
	return a.send(ctx, method, path, "application/json", body, out)
}

// send makes a call. What fails is one of the adapters' errors.
func (a *api) send(ctx context.Context, method, path, contentType string, body []byte, out any) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	bucket := discordgo.NewRatelimiter().LockBucket("") // a new one each time never waits
	answer, err := a.session.RequestWithLockedBucket(method, discordgo.EndpointAPI+path, contentType, body, bucket, 0, discordgo.WithContext(ctx))
	if err != nil {
		return fault(ctx, err)
	}
	if out == nil || len(bytes.TrimSpace(answer)) == 0 {
		return nil
	}
	if !decode(answer, out) {
		return &adapters.Fault{
			Sentence: "Discord has answered what cannot be read. It is tried again.", Err: fmt.Errorf("%w of %d bytes", errUnread, len(answer)),
		}
	}
	return nil
}

// errUnread tells that an answer is no JSON of Discord's.
var errUnread = errors.New("discord: an answer")

// isID tells whether a text is an id of Discord, which may stand in a path.
func isID(s string) bool {
	return s != "" && len(s) <= 20 && strings.Trim(s, "0123456789") == ""
}
