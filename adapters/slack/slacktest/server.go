package slacktest

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"sync"
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

// Server is a workspace of Slack. Its methods may be called from any goroutine.
type Server struct {
	tb      testing.TB
	o       Options
	http    *httptest.Server
	other   *httptest.Server // of uploads, where that is another one
	poster  *http.Client     // sends HTTP events
	done    chan struct{}
	wg      sync.WaitGroup
	errands chan *delivery // what is to be sent by HTTP

	mu      sync.Mutex // guards what follows; the workspace changes as one
	closed  bool
	changed chan struct{} // closed at each change
	serial  int           // of ids
	lastTS  int64         // µs

	scopes      map[string]bool
	events      map[string]bool
	revoked     string // the error of both tokens
	refused     bool
	editsClosed bool

	users     map[string]*userState
	channels  map[string]*channelState
	files     map[string]*fileState
	uploads   map[string]*fileState // by ticket
	views     []*viewState
	triggers  map[string]trigger // those that open a view
	responses map[string]*responseURL
	ephemeral []Ephemeral

	calls   map[string]int
	lately  []Call
	faults  []*boundFault
	stalls  []*stalled
	buckets map[string]*bucket

	base     string // where HTTP events go; "" for sockets
	tickets  map[string]bool
	sockets  []*socket
	turn     int // which socket is next
	queue    []*delivery
	flying   map[string]*delivery
	lanes    map[string][]*delivery
	held     bool
	open     int // events neither taken nor given up
	attempts []Delivery
	lastHTTP *signed
	timers   map[*time.Timer]bool
}

// userState is a person, the bot or another app's bot.
type userState struct {
	id, name, botID string
	team            string // "" is the workspace's
	admin, bot      bool
}

func newServer(tb testing.TB, o Options) *Server {
	tb.Helper()
	o = o.filled()
	s := &Server{
		tb: tb, o: o, done: make(chan struct{}), errands: make(chan *delivery), changed: make(chan struct{}),
		scopes: set(o.Scopes), events: set(o.Events),
		users: map[string]*userState{}, channels: map[string]*channelState{},
		files: map[string]*fileState{}, uploads: map[string]*fileState{},
		triggers: map[string]trigger{}, responses: map[string]*responseURL{},
		calls: map[string]int{}, buckets: map[string]*bucket{},
		tickets: map[string]bool{}, flying: map[string]*delivery{}, lanes: map[string][]*delivery{},
		timers: map[*time.Timer]bool{},
	}
	s.users[botUser] = &userState{id: botUser, name: "atelier", botID: botID, bot: true}
	s.users["USLACKBOT"] = &userState{id: "USLACKBOT", name: "slackbot"}
	s.poster = &http.Client{
		Transport:     &http.Transport{Proxy: nil, MaxIdleConnsPerHost: 16},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	mux := http.NewServeMux()
	mux.HandleFunc("/api/{method}", s.serveMethod)
	mux.HandleFunc("GET /link/", s.serveSocket)
	mux.HandleFunc("POST /upload/v1/{ticket}", s.serveUpload)
	mux.HandleFunc("GET /files-pri/{file}/{name}", s.serveFile)
	mux.HandleFunc("GET /files-pri/{file}/download/{name}", s.serveFile)
	mux.HandleFunc("POST /actions/{id}", s.serveResponse)
	s.http = httptest.NewServer(mux)
	if o.Foreign {
		s.other = httptest.NewServer(mux)
	}
	s.wg.Go(s.runErrands)
	return s
}

func (o Options) filled() Options {
	if o.Scopes == nil {
		o.Scopes = DefaultScopes()
	}
	if o.Events == nil {
		o.Events = DefaultEvents()
	}
	if o.Retries == nil {
		o.Retries = []time.Duration{0, time.Minute, 5 * time.Minute}
	}
	if o.AckWithin == 0 {
		o.AckWithin = 3 * time.Second
	}
	if o.TriggerFor == 0 {
		o.TriggerFor = 3 * time.Second
	}
	if o.Ping == 0 {
		o.Ping = 2 * time.Second
	}
	if o.ShareAfter == 0 {
		o.ShareAfter = 20 * time.Millisecond
	}
	if o.MaxFile == 0 {
		o.MaxFile = 1 << 30
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	return o
}

// Close ends the server; nothing of it runs when it returns. New calls it when the test
// ends; a second call does nothing.
func (s *Server) Close() {
	s.mu.Lock()
	if s.closed {
		s.mu.Unlock()
		return
	}
	s.closed = true
	close(s.done)
	for timer := range s.timers {
		timer.Stop()
	}
	sockets := slices.Clone(s.sockets)
	s.tell()
	s.mu.Unlock()
	for _, c := range sockets {
		c.hangUp()
	}
	s.http.CloseClientConnections()
	s.http.Close()
	if s.other != nil {
		s.other.CloseClientConnections()
		s.other.Close()
	}
	s.wg.Wait()
	s.poster.CloseIdleConnections()
}

// change does f as one change of the workspace.
func (s *Server) change(f func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	f()
	s.tell()
}

// tell wakes those who wait for a change, and sends what is to be sent. It is called
// with the lock held, as all methods below that say nothing else.
func (s *Server) tell() {
	s.dispatch()
	close(s.changed)
	s.changed = make(chan struct{})
}

func (s *Server) until(ctx context.Context, ok func() bool) error {
	for {
		s.mu.Lock()
		changed := s.changed
		s.mu.Unlock()
		if ok() {
			return nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// after does f, with the lock held and as a change, in a while; never once the server is
// closed.
func (s *Server) after(wait time.Duration, f func()) *time.Timer {
	var timer *time.Timer
	timer = time.AfterFunc(wait, func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.closed || !s.timers[timer] {
			return
		}
		delete(s.timers, timer)
		f()
		s.tell()
	})
	s.timers[timer] = true
	return timer
}

// stop takes back an after.
func (s *Server) stop(timer *time.Timer) {
	if timer != nil {
		timer.Stop()
		delete(s.timers, timer)
	}
}

// id is a new id such as U0000001Z.
func (s *Server) id(prefix string) string {
	s.serial++
	return prefix + strings.ToUpper(fmt.Sprintf("%08s", strconv.FormatInt(int64(s.serial), 36)))
}

// ts is a new timestamp, above all earlier ones.
func (s *Server) ts() string {
	s.lastTS = max(s.lastTS+1, s.o.Now().UnixMicro())
	return fmt.Sprintf("%d.%06d", s.lastTS/1e6, s.lastTS%1e6)
}

// misusef fails the test: what it asked for makes no sense.
func (s *Server) misusef(format string, args ...any) {
	s.tb.Helper()
	s.tb.Errorf("slacktest: "+format, args...)
}

func set(words []string) map[string]bool {
	m := make(map[string]bool, len(words))
	for _, w := range words {
		m[w] = true
	}
	return m
}

// scopeList is the value of X-OAuth-Scopes.
func (s *Server) scopeList() string {
	return strings.Join(slices.Sorted(maps.Keys(s.scopes)), ",")
}
