// Package discordtest is a local Discord server for tests and benchmarks, with the REST interface (v9) and the
// gateway: the bot connects as it would to Discord, and the test does what people do there and checks what they
// see.
//
// It rejects what Discord rejects, with the same status and code, and delivers only what the bot's intents grant.
// Everything is sequential: an event is queued for every session before the call that caused it returns. Voice,
// presences, moderation and stickers are left out.
//
// Everybody is a member of every guild. Methods of all parts are safe for concurrent use; a test that asks for
// something that does not exist fails.
//
// The rejections are documented at https://discord.com/developers/docs: the pages on the gateway, its events,
// opcodes and status codes, the rate limits, and the resources.
package discordtest

import (
	"context"
	"crypto/rand"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"atelier/agent/await"
)

// Options change the server. The zero value is Discord's behaviour.
type Options struct {
	// MaxFile is the maximum size of a file that the bot posts without boosts, in bytes; 0 is 20 MiB. A larger one
	// is rejected with 413 and code 40005.
	MaxFile int64
	// WithoutContent withholds the privileged intent to read what people write.
	WithoutContent bool
	// ServersOnly lets only servers install the bot, and no people.
	ServersOnly bool
}

// apiPath is where the REST interface is on the server.
const apiPath = "/api/v9"

// Server is Discord for one bot.
type Server struct {
	*shared
	World        *World        // guilds, channels and users, and what people see
	People       *People       // what people write
	Interactions *Interactions // commands, buttons and forms
	Gateway      *Gateway      // connections and sessions
	REST         *REST         // the REST interface
	Faults       *Faults       // failing calls
	http         *httptest.Server
	once         sync.Once
}

// New starts a server, which ends with the test.
func New(tb testing.TB, o Options) *Server {
	tb.Helper()
	o.MaxFile = or(o.MaxFile, 20<<20)
	sh := &shared{
		tb: tb, options: o, secret: []byte(rand.Text()), done: make(chan struct{}), token: "MTE." + rand.Text(),
		content: !o.WithoutContent,
	}
	st := newState(sh)
	sh.bot = st.newUser("Atelier", true)
	sh.app = sh.id()
	rd := &renderer{st}
	gw := &Gateway{renderer: rd, conns: map[*conn]struct{}{}, sessions: map[string]*session{}}
	ch := &changes{rd, gw}
	s := &Server{
		shared: sh, World: &World{ch}, People: &People{ch}, Gateway: gw, Faults: &Faults{shared: sh},
		Interactions: &Interactions{changes: ch, all: map[string]*Interaction{}},
	}
	s.REST = &REST{shared: sh, faults: s.Faults, calls: map[Route]int{}}
	mux := http.NewServeMux()
	mux.Handle(apiPath+"/", s.REST.handler(
		&accountCalls{rd, gw}, &channelCalls{changes: ch, nonces: map[string]*entry{}}, &interactionCalls{ch, s.Interactions},
	))
	mux.HandleFunc("/gateway/", gw.serve)
	mux.HandleFunc("/gateway", gw.serve)
	mux.HandleFunc("GET /attachments/{channel}/{attachment}/{name}", (&downloads{rd}).serve)
	s.http = httptest.NewServer(mux)
	sh.address = s.http.URL
	tb.Cleanup(s.Close)
	return s
}

func or[T comparable](value, otherwise T) T {
	var zero T
	if value == zero {
		return otherwise
	}
	return value
}

// Close ends the server, as the end of the test does.
func (s *Server) Close() {
	s.once.Do(func() {
		s.do(func() { close(s.done) })
		s.Gateway.CutOff()
		s.http.CloseClientConnections()
		s.http.Close()
		s.running.Wait()
	})
}

// URL returns the URL of the REST interface, without a trailing slash.
func (s *Server) URL() string { return s.address + apiPath }

// Token returns the bot's token, without "Bot ".
func (s *Server) Token() string { return s.token }

// Bot returns the bot under test.
func (s *Server) Bot() User { return s.bot }

// BotID returns the id of the bot's user.
func (s *Server) BotID() string { return s.bot.ID }

// ApplicationID returns the id of the bot's application.
func (s *Server) ApplicationID() string { return s.app }

// Advance moves the server's clock forward, which expires links, nonces, deferred responses and lost sessions.
func (s *Server) Advance(d time.Duration) { s.do(func() { s.skipped += d }) }

// Await waits until the condition is true. It checks at once and after every change, and returns the context's
// error if that ends first. The condition may call the server.
func (s *Server) Await(ctx context.Context, condition func() bool) error {
	return s.await(ctx, condition)
}

// Revoke invalidates the token: calls fail with 401, and the gateway closes with 4004.
func (s *Server) Revoke() {
	s.do(func() {
		s.revoked = true
		s.Gateway.closeAll(closeBadToken)
	})
}

// shared is what all parts of the server use: one lock, so that changes are atomic,
// its clock, its ids, and what the bot's token and application may do. Unless they say
// otherwise, unexported methods of the parts are called with the lock held.
type shared struct {
	tb      testing.TB
	options Options
	address string         // of the server
	secret  []byte         // signs links
	running sync.WaitGroup // the gateway's connections
	done    chan struct{}  // closed when the server ends

	changes await.Changes

	mu      sync.Mutex    // guards what follows, and the state of all parts
	skipped time.Duration // by Advance
	lastID  uint64
	token   string
	bot     User
	app     string
	content bool // the privileged intent is granted
	revoked bool // the token is not accepted
}

// await is called without the lock.
func (s *shared) await(ctx context.Context, condition func() bool) error {
	return s.changes.Until(ctx, condition)
}

func (s *shared) now() time.Time { return time.Now().Add(s.skipped) }

// do runs a change, and wakes those who wait for one. It is called without the lock.
func (s *shared) do(change func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	change()
	s.changes.Notify()
}

// wrongf fails the test because it asked for something that does not exist.
func (s *shared) wrongf(format string, args ...any) {
	s.tb.Helper()
	s.tb.Errorf("discordtest: "+format, args...)
}

func (s *shared) gatewayURL() string {
	return "ws" + strings.TrimPrefix(s.address, "http") + "/gateway"
}

// ended reports whether the server has ended.
func (s *shared) ended() bool {
	select {
	case <-s.done:
		return true
	default:
		return false
	}
}

// takes reports whether a token is the bot's; the gateway takes it with and without "Bot ".
func (s *shared) takes(token string) bool { return strings.TrimPrefix(token, "Bot ") == s.token }

// id returns a new snowflake, larger than all before it.
func (s *shared) id() string {
	s.lastID = max(s.lastID+1, uint64(max(s.now().UnixMilli()-epoch, 1))<<22)
	return strconv.FormatUint(s.lastID, 10)
}
