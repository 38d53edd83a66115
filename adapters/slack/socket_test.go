package slack

import (
	"bytes"
	"context"
	"encoding/json"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gorilla/websocket"

	"atelier/adapters"
	"atelier/adapters/outbox"
)

// sockets is a Socket Mode server that follows Slack's documentation, whose sockets do what a test says:
// https://docs.slack.dev/apis/events-api/using-socket-mode.
type sockets struct {
	s    *Slack
	log  *lines
	open func(n int, w http.ResponseWriter, r *http.Request) // of the n-th socket, from 1

	mu      sync.Mutex
	opened  int
	limited bool // auth.test is refused by 429
}

// lines is a log that several goroutines write to.
type lines struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *lines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lines) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

// serveSockets connects the adapter to such a server until the test ends.
func serveSockets(t *testing.T, handle adapters.Handler, open func(n int, w http.ResponseWriter, r *http.Request)) *sockets {
	t.Helper()
	k := &sockets{log: &lines{}, open: open}
	server := httptest.NewServer(k)
	t.Cleanup(server.Close)
	s, err := New(Config{
		BotToken: "xoxb-1", AppToken: "xapp-1", APIURL: server.URL + "/api/", State: new(outbox.Memory), Open: nothing,
		Log: slog.New(slog.NewTextHandler(k.log, nil)),
	})
	if err != nil {
		t.Fatal(err)
	}
	k.s, s.socket.HelloWithin = s, 200*time.Millisecond
	t.Cleanup(s.edge.HTTP().CloseIdleConnections)
	ctx, stop := context.WithCancel(context.WithoutCancel(t.Context()))
	over := make(chan error, 1)
	go func() { over <- s.Listen(ctx, handle) }()
	t.Cleanup(func() {
		stop()
		if err := <-over; err != nil {
			t.Error(err)
		}
	})
	return k
}

func (k *sockets) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	k.mu.Lock()
	limited := k.limited
	k.mu.Unlock()
	answer := object{"ok": true}
	switch r.URL.Path {
	case "/api/auth.test":
		if limited {
			w.Header().Set("Retry-After", "120")
			w.WriteHeader(http.StatusTooManyRequests)
			return
		}
		answer["team_id"], answer["user_id"], answer["bot_id"] = "T1", "UBOT", "BBOT"
	case "/api/apps.connections.open":
		answer["url"] = "ws://" + r.Host + "/link?ticket=secret"
	case "/link":
		k.mu.Lock()
		k.opened++
		n := k.opened
		k.mu.Unlock()
		k.open(n, w, r)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(answer) //nolint:errcheck,errchkjson // the bot has gone
}

// ready waits until events are received, as /readyz reports.
func (k *sockets) ready(t *testing.T) {
	t.Helper()
	for end := time.Now().Add(30 * time.Second); k.s.Check(t.Context()) != nil; {
		if time.Now().After(end) {
			t.Fatalf("it is not ready: %v\n%s", k.s.Check(t.Context()), k.log)
		}
	}
}

// upgraded is a socket that stays open until the bot closes it. It pings, as Slack does.
func upgraded(w http.ResponseWriter, r *http.Request, frames ...object) {
	up := websocket.Upgrader{}
	conn, err := up.Upgrade(w, r, nil)
	if err != nil {
		return // it answered
	}
	defer func() { _ = conn.Close() }() //nolint:errcheck // the bot has closed it
	for _, f := range frames {
		if conn.WriteJSON(f) != nil {
			return
		}
	}
	gone := make(chan struct{})
	var pings sync.WaitGroup
	defer pings.Wait()
	pings.Go(func() {
		tick := time.NewTicker(20 * time.Millisecond)
		defer tick.Stop()
		for {
			select {
			case <-tick.C:
				_ = conn.WriteControl(websocket.PingMessage, nil, time.Now().Add(time.Second)) //nolint:errcheck // as above
			case <-gone:
				return
			}
		}
	})
	defer close(gone)
	for {
		if _, _, err := conn.ReadMessage(); err != nil {
			return
		}
	}
}

var hello = object{"type": "hello", "num_connections": 1, "connection_info": object{"app_id": "A1"}}

// A socket that never says hello is closed, even if it answers pings, and another one is opened.
func TestSocketWithoutHello(t *testing.T) {
	t.Parallel()
	closed := make(chan struct{})
	k := serveSockets(t, func(context.Context, adapters.Event) error { return nil }, func(n int, w http.ResponseWriter, r *http.Request) {
		if n == 1 {
			upgraded(w, r)
			close(closed)
			return
		}
		upgraded(w, r, hello)
	})
	k.ready(t)
	<-closed
	if !strings.Contains(k.log.String(), "sent no hello") {
		t.Errorf("the log says\n%s", k.log)
	}
}

// A socket with events works, whatever it sends first: the bot is ready at once.
func TestEventsBeforeHello(t *testing.T) {
	t.Parallel()
	heard := make(chan adapters.Event, 1)
	event := object{"type": "event_callback", "event_id": "Ev1", "event": object{
		"type": "message", "channel": "D1", "channel_type": "im", "user": "U1", "text": "hi", "ts": "1790000000.000100",
	}}
	k := serveSockets(t, func(_ context.Context, e adapters.Event) error {
		heard <- e
		return nil
	}, func(_ int, w http.ResponseWriter, r *http.Request) {
		upgraded(w, r, object{"type": "events_api", "envelope_id": "e1", "payload": event})
	})
	<-heard
	if err := k.s.Check(t.Context()); err != nil {
		t.Errorf("events are answered, and it is not ready: %v", err)
	}
}

// A rate limit of the token check does not make the bot unready.
func TestReadyThoughThePaceIsLimited(t *testing.T) {
	t.Parallel()
	k := serveSockets(t, func(context.Context, adapters.Event) error { return nil }, func(_ int, w http.ResponseWriter, r *http.Request) {
		upgraded(w, r, hello)
	})
	k.ready(t)
	k.mu.Lock()
	k.limited = true
	k.mu.Unlock()
	ctx, stop := context.WithTimeout(t.Context(), 3*time.Second)
	defer stop()
	for range 2 {
		if err := k.s.Check(ctx); err != nil {
			t.Errorf("it is not ready: %v", err)
		}
	}
}

// A rejected handshake is logged with its status, but without the URL, which is a secret. A disconnect before
// hello is not a connection.
func TestHandshakeRefused(t *testing.T) {
	t.Parallel()
	for _, status := range []int{http.StatusForbidden, http.StatusTooManyRequests, http.StatusServiceUnavailable} {
		t.Run(strconv.Itoa(status), func(t *testing.T) {
			t.Parallel()
			k := serveSockets(t, func(context.Context, adapters.Event) error { return nil }, func(n int, w http.ResponseWriter, r *http.Request) {
				switch n {
				case 1:
					http.Error(w, "no such ticket: secret", status)
				case 2:
					upgraded(w, r, object{"type": "disconnect", "reason": "too_many_websockets"})
				default:
					upgraded(w, r, hello)
				}
			})
			k.ready(t)
			told := k.log.String()
			if !strings.Contains(told, strconv.Itoa(status)) || !strings.Contains(told, "too_many_websockets") || strings.Contains(told, "secret") {
				t.Errorf("the log says\n%s", told)
			}
		})
	}
}
