package discordtest

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"time"

	"github.com/gorilla/websocket"
)

// Gateway sends events to the bot, over connections with sessions.
type Gateway struct {
	*renderer
	shut        bool // it accepts no connections
	conns       map[*conn]struct{}
	sessions    map[string]*session
	identified  int
	resumed     int
	lastIntents int
	withheld    []string // kinds of events that are not sent
}

// The opcodes of the gateway. https://discord.com/developers/docs/topics/opcodes-and-status-codes
const (
	opHeartbeat      = 1
	opIdentify       = 2
	opResume         = 6
	opReconnect      = 7
	opInvalidSession = 9
	opHello          = 10
	opHeartbeatAck   = 11
)

// The codes by which the gateway closes a connection.
const (
	closeUnknown          = 4000
	closeUnknownOp        = 4001
	closeDecode           = 4002
	closeBadToken         = 4004
	closeAlready          = 4005
	closeBadSeq           = 4007
	closeTimedOut         = 4009
	closeBadVersion       = 4012
	closeBadIntents       = 4013
	closeForbiddenIntents = 4014
)

// heartbeat is how often the bot must send a heartbeat. A connection without one for more
// than twice as long is closed.
const heartbeat = 41250 * time.Millisecond

// resumable reports whether a session can be resumed after the gateway closed with a code.
func resumable(code int) bool {
	return code != closeBadToken && code != closeBadSeq && code != closeTimedOut && (code < 4010 || code > 4014)
}

// conn is a connection of the gateway. The server's mutex guards it.
type conn struct {
	ws      *websocket.Conn
	wake    chan struct{}
	out     [][]byte
	code    int // the close code, sent after the pending messages
	session *session
}

func (c *conn) send(frame []byte) {
	if c.code != 0 {
		return
	}
	c.out = append(c.out, frame)
	c.stir()
}

func (c *conn) stir() {
	select {
	case c.wake <- struct{}{}:
	default:
	}
}

// end closes the connection with a code, after the pending messages.
func (c *conn) end(code int) {
	if c.code == 0 {
		c.code = code
	}
	c.stir()
}

func control(op int, data any) []byte { return encode(payload{Op: op, Data: encode(data)}) }

// closeQuietly closes what the other side may have closed already.
func closeQuietly(c io.Closer) {
	_ = c.Close() //nolint:errcheck // that is no error
}

// Withhold stops sending events of these types, such as MESSAGE_CREATE.
func (gw *Gateway) Withhold(types ...string) { gw.do(func() { gw.withheld = types }) }

// AwaitConnected waits until a session is connected.
func (gw *Gateway) AwaitConnected(ctx context.Context) error {
	return gw.await(ctx, func() bool { return gw.Connections() > 0 })
}

// Connections counts the gateway's connections with a session.
func (gw *Gateway) Connections() (n int) {
	gw.mu.Lock()
	defer gw.mu.Unlock()
	for _, x := range gw.sessions {
		if x.conn != nil {
			n++
		}
	}
	return n
}

// Identifies counts the sessions that were started.
func (gw *Gateway) Identifies() int {
	gw.mu.Lock()
	defer gw.mu.Unlock()
	return gw.identified
}

// Resumes counts the sessions that were resumed.
func (gw *Gateway) Resumes() int {
	gw.mu.Lock()
	defer gw.mu.Unlock()
	return gw.resumed
}

// Intents returns the intents of the latest session.
func (gw *Gateway) Intents() int {
	gw.mu.Lock()
	defer gw.mu.Unlock()
	return gw.lastIntents
}

// MissingIntent withholds the intent to read what people write: sessions with it end with
// 4014, and new ones that ask for it too.
func (gw *Gateway) MissingIntent() {
	gw.do(func() {
		gw.content = false
		for id, x := range gw.sessions {
			if x.intents&intentContent == 0 {
				continue
			}
			if c := x.conn; c != nil {
				gw.detach(c, false)
				c.end(closeForbiddenIntents)
			}
			delete(gw.sessions, id)
		}
	})
}

// Drop closes the connections with a code. Their sessions can be resumed if the code allows
// it.
func (gw *Gateway) Drop(code int) { gw.do(func() { gw.closeAll(code) }) }

// CutOff breaks the connections without a close message.
func (gw *Gateway) CutOff() {
	gw.do(func() {
		for c := range gw.conns {
			gw.detach(c, true)
			closeQuietly(c.ws.NetConn())
		}
	})
}

// Refuse refuses new connections, or accepts them again.
func (gw *Gateway) Refuse(refused bool) { gw.do(func() { gw.shut = refused }) }

// Reconnect asks the bot to reconnect (7).
func (gw *Gateway) Reconnect() {
	gw.do(func() {
		for c := range gw.conns {
			c.send(control(opReconnect, nil))
			gw.detach(c, true)
		}
	})
}

