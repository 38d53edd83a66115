// Package slacktest is a local Slack workspace for tests: a server for the Web API, Socket Mode and signed HTTP
// events, and people who write, react and press buttons in it.
//
// It rejects what Slack rejects (texts that are too long, too many blocks, a missing scope, a channel without the
// bot, somebody else's message), with Slack's error codes, and fails like a network: 429, 5xx, HTML, lost
// responses, stalls, closed sockets, repeated events.
//
// # Guarantees
//
//   - Every action of a person (Say, Edit, React, Press…) is visible in the workspace when the method
//     returns, and its events are on their way: over one of the open sockets, or by signed HTTP
//     requests after Webhooks.Deliver. First attempts for the events of a channel are sent in order.
//   - An event is delivered at least once: if it is not acknowledged within Options.AckWithin, or its
//     socket closed before that, it is sent again after Options.Retries, with the same event_id.
//     Interactions (buttons, commands, shortcuts, views) are sent once, as on Slack.
//   - Only what the granted scopes and the subscription cover is sent, including the bot's own messages
//     and reactions, which the bot has to ignore.
//   - A message's ts is unique in its channel, and increases.
//   - Nothing outlives the test: New closes the server when the test ends, and waits for all of its
//     goroutines.
//
// Texts are as on the wire: mentions are <@U…> (see Mention), and &, <, > in typed text are escaped.
package slacktest

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"atelier/agent/await"
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
	// MentionFirst sends app_mention before the message event of a mention; Slack guarantees no order.
	MentionFirst bool
	// MentionBare sends app_mention without the files of its message, as Slack may.
	MentionBare bool
	// AckWithin is the timeout for acknowledging an event or an interaction; 0 is Slack's 3 s.
	AckWithin time.Duration
	// Retries are the pauses before repeating an event that was not acknowledged; nil is Slack's: at once, after a
	// minute, after 5 minutes. Empty means never.
	Retries []time.Duration
	// Tiers, above 0, limits the methods as Slack does per workspace (chat.postMessage per channel), that many
	// times faster: 1 is Slack's pace. 0 means no limits.
	Tiers float64
	// Narrow limits conversations.history and conversations.replies as Slack does for apps distributed outside of
	// its Marketplace: one call per minute, 15 messages per page.
	// https://docs.slack.dev/changelog/2025/05/29/rate-limit-changes-for-non-marketplace-apps
	Narrow bool
	// ShareAfter is how long after files.completeUploadExternal the message with the files appears; 0 is 20 ms,
	// and a negative value is before the response.
	ShareAfter time.Duration
	// Foreign behaves like other servers with the same protocol: the token is read from the header only, bytes are
	// uploaded to another port, under another name of this machine, and files.info does not say where a file is
	// shared.
	Foreign bool
	// BareFiles drops the blocks that are sent with files. OwnerlessFiles shows both in a message that names no
	// app, so that its buttons reach nobody.
	BareFiles, OwnerlessFiles bool
	// LacksFeedback rejects blocks with feedback buttons.
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

// Server is a Slack workspace. The methods of its parts are safe for concurrent use.
type Server struct {
	*shared
	Workspace    *Workspace    // people, channels and what people see
	People       *People       // what people write
	Interactions *Interactions // buttons, commands, shortcuts and modals
	API          *API          // the Web API
	Deliveries   *Deliveries   // the delivery of events and interactions
	Sockets      *Sockets      // Socket Mode
	Webhooks     *Webhooks     // signed HTTP events
	Faults       *Faults       // failing calls
	http         *httptest.Server
	uploads      *httptest.Server // upload server, if separate
}

// New starts a workspace, which ends with the test.
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

// Until waits until ok is true. It checks at once and after each change of the workspace, and returns the
// context's error if that ends first. ok may call the server.
func (s *Server) Until(ctx context.Context, ok func() bool) error { return s.until(ctx, ok) }

// DropScope removes scopes from the bot's token: calls fail with missing_scope, and their events are not sent.
func (s *Server) DropScope(scopes ...string) {
	s.change(func() {
		for _, scope := range scopes {
			delete(s.scopes, scope)
		}
	})
}

