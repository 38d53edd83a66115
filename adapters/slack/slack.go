// Package slack is the make for Slack, on github.com/slack-go/slack. What it hears comes by
// Socket Mode, or by signed HTTP requests, as is configured.
//
// # In
//
//   - Messages that mention the bot, messages in its direct channels, and messages in threads
//     of the channels in which it is. A mention that Slack tells of twice, as a message and as
//     a mention, is one event: its id is made of the message's own address. A mention that
//     an edit adds is heard. What somebody forwards is what the message replies to.
//   - The events of a thread keep their order; none waits for another thread's. Somebody whose
//     name Slack does not tell in time has none; a reaction is then left to come again, since
//     it may be a bot's.
//   - What is heard is confirmed to Slack when the handler has taken it, and within 3 seconds
//     or not at all. What is not confirmed Slack sends again: over Socket Mode on the next
//     connection, by HTTP at once, after a minute and after five, and then never. What is
//     written while no process listens for longer than that is lost; the message is still
//     there to be mentioned in.
//   - Buttons, commands and shortcuts are sent once. They are confirmed at once, since a
//     person waits; what they ask is lost if the process ends within that moment.
//   - A signed request is taken once, whichever process it comes to, unless it was answered
//     that it may come again.
//   - Slack tells of no reply to a message but in a thread, so that no message is [adapters.Replied].
//
// # Out
//
//   - The parts of a reply are: its files, then its text, each in as many messages as it takes.
//     The last one carries the choices, and is the one to react on.
//   - Send posts once under a key. What was posted stands in the State, and each text's
//     metadata names the key, so that a post whose confirmation was lost is looked up before
//     it is posted again; of files it is known by the files themselves. Two processes that
//     send under one key at the same moment may both post.
//   - A command is answered to who entered it alone, also where the bot is not, for half an
//     hour; that answer may be there twice if its confirmation was lost.
//   - A pause that Slack wants is kept by all calls of the method in this process where it is
//     no longer than half a minute and ends in time for the caller, and is else an
//     [adapters.ErrRateLimited]. After it they go one by one, as fast as Slack bears.
//   - Numbers are put on an answer as far as there is room in what Slack allows a minute;
//     the choices are buttons too, and people's own reactions always count.
//
// See https://docs.slack.dev for the protocol.
package slack

import (
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/slack-go/slack"
	"golang.org/x/time/rate"

	"atelier/adapters"
	"atelier/adapters/edge"
	"atelier/adapters/ledger"
	"atelier/adapters/turns"
)

// Name is the adapter's.
const Name = "slack"

const (
	officialURL  = slack.APIURL
	officialHost = "slack.com"
	usualFile    = 1 << 30 // what Slack takes
	// maxFiles is how many files a message shows: people's clients take no more, and from 15 on
	// Slack fails (https://github.com/slackapi/python-slack-sdk/issues/1653).
	maxFiles = 10
)

// Phrases tells fixed sentences in a language, as phrase.Catalogue does.
type Phrases interface {
	Say(language, format string, args ...any) string
}

// Config is what an adapter is made of.
type Config struct {
	// BotToken is what the bot calls Slack with, "xoxb-…".
	BotToken string
	// AppToken, "xapp-…", chooses Socket Mode. Without it, SigningSecret is what HTTP events
	// are signed with.
	AppToken, SigningSecret string
	// APIURL is another server's address of the same protocol; "" is Slack's. Its host is
	// allowed for files and sockets too, on every port; those below its name are by https
	// and in public networks. Who else gets the token is told by [Slack.Fetch].
	APIURL string
	// State keeps what was posted.
	State ledger.State
	// Open opens what is attached to replies.
	Open adapters.Opener
	// Phrases tells the few words of the adapter; nil is in English.
	Phrases Phrases
	// MaxFile is the most bytes of one file that is sent; 0 is 1 GiB, which is Slack's limit.
	MaxFile int64
	// Proxy tells by which proxy a request goes; nil asks the environment.
	Proxy func(*http.Request) (*url.URL, error)
	Log   *slog.Logger     // nil is none
	Now   func() time.Time // nil is time.Now
}

