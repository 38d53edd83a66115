// Package discordtest is a server that speaks Discord's REST interface (v9) and its gateway
// over the loopback, for tests and benchmarks: the bot connects as it would to Discord, and
// the test does what people do there and looks at what they see.
//
// It promises to refuse what Discord refuses, by the same status and code, to deliver what
// the intents of the bot grant and nothing else, and to do one thing after another: an event
// has its place in every session before the call that caused it returns. What Discord does
// for its own sake (voice, presences, moderation, stickers) is not there.
//
// Every guild has everybody as a member. All methods may be called at once and from several
// goroutines; what a test asks for and is not there is an error of that test.
//
// The source of what is refused and how is https://discord.com/developers/docs: its pages on
// the gateway, the gateway's events, opcodes and status codes, the rate limits, and the
// resources named as the files here.
package discordtest

import (
	"context"
	"crypto/rand"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"
)

// Options are what a server is like. The zero value is Discord as it stands.
type Options struct {
	// MaxFile is the most bytes of a file that the bot posts; 0 is 10 MiB. What is larger is
	// refused with 413 and code 40005.
	MaxFile int64
	// Identifies is how many sessions may begin a day; 0 is 1,000. After that the token is
	// taken no longer.
	Identifies int
	// WithoutContent withholds the privileged intent to read what people write.
	WithoutContent bool
}

// apiPath is where the REST interface is on the server.
const apiPath = "/api/v9"

// Server is Discord for one bot.
type Server struct {
	tb      testing.TB
	options Options
	http    *httptest.Server
	secret  []byte         // signs links
	running sync.WaitGroup // the gateway's connections
	done    chan struct{}  // closed when the server ends
	once    sync.Once

	mu      sync.Mutex // guards all below
	changed chan struct{}
	skipped time.Duration // by Advance
	lastID  uint64
	token   string
	bot     User
	app     string
	world
	gateway
	faults
}

// New starts a server, which ends with the test.
func New(tb testing.TB, o Options) *Server {
	tb.Helper()
	o.MaxFile = or(o.MaxFile, 10<<20)
	o.Identifies = or(o.Identifies, 1000)
	s := &Server{
		tb: tb, options: o, secret: []byte(rand.Text()), done: make(chan struct{}), token: "MTE." + rand.Text(),
		world: newWorld(), gateway: newGateway(!o.WithoutContent), faults: newFaults(),
	}
	s.bot = s.newUser("Atelier", true)
	s.app = s.id()
	s.http = httptest.NewServer(s.mux())
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

// Close ends the server, as the test's end does.
func (s *Server) Close() {
	s.once.Do(func() {
		s.do(func() { close(s.done) })
		s.CutOff()
		s.http.CloseClientConnections()
		s.http.Close()
		s.running.Wait()
	})
}

// URL is where the REST interface is, without a slash at its end.
func (s *Server) URL() string { return s.http.URL + apiPath }

// Token is the bot's, without "Bot ".
func (s *Server) Token() string { return s.token }

// Bot is the bot under test.
func (s *Server) Bot() User { return s.bot }

// BotID is the id of the bot's user.
func (s *Server) BotID() string { return s.bot.ID }

// ApplicationID is the id of the bot's application.
func (s *Server) ApplicationID() string { return s.app }

// Advance lets so much time pass by the server's clock, by which links, nonces, deferred
// responses and lost sessions expire.
func (s *Server) Advance(d time.Duration) { s.do(func() { s.skipped += d }) }

// Await returns when the condition holds, which is asked for after every change, by whichever
// call or person, or with the context's error. The condition may call the server.
func (s *Server) Await(ctx context.Context, condition func() bool) error {
	for {
		s.mu.Lock()
		if s.changed == nil {
			s.changed = make(chan struct{})
		}
		changed := s.changed
		s.mu.Unlock()
		if condition() {
			return nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

func (s *Server) mux() *http.ServeMux {
	mux := http.NewServeMux()
	mux.Handle(apiPath+"/", s.rest())
	mux.HandleFunc("/gateway/", s.serveGateway)
	mux.HandleFunc("/gateway", s.serveGateway)
	mux.HandleFunc("GET /attachments/{channel}/{attachment}/{name}", s.serveFile)
	return mux
}

func (s *Server) now() time.Time { return time.Now().Add(s.skipped) }

// do changes the world, and tells those who wait for a change.
func (s *Server) do(change func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	change()
	if s.changed != nil {
		close(s.changed)
		s.changed = nil
	}
}

// wrongf tells the test that it asked for what is not there.
func (s *Server) wrongf(format string, args ...any) {
	s.tb.Helper()
	s.tb.Errorf("discordtest: "+format, args...)
}
