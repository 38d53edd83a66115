package discord

import (
	"context"
	"errors"
	"math/rand/v2"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/bwmarrin/discordgo"
	"github.com/gorilla/websocket"

	"atelier/adapters"
)

// intents are the least that the bot needs.
const intents = discordgo.IntentGuilds | discordgo.IntentGuildMessages | discordgo.IntentGuildMessageReactions |
	discordgo.IntentDirectMessages | discordgo.IntentDirectMessageReactions | discordgo.IntentMessageContent

// waits are how long the gateway is left alone.
type waits struct {
	identify time.Duration // between two new sessions, of which a bot has 1,000 a day
	invalid  time.Duration // after a session that cannot be taken up, up to five times that
	first    time.Duration // after the first failure, then twice that and so on
	longest  time.Duration
	answer   time.Duration // for hello, and then until a session is there
}

var defaultWaits = waits{identify: 5 * time.Second, invalid: time.Second, first: 500 * time.Millisecond, longest: time.Minute, answer: 30 * time.Second}

// gateway keeps a connection to Discord's gateway for one Listen.
type gateway struct {
	d       *Discord
	hear    func(dispatch)              // which never blocks
	full    func() bool                 // whether nothing more can be heard
	room    func(context.Context) error // waits until it can
	intents discordgo.Intent

	// The session, as far as it can be taken up again.
	session  string
	resumeAt string
	sequence int64

	identified time.Time // when the last new session was asked for
	ready      bool      // whether the last connection was taken
}

// dispatch is an event of the gateway.
type dispatch struct {
	session  string
	sequence int64
	name     string
	data     []byte
}

// Why a connection has ended, where it is not for an error of the network.
var (
	errReconnect = errors.New("discord: the gateway wants another connection")
	errInvalid   = errors.New("discord: the gateway does not know the session")
	errZombie    = errors.New("discord: the gateway is silent")
	errFull      = errors.New("discord: too much waits to be taken")
)

// run connects as often as it must. It returns nil when the context has ended.
func (g *gateway) run(ctx context.Context) error {
	failures := 0
	for {
		g.ready = false
		err := g.connect(ctx)
		g.d.connected.Store(false)
		if ctx.Err() != nil {
			return nil //nolint:nilerr // whatever ended with the context
		}
		if err := g.judge(err); err != nil {
			return err
		}
		if g.ready {
			failures = 0
		}
		g.d.log.WarnContext(ctx, "the connection to the gateway has ended; it is made again", "failures", failures, "error", detail(err))
		wait := rand.N(g.d.waits.first/2 + 1) //nolint:gosec // many bots shall not come at once, that is all
		if failures > 0 {
			wait = min(g.d.waits.first<<min(failures-1, 16), g.d.waits.longest)/2 + rand.N(g.d.waits.first) //nolint:gosec // as above
		}
		if errors.Is(err, errInvalid) {
			wait = g.d.waits.invalid + rand.N(4*g.d.waits.invalid+1) //nolint:gosec // as above
		}
		failures++
		if sleep(ctx, max(wait, adapters.Wait(err))) != nil {
			return nil //nolint:nilerr // Listen ends by its context without an error
		}
	}
}

// judge gives the error with which to end for ever, or nil where to connect again. It is
// after the documentation's "Gateway Close Event Codes".
func (g *gateway) judge(err error) error {
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
	refused := func(sentence string) error {
		return &adapters.Fault{Sentence: sentence, Kind: adapters.ErrRefused, Err: &closing{closed.Code}}
	}
	switch closed.Code {
	case 4003, 4007, 4009: // not authenticated, a wrong sequence, a session that timed out
		g.forget()
	case 4004:
		return refused("Discord does not take the token. Whoever runs the program must set DISCORD_TOKEN anew.")
	case 4010, 4011:
		return refused("The bot is in more servers than one connection to Discord may serve. Whoever runs the program must remove it from some.")
	case 4012, 4013:
		return refused("Discord does not speak this version of its gateway any more. Whoever runs the program needs a newer one.")
	case 4014:
		g.forget()
		if g.intents&discordgo.IntentMessageContent == 0 {
			return refused("Discord does not let the bot hear. Whoever runs the program must look at its intents in Discord's developer portal.")
		}
		g.intents &^= discordgo.IntentMessageContent
		g.d.log.Warn("Discord does not grant the intent to read messages: only mentions, replies and direct messages are heard")
	}
	return nil
}

// forget lets the next connection begin a new session.
func (g *gateway) forget() { g.session, g.resumeAt, g.sequence = "", "", 0 }

// closing is a close code of the gateway.
type closing struct{ code int }

func (c *closing) Error() string { return "discord: the gateway closed with " + itoa(c.code) }

// detail is what a log may hold of why a connection has ended: no words of the server.
func detail(err error) error {
	if closed, ok := errors.AsType[*websocket.CloseError](err); ok {
		return &closing{closed.Code}
	}
	return redacted(err)
}

// address is where the gateway is. A session is taken up where Discord says, if that is one
// of the gateway's own hosts.
func (g *gateway) address(ctx context.Context) (string, error) {
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
	err := g.d.api.get(ctx, "gateway/bot", &told)
	if errors.Is(err, adapters.ErrGone) { // a server that has the plain one only
		err = g.d.api.get(ctx, "gateway", &told)
	}
	if err != nil {
		return "", err
	}
	if l := told.Limits; l != nil && l.Remaining <= 0 && l.ResetAfter > 0 && g.session == "" {
		return "", paused(time.Duration(l.ResetAfter) * time.Millisecond)
	}
	return told.URL, nil
}

// resumable is where to take a session up, "" where that address is none of the gateway's:
// the token is sent there.
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
func (g *gateway) dial(ctx context.Context, address string) (*websocket.Conn, error) {
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "ws" && u.Scheme != "wss" {
		return nil, &adapters.Fault{Sentence: "Discord says of its gateway what is no address. It is tried again."}
	}
	if u.Path == "" {
		u.Path = "/"
	}
	u.RawQuery = "v=" + discordgo.APIVersion + "&encoding=json"
	ctx, stop := context.WithTimeout(ctx, callTime)
	defer stop()
	conn, err := g.d.files.Socket(ctx, u.String(), http.Header{"User-Agent": {g.d.api.session.UserAgent}})
	return conn, redacted(err)
}