// Slack is the connection to one workspace, as one bot.
type Slack struct {
	config Config
	api    *slack.Client
	base   *url.URL // of the API
	edge   *edge.Client
	gate   *gate
	ledger *ledger.Ledger
	people *people
	seeds  *rate.Limiter // numbers that are put on answers

	twins  twins
	socket atomic.Bool // Slack has said hello
	// helloWithin is how long Slack may take to say so after it has opened a socket.
	helloWithin time.Duration

	keys turns.Turns // one at a time sends under a key

	mu      sync.Mutex
	self    *account             // once it is known
	silent  map[string]time.Time // where, and until when, the working status is not tried
	status  map[string]string    // which emoji the bot has put on a request, by its key
	seen    map[string]time.Time // signatures of HTTP requests, and until when they would be taken
	purge   time.Time            // when the old ones of them go
	hearing *listening           // while Listen runs
}

var (
	_ adapters.Adapter      = (*Slack)(nil)
	_ adapters.Acknowledger = (*Slack)(nil)
	_ adapters.Reporter     = (*Slack)(nil)
	_ adapters.Typer        = (*Slack)(nil)
	_ adapters.Offerer      = (*Slack)(nil)
	_ adapters.Deleter      = (*Slack)(nil)
	_ adapters.Historian    = (*Slack)(nil)
	_ adapters.Limiter      = (*Slack)(nil)
	_ adapters.Checker      = (*Slack)(nil)
)

// New makes an adapter. It connects to nothing.
func New(c Config) (*Slack, error) {
	switch {
	case c.BotToken == "":
		return nil, errors.New("slack: there is no bot token")
	case c.AppToken == "" && c.SigningSecret == "":
		return nil, errors.New("slack: there is neither an app token, for Socket Mode, nor a signing secret, for HTTP events")
	case c.Open == nil:
		return nil, errors.New("slack: there is nothing that opens files")
	case c.MaxFile < 0:
		return nil, errors.New("slack: the most bytes of a file are less than none")
	}
	book, err := ledger.New(c.State)
	if err != nil {
		return nil, fmt.Errorf("slack: %w", err)
	}
	if c.Phrases == nil {
		c.Phrases = english{}
	}
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.MaxFile == 0 {
		c.MaxFile = usualFile
	}
	reach := edge.Config{Hosts: []string{officialHost, "*." + officialHost}, Proxy: c.Proxy}
	base, err := locate(&c, &reach)
	if err != nil {
		return nil, err
	}
	outside, err := edge.New(reach)
	if err != nil {
		return nil, fmt.Errorf("slack: %w", err)
	}
	s := &Slack{
		config: c, base: base, edge: outside, gate: newGate(outside.HTTP(), c.APIURL), ledger: book,
		seeds:  rate.NewLimiter(rate.Every(3*time.Second), 3*adapters.MaxChoices),
		status: map[string]string{}, silent: map[string]time.Time{}, seen: map[string]time.Time{}, helloWithin: greeting,
	}
	s.api = slack.New(c.BotToken,
		slack.OptionHTTPClient(s.gate), slack.OptionAPIURL(c.APIURL), slack.OptionAppLevelToken(c.AppToken),
	)
	s.people = newPeople(s)
	return s, nil
}

// locate reads where the API is. It completes the setting, and names the hosts that come
// with it.
func locate(c *Config, reach *edge.Config) (*url.URL, error) {
	named := c.APIURL != ""
	if !named {
		c.APIURL = officialURL
	}
	u, err := url.Parse(c.APIURL)
	if err != nil || u.Hostname() == "" || u.Scheme != "https" && u.Scheme != "http" || u.User != nil || u.RawQuery != "" || u.Fragment != "" {
		return nil, errors.New("slack: the address of the API is none: one such as https://slack.com/api/ is expected")
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

// Name is "slack".
func (*Slack) Name() string { return Name }

// english says what stands in the code.
type english struct{}

func (english) Say(_, format string, args ...any) string { return fmt.Sprintf(format, args...) }
