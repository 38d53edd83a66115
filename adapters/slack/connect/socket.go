package connect

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"atelier/agent/sleep"

	"github.com/gorilla/websocket"
	"github.com/slack-go/slack/socketmode"

	"atelier/adapters"
	"atelier/adapters/download"
	"atelier/adapters/slack/api"
	"atelier/adapters/slack/convert"
	"atelier/adapters/slack/receive"
)

const (
	maxFrame = 4 << 20 // bytes of one frame
	// A connection is dead if nothing arrives for deadAfter, not even the answer to a ping.
	deadAfter, pingEvery = 45 * time.Second, 15 * time.Second
	writeTimeout         = 5 * time.Second
	// closeTimeout is how long Slack may take to answer a close.
	closeTimeout = 2 * time.Second
	// helloTimeout is how long Slack may take to say hello.
	helloTimeout = 10 * time.Second
	firstRetry   = 200 * time.Millisecond
	lastRetry    = time.Minute
	// lastRetryNear is the longest pause before retrying a server that is not Slack's own.
	lastRetryNear = 10 * time.Second
)

// Socket receives by Socket Mode. See https://docs.slack.dev/apis/events-api/using-socket-mode.
//
// The library's own Socket Mode client confirms in the background and does not tell when, so
// an event confirmed while Run ends might be repeated. So the library only opens the
// connection, and Socket reads it.
type Socket struct {
	API          *api.Client
	Edge         *download.Client
	Listener     *receive.Listener
	Events       *receive.Events
	Interactions *receive.Interactions
	Commands     *receive.Commands
	Log          *slog.Logger
	// Near is set for a server other than Slack's own. It is retried sooner, since few bots call it.
	Near bool
	// HelloWithin is how long Slack may take to say hello on a socket; 0 is 10 seconds.
	HelloWithin time.Duration

	connected atomic.Bool // Slack has said hello
}

// IsConnected reports whether events are received.
func (s *Socket) IsConnected() bool { return s.connected.Load() }

// Run holds a connection until the context ends. It reconnects with backoff, and at once when
// Slack asks for it.
func (s *Socket) Run(ctx context.Context) {
	defer s.connected.Store(false)
	pause, longest := firstRetry, lastRetry
	if s.Near {
		longest = lastRetryNear
	}
	for ctx.Err() == nil {
		begun := time.Now()
		err := s.session(ctx)
		s.connected.Store(false)
		if err == nil {
			pause = firstRetry
			continue
		}
		if ctx.Err() != nil {
			return
		}
		s.Listener.Fail(err)
		if time.Since(begun) > lastRetry {
			pause = firstRetry
		}
		s.Log.WarnContext(ctx, "there is no connection to Slack; reconnecting", "after", pause, "error", err)
		if sleep.For(ctx, max(pause, adapters.Wait(err))) != nil {
			return
		}
		pause = min(2*pause, longest)
	}
}

// Dispatch passes a request on, and confirms it once it is accepted.
func (s *Socket) Dispatch(r socketmode.Request, confirm func()) {
	switch r.Type {
	case socketmode.RequestTypeEventsAPI:
		s.Events.Receive(r.Payload, confirm)
	case socketmode.RequestTypeInteractive:
		if s.Interactions.Receive(r.Payload) {
			confirm()
		}
	case socketmode.RequestTypeSlashCommands:
		var c convert.Command
		if receive.Decode(s.Log, r.Payload, &c) && s.Commands.Receive(c) {
			confirm()
		}
	default:
		if r.EnvelopeID != "" {
			confirm()
		}
	}
}

func (s *Socket) helloWithin() time.Duration { return cmp.Or(s.HelloWithin, helloTimeout) }

// session connects and reads until the connection ends. The error is nil if Slack asks for
// another connection.
func (s *Socket) session(ctx context.Context) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	_, address, err := s.API.StartSocketModeContext(ctx)
	if err != nil {
		return api.AppFault(err, nil)
	}
	conn, err := s.Edge.Socket(ctx, address, nil)
	if err != nil {
		return connectionFault(err)
	}
	l := &connection{conn: conn, helloBy: time.Now().Add(s.helloWithin()), unread: make(chan struct{})}
	conn.SetReadLimit(maxFrame)
	conn.SetPongHandler(func(string) error { return l.extend() })
	conn.SetPingHandler(func(data string) error {
		_ = l.control(websocket.PongMessage, []byte(data)) //nolint:errcheck // a broken connection is seen by its reader
		return l.extend()
	})
	var beat sync.WaitGroup
	beat.Go(func() { l.keepAlive(ctx) })
	defer beat.Wait()
	defer stop()
	defer close(l.unread)
	return s.read(ctx, l)
}

// read reads frames. The connection is established once Slack has said hello, or has sent an
// event without it.
func (s *Socket) read(ctx context.Context, l *connection) error {
	for {
		err := l.extend()
		var frame []byte
		if err == nil {
			_, frame, err = l.conn.ReadMessage()
		}
		if err != nil {
			return l.readFault(err)
		}
		var r socketmode.Request
		if !receive.Decode(s.Log, frame, &r) {
			continue
		}
		if r.Type == socketmode.RequestTypeDisconnect {
			said := fmt.Errorf("slack says %s", api.Code(r.Reason))
			switch {
			case r.Reason == "link_disabled":
				return &adapters.Fault{Sentence: "Socket Mode is turned off: turn it on in the settings of the app.", Err: said}
			case !l.helloBy.IsZero():
				return &adapters.Fault{Sentence: api.Unreached, Err: said}
			}
			return nil
		}
		if !l.helloBy.IsZero() && (r.Type == socketmode.RequestTypeHello || r.EnvelopeID != "") {
			l.helloBy = time.Time{}
			s.connected.Store(true)
			s.Listener.CheckToken() //nolint:contextcheck // it lasts as long as Run
		}
		if r.Type != socketmode.RequestTypeHello {
			s.Dispatch(r, func() { //nolint:contextcheck // interactions are worked on as long as Run lasts
				if err := l.confirm(r.EnvelopeID); err != nil {
					s.Log.WarnContext(ctx, "an event could not be confirmed; Slack will repeat it", "error", connectionFault(err))
				}
			})
		}
	}
}