// Revoke invalidates both tokens with an error such as token_revoked, account_inactive or invalid_auth ("" is
// token_revoked): every method fails with it. The event tokens_revoked is sent first, and the sockets close when
// it was acknowledged, or after a second.
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

// close ends the server and waits for its goroutines.
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

// shared is what all parts of the server use: one lock, so that changes of the workspace are
// atomic, its clock, ids and timers, and what the bot's tokens allow. Unless they say otherwise,
// unexported methods of the parts are called with the lock held.
type shared struct {
	tb      testing.TB
	o       Options
	address string // of the server
	done    chan struct{}
	wg      sync.WaitGroup

	changes await.Changes

	mu       sync.Mutex // guards what follows, and the state of all parts
	closed   bool
	dispatch func() // sends what is waiting
	serial   int    // of ids
	lastTS   int64  // µs
	timers   map[*time.Timer]bool
	scopes   map[string]bool
	revoked  string // the error of both tokens; "" while they are valid
}

func newShared(tb testing.TB, o Options) *shared {
	tb.Helper()
	return &shared{
		tb: tb, o: o, done: make(chan struct{}), timers: map[*time.Timer]bool{},
		// those of a bot that reads, writes, shares files and reacts, so that a call that needs another one fails
		scopes: set(
			"app_mentions:read", "assistant:write", "channels:history", "chat:write", "commands", "files:read", "files:write", "groups:history",
			"im:history", "mpim:history", "reactions:read", "reactions:write", "users:read",
		),
	}
}

// change runs f as one change of the workspace. It is called without the lock.
func (s *shared) change(f func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	f()
	s.notify()
}

// read runs f with the lock. It is called without it.
func (s *shared) read(f func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	f()
}

// notify wakes the goroutines that wait for a change, and sends due events.
func (s *shared) notify() {
	s.dispatch()
	s.changes.Notify()
}

// until is called without the lock.
func (s *shared) until(ctx context.Context, ok func() bool) error { return s.changes.Until(ctx, ok) }

// after runs f as a change, later, but never once the server is closed.
func (s *shared) after(wait time.Duration, f func()) *time.Timer {
	var timer *time.Timer
	timer = time.AfterFunc(wait, func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.closed || !s.timers[timer] {
			return
		}
		delete(s.timers, timer)
		f()
		s.notify()
	})
	s.timers[timer] = true
	return timer
}

// stop cancels an after.
func (s *shared) stop(timer *time.Timer) {
	if timer != nil {
		timer.Stop()
		delete(s.timers, timer)
	}
}

// id returns a new id such as U0000001Z.
func (s *shared) id(prefix string) string {
	s.serial++
	return prefix + strings.ToUpper(fmt.Sprintf("%08s", strconv.FormatInt(int64(s.serial), 36)))
}

// ts returns a new timestamp, above all earlier ones.
func (s *shared) ts() string {
	s.lastTS = max(s.lastTS+1, time.Now().UnixMicro())
	return fmt.Sprintf("%d.%06d", s.lastTS/1e6, s.lastTS%1e6)
}

// misusef fails the test because it asked for something impossible.
func (s *shared) misusef(format string, args ...any) {
	s.tb.Helper()
	s.tb.Errorf("slacktest: "+format, args...)
}

func set(words ...string) map[string]bool {
	m := make(map[string]bool, len(words))
	for _, w := range words {
		m[w] = true
	}
	return m
}

// object is a JSON object.
type object = map[string]any

// with returns a copy of o with more in it.
func with(o, more object) object {
	sum := maps.Clone(o)
	maps.Copy(sum, more)
	return sum
}

// eachObject calls f for each JSON object within v, outer ones first.
func eachObject(v any, f func(object)) {
	switch v := v.(type) {
	case []any:
		for _, e := range v {
			eachObject(e, f)
		}
	case object:
		f(v)
		for _, e := range v {
			eachObject(e, f)
		}
	}
}

// encode returns v as JSON, as the server writes it.
func encode(v any) json.RawMessage {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil { // only our own maps and raw JSON that was read before
		return json.RawMessage(`null`)
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
}
