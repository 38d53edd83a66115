package slack

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"time"

	"github.com/slack-go/slack"
	"golang.org/x/time/rate"

	"atelier/adapters"
	"atelier/adapters/download"
	"atelier/adapters/outbox"
	"atelier/adapters/slack/api"
	"atelier/adapters/slack/connect"
	"atelier/adapters/slack/convert"
	"atelier/adapters/slack/lookup"
	"atelier/adapters/slack/post"
	"atelier/adapters/slack/receive"
	"atelier/adapters/slack/share"
)

// Name is the name of the adapter.
const Name = convert.Name

const (
	officialURL    = slack.APIURL
	officialHost   = "slack.com"
	defaultMaxFile = 1 << 30 // Slack's limit
)

// Config configures an adapter.
type Config struct {
	// BotToken is the token for calls, "xoxb-…".
	BotToken string
	// AppToken, "xapp-…", selects Socket Mode. Without it, events are received by HTTP, signed with SigningSecret.
	AppToken, SigningSecret string
	// APIURL is the URL of another server with the same protocol; "" is Slack's. Its host may also serve files and
	// sockets, on any port; its subdomains only by https and in public networks. [Slack.Fetch] documents which of
	// them get the token.
	APIURL string
	// State stores what was posted.
	State outbox.State
	// Open opens the files of replies.
	Open adapters.Opener
	// Phrases translates the sentences of the adapter; nil is English.
	Phrases adapters.Phrases
	// MaxFile is the maximum size of a sent file in bytes; 0 is 1 GiB, which is Slack's limit.
	MaxFile int64
	Log     *slog.Logger     // nil logs nothing
	Now     func() time.Time // nil is time.Now
}

// Slack is one bot in one workspace. Each of its parts has one job; New wires them.
type Slack struct {
	adapters.Acknowledger
	adapters.Beginner
	adapters.Deleter
	adapters.Historian
	adapters.Limiter
	adapters.Linker
	adapters.Locator
	adapters.Offerer
	adapters.Reporter
	adapters.Typer
	adapters.TypingEnder
	adapters.Whisperer

	config Config
	api    *api.Client
	edge   *download.Client

	// Lookups.
	identity *lookup.Identity
	people   *lookup.People
	messages *lookup.Messages
	files    *fetcher

	// In.
	listener     *receive.Listener
	events       *receive.Events
	interactions *receive.Interactions
	commands     *receive.Commands
	socket       *connect.Socket  // nil without an app token
	webhook      *connect.Webhook // nil under Socket Mode

	sender  *post.Sender
	home    *post.Home
	prompts *post.Prompts
}

var (
	_ adapters.Adapter = (*Slack)(nil)
	_ adapters.Checker = (*Slack)(nil)
	_ adapters.Dater   = (*Slack)(nil)
)

// New returns an adapter that does not connect yet.
func New(c Config) (*Slack, error) {
	switch {
	case c.BotToken == "":
		return nil, errors.New("slack: the bot token is required")
	case c.AppToken == "" && c.SigningSecret == "":
		return nil, errors.New("slack: an app token (for Socket Mode) or a signing secret (for HTTP) is required")
	case c.Open == nil:
		return nil, errors.New("slack: Opener is required")
	case c.MaxFile < 0:
		return nil, errors.New("slack: the maximum file size must not be negative")
	}
	book, err := outbox.New(c.State)
	if err != nil {
		return nil, fmt.Errorf("slack: %w", err)
	}
	if c.Phrases == nil {
		c.Phrases = adapters.English{}
	}
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.MaxFile == 0 {
		c.MaxFile = defaultMaxFile
	}
	reach := download.Config{Hosts: []string{officialHost, "*." + officialHost}}
	base, err := locate(&c, &reach)
	if err != nil {
		return nil, err
	}
	outside, err := download.New(reach)
	if err != nil {
		return nil, fmt.Errorf("slack: %w", err)
	}
	s := &Slack{config: c, edge: outside, api: api.New(outside.HTTP(), c.BotToken, c.AppToken, c.APIURL)}
	s.files = &fetcher{api: s.api, edge: outside, base: base, token: c.BotToken}
	s.identity = &lookup.Identity{API: s.api}
	s.people = &lookup.People{API: s.api, Identity: s.identity, Log: c.Log}
	s.messages = &lookup.Messages{API: s.api, Identity: s.identity, People: s.people}
	poster, responder := s.wireOut(book)
	s.wireIn(poster, responder)
	return s, nil
}

// locate parses the URL of the API, completes the setting, and allows the hosts that belong
// to it.
func locate(c *Config, reach *download.Config) (*url.URL, error) {
	named := c.APIURL != ""
	if !named {
		c.APIURL = officialURL
	}
	u, err := url.Parse(c.APIURL)
	if err != nil || u.Hostname() == "" || u.Scheme != "https" && u.Scheme != "http" || u.User != nil || u.RawQuery != "" || u.Fragment != "" {
		return nil, errors.New("slack: invalid API URL: expected a URL such as https://slack.com/api/")
	}
	if !strings.HasSuffix(c.APIURL, "/") { // the library appends the method
		c.APIURL += "/"
		u.Path += "/"
	}
	if !named {
		return u, nil
	}
	host := u.Hostname()
	if strings.Contains(host, ":") {
		reach.Allow = []string{"[" + host + "]"}
		return u, nil
	}
	reach.Allow = []string{host}
	if _, err := netip.ParseAddr(host); err != nil && strings.Contains(host, ".") {
		reach.Hosts = append(reach.Hosts, "*."+host)
	}
	return u, nil
}

// Name returns "slack".
func (*Slack) Name() string { return Name }