// InvalidSession says that the sessions are invalid (9). They are deleted unless they are resumable.
func (gw *Gateway) InvalidSession(resumable bool) {
	gw.do(func() {
		for c := range gw.conns {
			c.send(control(opInvalidSession, resumable))
			gw.detach(c, resumable)
		}
	})
}

func (gw *Gateway) serve(w http.ResponseWriter, r *http.Request) {
	gw.mu.Lock()
	shut := gw.shut || gw.ended()
	if !shut {
		gw.running.Add(1)
	}
	gw.mu.Unlock()
	if shut {
		http.Error(w, "The gateway takes no connections.", http.StatusServiceUnavailable)
		return
	}
	defer gw.running.Done()
	upgrader := websocket.Upgrader{CheckOrigin: func(*http.Request) bool { return true }}
	ws, err := upgrader.Upgrade(w, r, nil)
	if err != nil {
		return // Upgrade has answered
	}
	c := &conn{ws: ws, wake: make(chan struct{}, 1)}
	c.out = append(c.out, control(opHello, object{"heartbeat_interval": heartbeat.Milliseconds()}))
	if v := r.URL.Query().Get("v"); v != "9" {
		c.code = closeBadVersion
	}
	gw.do(func() {
		gw.conns[c] = struct{}{}
		if gw.ended() {
			closeQuietly(ws) // so that read ends
		}
	})
	ctx, stop := context.WithCancel(context.WithoutCancel(r.Context())) // the request's own ends when the connection is hijacked
	written := make(chan struct{})
	go func() {
		defer close(written)
		gw.write(ctx, c)
	}()
	gw.read(c)
	stop()
	closeQuietly(ws)
	<-written
}

// read handles what the bot sends, until it or the server ends the connection.
func (gw *Gateway) read(c *conn) {
	defer func() {
		gw.do(func() {
			gw.detach(c, true)
			delete(gw.conns, c)
		})
	}()
	for {
		err := c.ws.SetReadDeadline(time.Now().Add(2*heartbeat + 5*time.Second))
		var data []byte
		if err == nil {
			_, data, err = c.ws.ReadMessage()
		}
		if err != nil {
			if websocket.IsCloseError(err, websocket.CloseNormalClosure, websocket.CloseGoingAway) {
				gw.do(func() { gw.detach(c, false) })
			}
			return
		}
		var p payload
		bad := json.Unmarshal(data, &p) != nil
		gw.do(func() {
			if c.code != 0 {
				return
			}
			code := closeDecode
			if !bad {
				code = gw.handle(c, p)
			}
			if code != 0 {
				gw.detach(c, resumable(code))
				c.end(code)
			}
		})
	}
}

// handle handles a message of the bot, and returns the code by which the connection ends, or 0.
func (gw *Gateway) handle(c *conn, p payload) int {
	var said struct {
		Token   string `json:"token"`
		Session string `json:"session_id"`
		Seq     int64  `json:"seq"`
		Intents int    `json:"intents"`
	}
	switch p.Op {
	case opHeartbeat:
		var seq *int64
		if json.Unmarshal(p.Data, &seq) != nil {
			return closeDecode
		}
		if seq != nil && c.session != nil {
			c.session.heard(*seq)
		}
		c.send(control(opHeartbeatAck, nil))
		return 0
	case opIdentify:
		if json.Unmarshal(p.Data, &said) != nil {
			return closeDecode
		}
		return gw.identify(c, said.Token, said.Intents)
	case opResume:
		if json.Unmarshal(p.Data, &said) != nil {
			return closeDecode
		}
		code, valid := gw.resume(c, said.Token, said.Session, said.Seq)
		if code == 0 && !valid {
			c.send(control(opInvalidSession, false))
		}
		return code
	}
	return closeUnknownOp
}

// write sends what is queued.
func (gw *Gateway) write(ctx context.Context, c *conn) {
	for {
		gw.mu.Lock()
		out, code := c.out, c.code
		c.out = nil
		gw.mu.Unlock()
		for _, frame := range out {
			if c.ws.WriteMessage(websocket.TextMessage, frame) != nil {
				return // read ends too
			}
		}
		if code != 0 {
			// The bot answers by closing, for which read waits; the end of the test closes anyway.
			last := websocket.FormatCloseMessage(code, "")
			if c.ws.WriteControl(websocket.CloseMessage, last, time.Now().Add(5*time.Second)) != nil {
				closeQuietly(c.ws) // so that read ends
			}
			return
		}
		select {
		case <-c.wake:
		case <-ctx.Done():
			return
		}
	}
}

func (gw *Gateway) closeAll(code int) {
	for c := range gw.conns {
		gw.detach(c, resumable(code))
		c.end(code)
	}
}
