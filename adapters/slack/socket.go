package slack

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"sync"
	"time"

	"github.com/gorilla/websocket"
	"github.com/slack-go/slack/socketmode"

	"atelier/adapters"
	"atelier/adapters/edge"
	"atelier/adapters/lenient"
)

// The library's own client of Socket Mode confirms in the background and does not tell when:
// what was confirmed as Listen ended might come again. So the connection is held here, and
// the library opens it.

const (
	maxFrame = 4 << 20 // bytes of what Slack tells at once
	// A connection on which nothing comes for so long, and no answer to a ping, is dead.
	deadAfter, pingEvery = 45 * time.Second, 15 * time.Second
	writing              = 5 * time.Second
	// greeting is how long Slack may take to say hello on a socket.
	greeting   = 10 * time.Second
	firstRetry = 200 * time.Millisecond
	lastRetry  = time.Minute
	// A server that somebody runs, and that has named its address, is back soon and is not
	// called by many.
	lastRetryNamed = 10 * time.Second
)

// line is a connection of Socket Mode. See
// https://docs.slack.dev/apis/events-api/using-socket-mode.
type line struct {
	conn *websocket.Conn
	// answer is until when Slack must have said hello, zero once it has. It belongs to who
	// reads.
	answer time.Time

	mu sync.Mutex // of writing
}

// sockets holds a connection until the context ends. It connects again at growing intervals,
// and at once where Slack asks for it.
func (s *Slack) sockets(ctx context.Context) {
	defer s.socket.Store(false)
	pause, longest := firstRetry, lastRetry
	if s.config.APIURL != officialURL {
		longest = lastRetryNamed
	}
	for ctx.Err() == nil {
		begun := time.Now()
		err := s.session(ctx)
		s.socket.Store(false)
		if err == nil {
			pause = firstRetry
			continue
		}
		if ctx.Err() != nil {
			return
		}
		s.give(err)
		if time.Since(begun) > lastRetry {
			pause = firstRetry
		}
		s.config.Log.WarnContext(ctx, "there is no connection to Slack: it is opened again", "after", pause, "error", err)
		if sleep(ctx, max(pause, adapters.Wait(err))) != nil {
			return
		}
		pause = min(2*pause, longest)
	}
}

// session connects, and hears what comes until the connection ends. The error is nil where
// Slack wants another one.
func (s *Slack) session(ctx context.Context) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	_, address, err := s.api.StartSocketModeContext(ctx)
	if err != nil {
		return appFault(err, nil)
	}
	conn, err := s.edge.Socket(ctx, address, nil)
	if err != nil {
		return lineFault(err)
	}
	l := &line{conn: conn, answer: time.Now().Add(s.helloWithin)}
	conn.SetReadLimit(maxFrame)
	conn.SetPongHandler(func(string) error { return l.alive() })
	conn.SetPingHandler(func(data string) error {
		_ = l.control(websocket.PongMessage, []byte(data)) //nolint:errcheck // a broken connection is seen by its reader
		return l.alive()
	})
	var beat sync.WaitGroup
	beat.Go(func() { l.keep(ctx) })
	defer beat.Wait()
	defer stop()
	return s.listenTo(ctx, l)
}

// listenTo reads what comes. The connection stands once Slack has said hello, or has sent an
// event without it.
func (s *Slack) listenTo(ctx context.Context, l *line) error {
	for {
		err := l.alive()
		var frame []byte
		if err == nil {
			_, frame, err = l.conn.ReadMessage()
		}
		if err != nil {
			return l.ended(err)
		}
		var r socketmode.Request
		if odd, err := lenient.Unmarshal(frame, &r); !s.isUnderstood(odd, err) {
			continue
		}
		if r.Type == socketmode.RequestTypeDisconnect {
			said := fmt.Errorf("slack says %s", word(r.Reason))
			switch {
			case r.Reason == "link_disabled":
				return &adapters.Fault{Sentence: "Socket Mode is turned off: turn it on in the settings of the app.", Err: said}
			case !l.answer.IsZero():
				return &adapters.Fault{Sentence: unreached, Err: said}
			}
			return nil
		}
		if !l.answer.IsZero() && (r.Type == socketmode.RequestTypeHello || r.EnvelopeID != "") {
			l.answer = time.Time{}
			s.socket.Store(true)
			s.doubt() //nolint:contextcheck // it lasts as long as Listen
		}
		if r.Type != socketmode.RequestTypeHello {
			s.request(r, func() { //nolint:contextcheck // what is pressed is worked on as long as Listen lasts
				if err := l.confirm(r.EnvelopeID); err != nil {
					s.config.Log.WarnContext(ctx, "an event was not confirmed to Slack: it comes again", "error", lineFault(err))
				}
			})
		}
	}
}

// request takes what is to be confirmed.
func (s *Slack) request(r socketmode.Request, confirm func()) {
	switch r.Type {
	case socketmode.RequestTypeEventsAPI:
		s.hear(r.Payload, confirm)
	case socketmode.RequestTypeInteractive:
		if s.interact(r.Payload) {
			confirm()
		}
	case socketmode.RequestTypeSlashCommands:
		var c command
		if odd, err := lenient.Unmarshal(r.Payload, &c); s.isUnderstood(odd, err) && s.command(c) {
			confirm()
		}
	default:
		if r.EnvelopeID != "" {
			confirm()
		}
	}
}

// confirm tells Slack that what came is taken.
func (l *line) confirm(envelope string) error {
	b, err := json.Marshal(socketmode.Response{EnvelopeID: envelope})
	if err != nil {
		return err //nolint:wrapcheck // a string can be written
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if err := l.conn.SetWriteDeadline(time.Now().Add(writing)); err != nil {
		return err //nolint:wrapcheck // lineFault reads it
	}
	return l.conn.WriteMessage(websocket.TextMessage, b) //nolint:wrapcheck // as above
}

// keep pings, and closes the connection when the context ends.
func (l *line) keep(ctx context.Context) {
	tick := time.NewTicker(pingEvery)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			_ = l.control(websocket.PingMessage, nil) //nolint:errcheck // a broken connection is seen by its reader
		case <-ctx.Done():
			_ = l.control(websocket.CloseMessage, websocket.FormatCloseMessage(websocket.CloseNormalClosure, "")) //nolint:errcheck // as above
			_ = l.conn.Close()                                                                                    //nolint:errcheck // it has ended
			return
		}
	}
}

func (l *line) control(kind int, data []byte) error {
	return l.conn.WriteControl(kind, data, time.Now().Add(writing)) //nolint:wrapcheck // nobody reads it
}

// alive puts off the end of the connection. Before hello nothing does.
func (l *line) alive() error {
	until := l.answer
	if until.IsZero() {
		until = time.Now().Add(deadAfter)
	}
	return l.conn.SetReadDeadline(until) //nolint:wrapcheck // lineFault reads it
}

// ended is why nothing more can be read.
func (l *line) ended(err error) error {
	if late, ok := errors.AsType[net.Error](err); ok && late.Timeout() && !l.answer.IsZero() {
		return &adapters.Fault{Sentence: unreached, Err: errors.New("slack has opened a socket and did not say hello on it")}
	}
	return lineFault(err)
}

// lineFault is what befell a connection, without its address, which lets in who has it.
func lineFault(err error) error {
	if closed, ok := errors.AsType[*websocket.CloseError](err); ok {
		return &adapters.Fault{Sentence: unreached, Err: closedBy(closed.Code)}
	}
	return fault(edge.Detail(err))
}
