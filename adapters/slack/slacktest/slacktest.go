// Package slacktest is a workspace of Slack on this machine, for tests: a server that
// speaks the Web API, Socket Mode and signed HTTP events, and people who write, react
// and press buttons in it.
//
// It refuses what Slack refuses (too long, too many blocks, a missing scope, a channel
// without the bot, another one's message), answers with Slack's error codes, and fails as
// a network does: 429, 5xx, HTML, lost answers, stalls, closed sockets, repeated events.
//
// # Guarantees
//
//   - Every action of a person (Say, Edit, React, Press…) is visible in the workspace when
//     the method returns, and its events are on their way: over one of the open sockets, or
//     by signed HTTP requests after Webhooks.Deliver. The first time, the events
//     of a channel are sent in the order in which they happened.
//   - An event is delivered at least once: one that is not acknowledged within
//     Options.AckWithin, or whose socket closed first, is sent again at Options.Retries,
//     with the same event_id. Interactions (buttons, commands, shortcuts, views) are sent
//     once, as on Slack.
//   - Only what the granted scopes and the subscription cover is sent, the bot's own
//     messages and reactions too: the bot has to ignore them.
//   - A message's ts is unique in its channel, and later messages have a higher one.
//   - Nothing runs on after the test: New closes the server when the test ends and waits
//     until all of its goroutines have ended.
//
// Texts are as sent over the wire: mentions are <@U…> (see Mention), and &, <, > of what a
// person typed are escaped.
package slacktest

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

const (
	botToken      = "xoxb-1111-2222-atelier"        //nolint:gosec // opens a test server only
	appToken      = "xapp-1-A0ATELIER-3333-atelier" //nolint:gosec // opens a test server only
	signingSecret = "8f742231b10e8888abcd99yyyzzz85a5"
	teamID        = "T0ATELIER"
	teamDomain    = "workshop"
	appID         = "A0ATELIER"
	botUser       = "U0ATELIER"
	botID         = "B0ATELIER"
)

// Options change the workspace. The zero value is Slack's behaviour.
type Options struct {
	// MentionFirst sends app_mention before the message event of a mention; Slack
	// guarantees no order.
	MentionFirst bool
	// MentionBare sends app_mention without the files of its message, as Slack may.
	MentionBare bool
	// AckWithin is the time to acknowledge an event or an interaction; 0 is Slack's 3 s.
	AckWithin time.Duration
	// Retries are the pauses before an event that was not acknowledged is sent again;
	// nil is Slack's: at once, after a minute, after 5 minutes. Empty means never.
	Retries []time.Duration
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
	// Foreign behaves as other servers of the same protocol do: the token is read from the
	// header only, bytes are uploaded to another port, under another name of this machine,
	// and files.info does not say where a file is shared.
	Foreign bool
	// BareFiles shows files without the blocks that are sent with them, and OwnerlessFiles shows both in a
	// message that names no app, whose buttons reach nobody.
	BareFiles, OwnerlessFiles bool
	// LacksFeedback refuses the blocks with feedback buttons.
	LacksFeedback bool
	// Lacks are methods that the server does not have.
	Lacks []string
}

func (o Options) withDefaults() Options {
	if o.Retries == nil {
		o.Retries = []time.Duration{0, time.Minute, 5 * time.Minute}
	}
	if o.AckWithin == 0 {
		o.AckWithin = 3 * time.Second
	}
	if o.ShareAfter == 0 {
		o.ShareAfter = 20 * time.Millisecond
	}
	return o
}

// Server is a workspace of Slack. The methods of its parts may be called from any goroutine.
type Server struct {
	*shared
	Workspace    *Workspace    // who and what is there, and what people see
	People       *People       // what people write
	Interactions *Interactions // buttons, commands, shortcuts and modals
	API          *API          // the Web API
	Deliveries   *Deliveries   // the delivery of events and interactions
	Sockets      *Sockets      // Socket Mode
	Webhooks     *Webhooks     // signed HTTP events
	Faults       *Faults       // failing calls
	http         *httptest.Server
	uploads      *httptest.Server // where files are uploaded to, if that is another server
}

