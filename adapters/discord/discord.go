package discord

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/url"
	"strings"
	"sync/atomic"
	"time"

	"atelier/adapters"
	"atelier/adapters/discord/api"
	"atelier/adapters/discord/connect"
	"atelier/adapters/discord/convert"
	"atelier/adapters/discord/lookup"
	"atelier/adapters/discord/post"
	"atelier/adapters/discord/receive"
	"atelier/adapters/download"
	"atelier/adapters/outbox"
)

// Name is the name of the adapter.
const Name = convert.Name

// Config configures an adapter.
type Config struct {
	// Token is the bot's token, without "Bot ".
	Token string
	// APIURL is the URL of another server with the same protocol; "" is Discord's. Its host may also serve files
	// and the gateway, even as a loopback address and by http.
	APIURL string
	// State stores what was posted and received, for all processes.
	State outbox.State
	// Open opens the files of replies.
	Open adapters.Opener
	// Phrases translates the sentences of the adapter; nil is English.
	Phrases adapters.Phrases
	// MaxFile is the maximum size of a sent file in bytes; 0 is the limit of each server.
	MaxFile int64
	Log     *slog.Logger     // nil logs nothing
	Now     func() time.Time // nil is time.Now
}

// Discord is one bot. Each of its parts has one job; New wires them.
type Discord struct {
	adapters.Acknowledger
	adapters.Beginner
	adapters.Deleter
	adapters.Historian
	adapters.Linker
	adapters.Limiter
	adapters.Offerer
	adapters.Reporter
	adapters.Typer
	adapters.Whisperer

	config    Config
	pauses    connect.Pauses
	api       *api.Client
	edge      *download.Client
	connected atomic.Bool // whether there is a session of the gateway

	identity  *lookup.Identity
	receiving receive.Config
	sender    *post.Sender
}

var (
	_ adapters.Adapter = (*Discord)(nil)
	_ adapters.Checker = (*Discord)(nil)
	_ adapters.Dater   = (*Discord)(nil)
)

// New returns an adapter that does not connect yet.
func New(c Config) (*Discord, error) {
	return wire(c, api.Backoff{First: 500 * time.Millisecond, Longest: time.Minute},
		connect.Pauses{Identify: 5 * time.Second, Invalid: time.Second, Answer: 30 * time.Second})
}

func wire(c Config, backoff api.Backoff, pauses connect.Pauses) (*Discord, error) {
	if c.Token == "" || c.Open == nil || c.State == nil {
		return nil, errors.New("discord: Token, Opener and State are required")
	}
	if c.Phrases == nil {
		c.Phrases = adapters.English{}
	}
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	c.Log = c.Log.With("adapter", Name)
	if c.Now == nil {
		c.Now = time.Now
	}
	reach := download.Config{Hosts: []string{"discord.com", "gateway.discord.gg", "*.discord.gg", "cdn.discordapp.com", "media.discordapp.net"}}
	if c.APIURL != "" {
		u, err := url.Parse(c.APIURL)
		if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
			return nil, errors.New("discord: the API URL must begin with http:// or https://")
		}
		reach.Allow = []string{u.Hostname()}
	}
	outside, err := download.New(reach)
	if err != nil {
		return nil, fmt.Errorf("discord: %w", err)
	}
	book, err := outbox.New(c.State)
	if err != nil {
		return nil, fmt.Errorf("discord: %w", err)
	}
	client, err := api.New(api.Config{Token: c.Token, URL: c.APIURL, HTTP: outside.HTTP(), Backoff: backoff, Log: c.Log, Now: c.Now})
	if err != nil {
		return nil, err
	}
	identity := &lookup.Identity{API: client}
	places := lookup.NewPlaces(client, c.Log)
	guests := &lookup.Guests{State: c.State, Places: places}
	composer, threads := &convert.Composer{Phrases: c.Phrases}, &post.Threads{API: client, Identity: identity, Guests: guests, Log: c.Log}
	poster := &post.Poster{
		API: client, Threads: threads, Composer: composer, Open: c.Open, Ledger: book, Log: c.Log,
		Uploads: &lookup.Uploads{Places: places, Guests: guests, Most: c.MaxFile},
	}
	responder, marks := &post.Responder{API: client, Composer: composer, Log: c.Log, Now: c.Now}, &post.Marks{Threads: threads}
	sender := &post.Sender{Poster: poster, Responder: responder}
	messages := &lookup.Messages{API: client, Identity: identity, Places: places, Guests: guests}
	return &Discord{
		Acknowledger: marks, Offerer: marks, Deleter: &post.Deleter{Threads: threads}, Limiter: sender, Beginner: sender,
		Reporter: &post.Progress{Poster: poster}, Typer: &post.Typer{API: client, Guests: guests}, Whisperer: &post.Whisperer{Responder: responder},
		Historian: messages, Linker: &lookup.Links{Messages: messages, Files: outside.Allows},
		config: c, pauses: pauses, api: client, edge: outside, identity: identity, sender: sender,
		receiving: receive.Config{
			API: client, Identity: identity, Places: places, Guests: guests, Responder: responder, Phrases: c.Phrases, State: c.State, Log: c.Log, Now: c.Now,
		},
	}, nil
}

// Name returns "discord".
func (*Discord) Name() string { return Name }

// Listen receives events until the context ends or retrying cannot help.
func (d *Discord) Listen(ctx context.Context, handle adapters.Handler) error {
	return receive.Run(ctx, d.receiving, handle, func(ctx context.Context, events *receive.Events) error {
		g := &connect.Gateway{
			API: d.api, Edge: d.edge, Identity: d.identity, Events: events, Intents: connect.Intents, Pauses: d.pauses,
			Connected: &d.connected, Log: d.config.Log,
		}
		return g.Run(ctx)
	})
}

// Check fails unless the gateway is connected and Discord accepts the token.
func (d *Discord) Check(ctx context.Context) error {
	if _, err := d.identity.Self(ctx); err != nil {
		return err
	}
	if !d.connected.Load() {
		return &adapters.Fault{Sentence: "The connection to Discord is down. I keep trying to reconnect."}
	}
	return nil
}

// Fetch opens a file that somebody sent. Its URL is valid for about a day.
func (d *Discord) Fetch(ctx context.Context, f adapters.File) (io.ReadCloser, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	address, ok := strings.CutPrefix(f.Handle, convert.HandlePrefix)
	if !ok {
		return nil, &adapters.Fault{Sentence: "This file is not from Discord.", Kind: adapters.ErrInvalid}
	}
	return d.edge.Open(ctx, address, nil)
}

// Send posts a reply: its files first, then its text with the choices.
func (d *Discord) Send(ctx context.Context, key string, r adapters.Reply) (adapters.MessageRef, error) {
	return d.sender.Send(ctx, key, r)
}
