package connect

import (
	"context"
	"errors"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"atelier/agent/sleep"

	"github.com/bwmarrin/discordgo"
	"github.com/gorilla/websocket"

	"atelier/adapters"
	"atelier/adapters/discord/api"
	"atelier/adapters/discord/convert"
	"atelier/adapters/discord/lookup"
	"atelier/adapters/download"
)

// Intents are the minimum that the bot needs.
const Intents = discordgo.IntentGuilds | discordgo.IntentGuildMessages | discordgo.IntentGuildMessageReactions |
	discordgo.IntentDirectMessages | discordgo.IntentDirectMessageReactions | discordgo.IntentMessageContent

// Pauses are the waiting times of the gateway.
type Pauses struct {
	Identify time.Duration // between two new sessions; a bot has 1,000 per day
	Invalid  time.Duration // after an invalid session; it is up to five times that
	Answer   time.Duration // for hello, and then for the session
}

// Events accepts the events of the gateway.
type Events interface {
	Take(e convert.Dispatch) // it does not block
	IsFull() bool
	AwaitRoom(ctx context.Context) error
}

// Gateway holds a connection to Discord's gateway.
type Gateway struct {
	API       *api.Client
	Edge      *download.Client
	Identity  *lookup.Identity
	Events    Events
	Intents   discordgo.Intent
	Pauses    Pauses
	Connected *atomic.Bool // it is set and cleared
	Log       *slog.Logger

	// The session, as far as it can be resumed.
	session  string
	resumeAt string
	sequence int64

	identified time.Time // when the last new session was requested
	ready      bool      // whether the last connection had a session
}

// The reasons why a connection ends, other than network errors.
var (
	errReconnect = errors.New("discord: the gateway requested a reconnect")
	errInvalid   = errors.New("discord: invalid session")
	errZombie    = errors.New("discord: missed heartbeat acknowledgement")
	errFull      = errors.New("discord: the event queue is full")
)

// closing is a close code of the gateway.
type closing struct{ code int }

func (c *closing) Error() string { return "discord: the gateway closed with " + strconv.Itoa(c.code) }

// Run connects and reconnects. It returns nil when the context ends, and an error if retrying
// cannot help.
func (g *Gateway) Run(ctx context.Context) error {
	failures := 0
	for {
		g.ready = false
		err := g.connect(ctx)
		g.Connected.Store(false)
		if ctx.Err() != nil {
			return nil //nolint:nilerr // whatever ended with the context
		}
		if err := g.check(err); err != nil {
			return err
		}
		if g.ready {
			failures = 0
		}
		detail := download.Detail(err)
		if closed, ok := errors.AsType[*websocket.CloseError](err); ok { // without the server's words
			detail = &closing{closed.Code}
		}
		g.Log.WarnContext(ctx, "the connection to the gateway has ended; reconnecting", "failures", failures, "error", detail)
		first, longest := g.API.First, g.API.Longest
		wait := rand.N(first/2 + 1) //nolint:gosec // jitter
		if failures > 0 {
			wait = min(first<<min(failures-1, 16), longest)/2 + rand.N(first) //nolint:gosec // as above
		}
		if errors.Is(err, errInvalid) {
			wait = g.Pauses.Invalid + rand.N(4*g.Pauses.Invalid+1) //nolint:gosec // as above
		}
		failures++
		if sleep.For(ctx, max(wait, adapters.Wait(err))) != nil {
			return nil //nolint:nilerr // the context has ended
		}
	}
}

// check returns the error to end with, or nil to reconnect ("Gateway Close Event Codes" in
// Discord's documentation).
func (g *Gateway) check(err error) error {
	if errors.Is(err, adapters.ErrRefused) {
		return err
	}
	if errors.Is(err, errInvalid) {
		g.forget()
	}
	closed, ok := errors.AsType[*websocket.CloseError](err)
	if !ok {
		return nil
	}
	refused := &adapters.Fault{Kind: adapters.ErrRefused, Err: &closing{closed.Code}}
	switch closed.Code {
	case 4003, 4007, 4009: // not authenticated, a wrong sequence, a session that timed out
		g.forget()
		return nil
	case 4004:
		refused.Sentence = "Discord rejected the token. The operator must set a new DISCORD_TOKEN."
	case 4010, 4011:
		refused.Sentence = "The bot is in more servers than Discord allows for one connection. The operator must remove it from some."
	case 4012, 4013:
		refused.Sentence = "Discord no longer supports the gateway version that this program uses. The operator must update the program."
	case 4014:
		g.forget()
		if g.Intents&discordgo.IntentMessageContent != 0 {
			g.Intents &^= discordgo.IntentMessageContent
			g.Log.Warn("Discord does not grant the intent to read messages: only mentions, replies and direct messages are received")
			return nil
		}
		refused.Sentence = "Discord does not send messages to the bot. The operator must check its intents in Discord's developer portal."
	default:
		return nil
	}
	return refused
}

// forget makes the next connection begin a new session.
func (g *Gateway) forget() { g.session, g.resumeAt, g.sequence = "", "", 0 }

// address returns the URL for resuming the session, or else that of the gateway.
func (g *Gateway) address(ctx context.Context) (string, error) {
	var told struct {
		URL    string `json:"url"`
		Limits *struct {
			Remaining  int   `json:"remaining"`
			ResetAfter int64 `json:"reset_after"` // milliseconds
		} `json:"session_start_limit"`
	}
	if g.session != "" && g.resumeAt != "" {
		return g.resumeAt, nil
	}
	err := g.API.Get(ctx, "gateway/bot", &told)
	if errors.Is(err, adapters.ErrGone) { // another server has only the plain call
		err = g.API.Get(ctx, "gateway", &told)
	}
	if err != nil {
		return "", err
	}
	if l := told.Limits; l != nil && l.Remaining <= 0 && l.ResetAfter > 0 && g.session == "" {
		return "", api.RateLimited(time.Duration(l.ResetAfter) * time.Millisecond)
	}
	return told.URL, nil
}

// resumable returns the URL for resuming a session, "" if it is not on the gateway's own hosts, since the token is
// sent there.
func resumable(gateway, resume string) string {
	from, err := url.Parse(gateway)
	if err != nil {
		return ""
	}
	to, err := url.Parse(resume)
	if err != nil || to.Scheme != from.Scheme || to.Host == "" {
		return ""
	}
	official := func(u *url.URL) bool { return strings.HasSuffix(u.Hostname(), ".discord.gg") }
	if to.Host == from.Host || official(from) && official(to) {
		return resume
	}
	return ""
}

// dial opens a connection to the gateway.
func (g *Gateway) dial(ctx context.Context, address string) (*websocket.Conn, error) {
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "ws" && u.Scheme != "wss" {
		return nil, &adapters.Fault{Sentence: "Discord returned an invalid address for its gateway. I will try again."}
	}
	if u.Path == "" {
		u.Path = "/"
	}
	u.RawQuery = "v=" + discordgo.APIVersion + "&encoding=json"
	ctx, stop := context.WithTimeout(ctx, api.CallTimeout)
	defer stop()
	conn, err := g.Edge.Socket(ctx, u.String(), http.Header{"User-Agent": {g.API.Session.UserAgent}})
	return conn, download.Detail(err)
}