// New starts a workspace and ends it with the test.
func New(tb testing.TB, o Options) *Server {
	tb.Helper()
	s := &Server{shared: newShared(tb, o.withDefaults())}
	s.Workspace = newWorkspace(s.shared)
	s.Faults = &Faults{shared: s.shared}
	s.Sockets = &Sockets{shared: s.shared, tickets: map[string]bool{}}
	s.Webhooks = newWebhooks(s.shared)
	s.Deliveries = newDeliveries(s.shared, s.Workspace, s.Sockets, s.Webhooks)
	events := &events{s.shared, s.Deliveries}
	s.Webhooks.workspace = s.Workspace
	s.People = &People{s.shared, s.Workspace, events}
	s.Interactions = &Interactions{
		shared: s.shared, workspace: s.Workspace, deliveries: s.Deliveries,
		triggers: map[string]trigger{}, responses: map[string]*responseURL{}, homes: map[string]json.RawMessage{},
	}
	files := &fileMethods{s.shared, s.Workspace, events, s.Faults, map[string]*fileState{}, ""}
	s.API = newAPI(s.shared, s.Workspace, s.Faults, s.Interactions, s.Sockets, events, files)
	s.start(files)
	tb.Cleanup(s.close)
	return s
}

// Mention returns the text that mentions a user.
func Mention(user string) string { return "<@" + user + ">" }

// URL returns the address of the Web API, which ends in "/api/".
func (s *Server) URL() string { return s.address + "/api/" }

// BotToken returns the bot's token, "xoxb-…".
func (*Server) BotToken() string { return botToken }

// AppToken returns the app's token, "xapp-…", which opens sockets and nothing else.
func (*Server) AppToken() string { return appToken }

// SigningSecret signs the HTTP events.
func (*Server) SigningSecret() string { return signingSecret }

// TeamID returns the id of the workspace.
func (*Server) TeamID() string { return teamID }

// BotUser returns the bot's user id, the one that people mention.
func (*Server) BotUser() string { return botUser }

// BotID returns the bot_id of the bot's messages.
func (*Server) BotID() string { return botID }

// Until waits until ok holds. It asks at once and after each change of the workspace, and
// returns the context's error if that ends first. ok may call the server.
func (s *Server) Until(ctx context.Context, ok func() bool) error { return s.until(ctx, ok) }

// DropScope takes scopes from the bot's token: missing_scope, and no events of them.
func (s *Server) DropScope(scopes ...string) {
	s.change(func() {
		for _, scope := range scopes {
			delete(s.scopes, scope)
		}
	})
}

// Revoke ends both tokens with an error such as token_revoked, account_inactive or
// invalid_auth ("" is token_revoked): every method fails with it and the sockets close.
// The event tokens_revoked is sent first, and the sockets close when it was acknowledged,
// or after a second.
func (s *Server) Revoke(code string) {
	if code == "" {
		code = "token_revoked"
	}
	s.change(func() {
		d := s.People.events.tokensRevoked()
		s.dispatch()
		s.revoked = code
		if d == nil || d.on == nil {
			s.Sockets.leave()
			return
		}
		d.onAck = s.Sockets.leave // the bot knows why the socket closes
		s.after(time.Second, s.Sockets.leave)
	})
}

func (s *Server) start(files *fileMethods) {
	mux := http.NewServeMux()
	mux.HandleFunc("/api/{method}", s.API.serve)
	mux.HandleFunc("GET /link/", s.Sockets.serve)
	mux.HandleFunc("POST /upload/v1/{ticket}", files.serveUpload)
	mux.HandleFunc("GET /files-pri/{file}/{name}", files.serveDownload)
	mux.HandleFunc("GET /files-pri/{file}/download/{name}", files.serveDownload)
	mux.HandleFunc("POST /actions/{id}", s.Interactions.serveResponse)
	s.http = httptest.NewServer(mux)
	s.address, files.uploadAddress = s.http.URL, s.http.URL
	if s.o.Foreign {
		s.uploads = httptest.NewServer(mux)
		files.uploadAddress = strings.Replace(s.uploads.URL, "127.0.0.1", "localhost", 1)
	}
	s.wg.Go(s.Webhooks.run)
}

// close ends the server; nothing of it runs when it returns.
func (s *Server) close() {
	s.mu.Lock()
	s.closed = true
	close(s.done)
	for timer := range s.timers {
		timer.Stop()
	}
	s.notify()
	s.mu.Unlock()
	s.Sockets.Disconnect("")
	s.http.CloseClientConnections()
	s.http.Close()
	if s.uploads != nil {
		s.uploads.CloseClientConnections()
		s.uploads.Close()
	}
	s.wg.Wait()
	s.Webhooks.client.CloseIdleConnections()
}
