package connect

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
	"atelier/adapters/download"
	"atelier/adapters/slack/api"
)

// connection is a connection of Socket Mode. See
// https://docs.slack.dev/apis/events-api/using-socket-mode.
type connection struct {
	conn *websocket.Conn
	// helloBy is the deadline for Slack's hello, zero after it. Only the reader uses it.
	helloBy time.Time
	// unread is closed when nobody reads from the connection any more.
	unread chan struct{}

	mu sync.Mutex // of writeTimeout
}

// confirm confirms an envelope to Slack.
func (l *connection) confirm(envelope string) error {
	b, err := json.Marshal(socketmode.Response{EnvelopeID: envelope})
	if err != nil {
		return err //nolint:wrapcheck // a string can be written
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if err := l.conn.SetWriteDeadline(time.Now().Add(writeTimeout)); err != nil {
		return err //nolint:wrapcheck // connectionFault reads it
	}
	return l.conn.WriteMessage(websocket.TextMessage, b) //nolint:wrapcheck // as above
}

// keepAlive pings until the context ends, and then closes the connection. It waits for Slack's
// answer to the close: what Slack still sends to a closed socket resets it, and a reset loses the
// confirmations that Slack has not read yet.
func (l *connection) keepAlive(ctx context.Context) {
	tick := time.NewTicker(pingEvery)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			_ = l.control(websocket.PingMessage, nil) //nolint:errcheck // a broken connection is seen by its reader
		case <-ctx.Done():
			_ = l.control(websocket.CloseMessage, websocket.FormatCloseMessage(websocket.CloseNormalClosure, "")) //nolint:errcheck // as above
			late := time.NewTimer(closeTimeout)
			defer late.Stop()
			select {
			case <-l.unread:
			case <-late.C:
			}
			_ = l.conn.Close() //nolint:errcheck // it has ended
			return
		}
	}
}

// control sends a control frame.
func (l *connection) control(kind int, data []byte) error {
	return l.conn.WriteControl(kind, data, time.Now().Add(writeTimeout)) //nolint:wrapcheck // nobody reads it
}

// extend postpones the read deadline. Before hello, the deadline for hello stays.
func (l *connection) extend() error {
	until := l.helloBy
	if until.IsZero() {
		until = time.Now().Add(deadAfter)
	}
	return l.conn.SetReadDeadline(until) //nolint:wrapcheck // connectionFault reads it
}

// readFault returns the fault of a failed read.
func (l *connection) readFault(err error) error {
	if late, ok := errors.AsType[net.Error](err); ok && late.Timeout() && !l.helloBy.IsZero() {
		return &adapters.Fault{Sentence: api.Unreached, Err: errors.New("slack sent no hello")}
	}
	return connectionFault(err)
}

// connectionFault returns the fault of a connection. It leaves out the URL, which is a secret.
func connectionFault(err error) error {
	if closed, ok := errors.AsType[*websocket.CloseError](err); ok {
		return &adapters.Fault{Sentence: api.Unreached, Err: closedBy(closed.Code)}
	}
	return api.Fault(download.Detail(err))
}

// closedBy returns the error of a closed connection, by its WebSocket code.
func closedBy(code int) error { return fmt.Errorf("connection closed with code %d", code) }