// Listen receives what happens in the workspace, until the context ends or Slack rejects the tokens.
func (s *Slack) Listen(ctx context.Context, handle adapters.Handler) error {
	var connect func(ctx context.Context)
	if s.socket != nil {
		connect = s.socket.Run
	}
	return s.listener.Run(ctx, handle, connect)
}

// Handler serves the events, interactions and commands that arrive by HTTP, at the paths /slack/events,
// /slack/interactive and /slack/commands. Under Socket Mode it serves nothing.
func (s *Slack) Handler() http.Handler {
	if s.webhook == nil {
		return http.NotFoundHandler()
	}
	return s.webhook.Handler()
}

// Check fails unless events are received and Slack accepts the token.
func (s *Slack) Check(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	// A limited rate of this one method says nothing about the connection.
	if _, err := s.api.AuthTestContext(ctx); err != nil && !errors.Is(api.Fault(err), adapters.ErrRateLimited) {
		return api.Fault(err)
	}
	if !s.listener.IsRunning() || s.socket != nil && !s.socket.IsConnected() {
		return &adapters.Fault{Sentence: "Slack is not connected. I will try again."}
	}
	return nil
}

// Fetch opens a file. Files are fetched only from Slack's own hosts and from those that belong to the configured
// API, and never from API methods. A file that Slack does not store itself is not fetched: whoever shared it chose
// its URL.
//
// The token is sent to where Slack stores files: https://files.slack.com, and the paths /files and /files-pri of
// its other hosts. By the same rule it is sent to the subdomains of a configured server, and to the host and port
// of that server's API. If that server is this machine, by a loopback address, the token is also sent to its other
// ports with the same scheme, under any of its names, since the operator has named it.
func (s *Slack) Fetch(ctx context.Context, f adapters.File) (io.ReadCloser, error) {
	return s.files.open(ctx, f)
}

// Send posts a reply: its files, and its text with the choices beside or below them.
func (s *Slack) Send(ctx context.Context, key string, r adapters.Reply) (adapters.MessageRef, error) {
	return s.sender.Send(ctx, key, r)
}

// wireOut builds the parts that post.
func (s *Slack) wireOut(book *outbox.Ledger) (*post.Poster, *post.Responder) {
	c := s.config
	composer, outbox := &convert.Composer{Phrases: c.Phrases}, &post.Outbox{Ledger: book}
	poster := &post.Poster{API: s.api, Messages: s.messages, Outbox: outbox, Composer: composer, Log: c.Log}
	s.home = &post.Home{API: s.api, Composer: composer, Log: c.Log}
	s.prompts = &post.Prompts{API: s.api, Log: c.Log}
	responder := &post.Responder{
		API: s.api, People: s.people, Poster: poster, Composer: composer, Home: s.home, Prompts: s.prompts, State: c.State, Log: c.Log,
	}
	streams := &post.Streams{API: s.api, Log: c.Log}
	typer := &post.Typer{API: s.api, Streams: streams, Phrases: c.Phrases}
	s.sender = &post.Sender{
		Outbox: outbox, Poster: poster, Responder: responder, Composer: composer, Typer: typer, MaxFile: c.MaxFile,
		Files: &share.Files{API: s.api, Messages: s.messages, Edge: s.edge, Open: c.Open, State: c.State, Log: c.Log},
	}
	marks := &post.Marks{API: s.api, Identity: s.identity, Numbers: rate.NewLimiter(rate.Every(3*time.Second), 3*adapters.MaxChoices), Now: c.Now}
	s.Acknowledger, s.Offerer, s.Historian, s.Limiter, s.Beginner = marks, marks, s.messages, s.sender, s.sender
	links := &lookup.Links{Messages: s.messages, Hosts: []string{officialHost, "." + officialHost}}
	s.Linker, s.Locator = links, links
	s.Reporter, s.Typer = &post.Progress{Poster: poster, Streams: streams, Typer: typer, Phrases: c.Phrases}, typer
	s.TypingEnder = typer
	s.Deleter, s.Whisperer = &post.Deleter{API: s.api, Messages: s.messages}, &post.Whisperer{Responder: responder}
	return poster, responder
}

// wireIn builds the parts that receive.
func (s *Slack) wireIn(poster *post.Poster, responder *post.Responder) {
	c := s.config
	s.listener = &receive.Listener{API: s.api, Log: c.Log}
	requests := &receive.Requests{Listener: s.listener, People: s.people, Poster: poster, Phrases: c.Phrases}
	s.events = &receive.Events{
		Listener: s.listener, Identity: s.identity, People: s.people, Messages: s.messages, Home: s.home, Prompts: s.prompts, Log: c.Log, Now: c.Now,
	}
	s.interactions = &receive.Interactions{
		Listener: s.listener, Log: c.Log,
		Buttons: &receive.Buttons{Listener: s.listener, Identity: s.identity, People: s.people, Responder: responder, Log: c.Log, Now: c.Now},
		Shortcuts: &receive.Shortcuts{
			API: s.api, Identity: s.identity, Messages: s.messages, People: s.people, Requests: requests, Responder: responder, Phrases: c.Phrases,
		},
	}
	s.commands = &receive.Commands{
		Listener: s.listener, Identity: s.identity, People: s.people, Messages: s.messages, Requests: requests, Responder: responder,
		Phrases: c.Phrases, Log: c.Log, Now: c.Now,
	}
	if c.AppToken != "" {
		s.socket = &connect.Socket{
			API: s.api, Edge: s.edge, Listener: s.listener, Events: s.events, Interactions: s.interactions, Commands: s.commands,
			Log: c.Log, Near: c.APIURL != officialURL,
		}
		return
	}
	s.webhook = &connect.Webhook{
		Secret: c.SigningSecret, State: c.State, Listener: s.listener, Events: s.events, Interactions: s.interactions, Commands: s.commands,
		Log: c.Log, Now: c.Now,
	}
}
