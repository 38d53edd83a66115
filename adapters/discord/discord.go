// Package discord connects Discord: its gateway tells what happens there, and its REST
// interface is how the bot answers. The library discordgo gives both their types, and makes
// the calls; the connection to the gateway is the package's own, since the library's can
// neither be ended by a context, nor tells why Discord has closed it.
//
// # What people see
//
// The bot hears what mentions it, replies to it or is written to it directly, and what is
// written in threads. A mention in a channel begins a thread, which is made from that
// message when the bot first writes; where Discord refuses that, the bot answers in the
// channel, as a reply, and says why. "/atelier" and the entry "Use with Atelier" of a
// message's menu do the same without a mention.
//
// # Promises, beyond those of every adapter
//
//   - The gateway is asked for the least: servers, messages, reactions, direct messages, and
//     the content of messages. Where Discord does not grant the last one, the bot goes on
//     without it, and hears mentions, replies and direct messages alone ([Account.Content]).
//   - A connection that breaks is taken up where it was, and Discord tells what was missed.
//     Where it does not any more, a new one begins, and the channels in which something was
//     written meanwhile are read from there on, again and again until Discord gives them. The
//     same is done when a process listens after another one: the state keeps up to which
//     message all were taken. Who listens for the first time hears nothing of before.
//     Reactions, commands and buttons of that time are lost, and so is what is written in
//     direct channels in which nothing was heard before.
//   - One process is meant to listen for a token, and others to take its place: of several,
//     each hands the same messages over under the same keys, but Discord's reactions have no
//     names of their own, so that theirs come under a key of each session.
//   - Of all reactions that are removed from a message at once nothing is heard: Discord does
//     not tell whose they were.
//   - Listen ends only where trying again cannot help: a token that is refused, and what the
//     gateway says never to try again.
//   - Send posts each part of a reply under a nonce made of its key, which Discord enforces
//     for some minutes; what was posted is in the ledger. So what is left is a part whose
//     confirmation was lost and which is sent again later than that.
//   - The files of a reply come before its text or with the beginning of it, ten to a message,
//     so that the text can say which ones Discord does not take.
//   - No error and no log holds the token, a signed address, or what people wrote.
package discord

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"sync/atomic"
	"time"

	"atelier/adapters"
	"atelier/adapters/edge"
	"atelier/adapters/inbox"
	"atelier/adapters/ledger"
	"atelier/adapters/turns"
)

// Name is the adapter's.
const Name = "discord"

// Config is what a connection is made of.
type Config struct {
	// Token is the bot's, without "Bot ".
	Token string
	// APIURL is where the REST interface is, "" is Discord's own. Its host is allowed for
	// files and the gateway too, loopback and http with it.
	APIURL string
	// State keeps what was posted, for all processes.
	State ledger.State
	// Open opens what is attached to replies.
	Open adapters.Opener
	// Phrases tell the few words that the adapter adds; nil is English alone.
	Phrases Phrases
	// MaxFile is the most bytes of one file that Discord takes; 0 is 10 MiB. Servers with
	// boosts take more.
	MaxFile int64
	// Proxy is as in [http.Transport]; nil is the environment's.
	Proxy func(*http.Request) (*url.URL, error)
	Log   *slog.Logger // nil is none
	// Now is the clock; nil is the system's.
	Now func() time.Time
}

// Phrases tell a fixed sentence in a language.
type Phrases interface {
	Say(language, format string, args ...any) string
}

const defaultMaxFile = 10 << 20

// Discord is a connection to Discord. It is an [adapters.Adapter], and all that a platform
// can do besides but keep threads itself.
type Discord struct {
	config Config
	log    *slog.Logger
	api    *api
	files  *edge.Client
	ledger *ledger.Ledger
	keys   turns.Turns // one at a time sends under a key
	waits  waits
	// whispers are where commands are answered.
	whispers whispers
	me       atomic.Pointer[string] // the bot's id, once it is known
	// connected tells that the gateway has taken the bot, and is alive.
	connected atomic.Bool
}

