// Package slacktest is a workspace of Slack on this machine, for tests: a server that
// speaks the Web API, Socket Mode and signed HTTP events, and people who write, react
// and press buttons in it.
//
// It refuses what Slack refuses (too long, too many blocks, a missing scope, a channel
// without the bot, another one's message), answers with Slack's error codes, and does to
// its client what a network does: 429, 5xx, HTML, lost answers, stalls, closed sockets,
// events twice, late and out of order.
//
// # What it promises
//
//   - Every action of a person (Say, Edit, React, Press…) is visible in the workspace when
//     the method returns, and its events are on their way: over one of the open sockets, or
//     by signed HTTP requests after Deliver. Events of one channel are sent first in the
//     order in which they came to be, unless Shuffle says otherwise.
//   - An event is delivered at least once: one that is not acknowledged within
//     Options.AckWithin, or whose socket closed first, is sent again at Options.Retries,
//     with the same event_id. Interactions (buttons, commands, shortcuts, views) are sent
//     once, as on Slack.
//   - Only what the granted scopes and the subscription cover is sent, the bot's own
//     messages and reactions too: it is for the bot to ignore them.
//   - A message's ts is unique in its channel and rises.
//   - Nothing runs on after the test: New closes the server when the test ends and waits
//     until all of its goroutines have ended.
//
// Texts are in the form of the wire: mentions are <@U…> (see Mention), and &, <, > of
// what a person typed are escaped.
package slacktest

import (
	"context"
	"net/http"
	"testing"
	"time"
)

// Options are how the workspace differs from the usual one. The zero value is fine.
type Options struct {
	// Scopes are those that the bot's token has; nil is DefaultScopes().
	Scopes []string
	// Events are the subscribed events (message.channels, app_mention, …); nil is
	// DefaultEvents().
	Events []string
	// MentionFirst sends app_mention before the message event of a mention; Slack knows
	// no order.
	MentionFirst bool
	// MentionBare sends app_mention without the files of its message, as Slack may.
	MentionBare bool
	// AckWithin is the time to acknowledge an event or an interaction; 0 is Slack's 3 s.
	AckWithin time.Duration
	// Retries are how long after a delivery that was not taken the event is sent again;
	// nil is Slack's: at once, after a minute, after 5 minutes. Empty means never.
	Retries []time.Duration
	// TriggerFor is how long a trigger_id opens a view; 0 is Slack's 3 s.
	TriggerFor time.Duration
	// Ping is the time between two pings of a socket; 0 is 2 s.
	Ping time.Duration
	// Tiers, above 0, limits the methods as Slack does per workspace (chat.postMessage per
	// channel), that many times faster than Slack: 1 is Slack's pace. 0 limits nothing.
	Tiers float64
	// Narrow limits conversations.history and conversations.replies as Slack does for apps that
	// are distributed outside of its Marketplace: one call a minute, 15 messages at once.
	// https://docs.slack.dev/changelog/2025/05/29/rate-limit-changes-for-non-marketplace-apps
	Narrow bool
	// ShareAfter is how long after files.completeUploadExternal the message with the
	// files appears; 0 is 20 ms, below 0 is before the answer.
	ShareAfter time.Duration
	// MaxFile is the size of the largest upload in bytes; 0 is 1 GiB.
	MaxFile int64
	// Foreign is another server of the same protocol, in what such servers differ from Slack
	// by: the token is read from the header only, bytes are uploaded as they are and to
	// another port, under another name of this machine, and files of messages are told
	// without their shares.
	Foreign bool
	// Lacks are methods that are not there.
	Lacks []string
	// Now is the clock of timestamps and signatures; nil is time.Now.
	Now func() time.Time
}

// DefaultScopes are those of a bot that reads, writes, shares files and reacts: no more
// than that, so that a call that needs another one fails.
func DefaultScopes() []string {
	return []string{
		"app_mentions:read", "channels:history", "chat:write", "commands", "files:read", "files:write", "groups:history",
		"im:history", "mpim:history", "reactions:read", "reactions:write", "users:read",
	}
}

// DefaultEvents are the events of a bot that listens to messages and reactions.
func DefaultEvents() []string {
	return []string{
		"app_mention", "message.channels", "message.groups", "message.im", "message.mpim",
		"reaction_added", "reaction_removed", "tokens_revoked", "app_uninstalled",
	}
}

// Mention is the text that mentions a user.
func Mention(user string) string { return "<@" + user + ">" }

// URL is the address of the Web API, which ends in "/api/".
func (s *Server) URL() string { return s.http.URL + "/api/" }

// Host is the host and port of the server, from which files are downloaded too.
func (s *Server) Host() string { return s.http.Listener.Addr().String() }

// Client is a client for requests of one's own to the server.
func (s *Server) Client() *http.Client { return s.http.Client() }

// BotToken is the bot's token, "xoxb-…".
func (s *Server) BotToken() string { return botToken }

// AppToken is the app's token, "xapp-…", which opens sockets and nothing else.
func (s *Server) AppToken() string { return appToken }

// SigningSecret signs the HTTP events.
func (s *Server) SigningSecret() string { return signingSecret }

// TeamID is the workspace.
func (s *Server) TeamID() string { return teamID }

// AppID is the app to which the bot belongs.
func (s *Server) AppID() string { return appID }

// BotUser is the bot's user id, the one that people mention.
func (s *Server) BotUser() string { return botUser }

// BotID is the bot's bot id, which stands in the bot_id of its messages.
func (s *Server) BotID() string { return botID }

// Deliver sends events by signed HTTP requests from now on, instead of over sockets: to
// base + "/slack/events", "/slack/interactive" and "/slack/commands". What waits for a
// socket is sent there too. An empty base goes back to sockets.
func (s *Server) Deliver(base string) { s.deliverTo(base) }

// Until waits until ok holds. It asks at once and after each change of the workspace, and
// returns the context's error where that ends first. ok may ask the server.
func (s *Server) Until(ctx context.Context, ok func() bool) error { return s.until(ctx, ok) }

// New starts a workspace and ends it with the test.
func New(tb testing.TB, o Options) *Server {
	tb.Helper()
	s := newServer(tb, o)
	tb.Cleanup(s.Close)
	return s
}