// New makes a connection. It starts nothing.
func New(c Config) (*Discord, error) {
	if c.Token == "" || c.Open == nil || c.State == nil {
		return nil, errors.New("discord: a token, an opener and a state are needed")
	}
	if c.MaxFile <= 0 {
		c.MaxFile = defaultMaxFile
	}
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	d := &Discord{config: c, log: c.Log.With("adapter", Name), waits: defaultWaits}
	hosts := edge.Config{Hosts: []string{"discord.com", "gateway.discord.gg", "*.discord.gg", "cdn.discordapp.com", "media.discordapp.net"}, Proxy: c.Proxy}
	if c.APIURL != "" {
		u, err := url.Parse(c.APIURL)
		if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
			return nil, errors.New("discord: the address of the REST interface is none of the web")
		}
		hosts.Allow = []string{u.Hostname()}
	}
	var err error
	if d.files, err = edge.New(hosts); err != nil {
		return nil, fmt.Errorf("discord: %w", err)
	}
	if d.ledger, err = ledger.New(c.State); err != nil {
		return nil, fmt.Errorf("discord: %w", err)
	}
	d.api, err = newAPI(c, d.files.HTTP())
	return d, err
}

// Name is "discord".
func (d *Discord) Name() string { return Name }

// Listen hears what happens until its context ends.
func (d *Discord) Listen(ctx context.Context, handle adapters.Handler) error {
	if ctx.Err() != nil {
		return nil
	}
	in, err := inbox.New(inbox.Config{Handle: handle, Log: d.log})
	if err != nil {
		return fmt.Errorf("discord: %w", err)
	}
	defer d.connected.Store(false)
	past, err := d.recall(ctx)
	if err != nil {
		in.Close()
		return nil // the context has ended
	}
	h := newHearer(ctx, d, in, past)
	g := &gateway{d: d, hear: h.take, full: h.full, room: h.room, intents: intents}
	err = g.run(ctx)
	h.close()
	in.Close()
	ctx, stop := context.WithTimeout(context.WithoutCancel(ctx), lastWrite)
	defer stop()
	if lost := h.mark.write(ctx, d, h.own); lost != nil {
		d.log.WarnContext(ctx, "what was heard cannot be kept", "error", lost)
	}
	return err
}

// lastWrite is how long the end of Listen may take for keeping what was heard.
const lastWrite = 5 * time.Second

// Check tells whether the gateway is connected and the token taken.
func (d *Discord) Check(ctx context.Context) error {
	if _, err := d.self(ctx); err != nil {
		return err
	}
	if !d.connected.Load() {
		return &adapters.Fault{Sentence: "The connection to Discord is down. It is tried again all the time."}
	}
	return nil
}

// self asks Discord who the bot is.
func (d *Discord) self(ctx context.Context) (user, error) {
	var u user
	if err := d.api.get(ctx, "users/@me", &u); err != nil {
		return user{}, err
	}
	d.me.Store(&u.ID)
	return u, nil
}

// own is the bot's id.
func (d *Discord) own(ctx context.Context) (string, error) {
	if id := d.me.Load(); id != nil {
		return *id, nil
	}
	u, err := d.self(ctx)
	return u.ID, err
}

// say tells a fixed sentence in a language.
func (d *Discord) say(language, sentence string, args ...any) string {
	switch {
	case d.config.Phrases != nil:
		return d.config.Phrases.Say(language, sentence, args...)
	case len(args) > 0:
		return fmt.Sprintf(sentence, args...)
	}
	return sentence
}

var (
	_ adapters.Adapter      = (*Discord)(nil)
	_ adapters.Acknowledger = (*Discord)(nil)
	_ adapters.Reporter     = (*Discord)(nil)
	_ adapters.Typer        = (*Discord)(nil)
	_ adapters.Offerer      = (*Discord)(nil)
	_ adapters.Deleter      = (*Discord)(nil)
	_ adapters.Historian    = (*Discord)(nil)
	_ adapters.Limiter      = (*Discord)(nil)
	_ adapters.Checker      = (*Discord)(nil)
)
