package discordtest

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/gorilla/websocket"
)

// The opcodes of the gateway. https://discord.com/developers/docs/topics/opcodes-and-status-codes
const (
	opHeartbeat      = 1
	opIdentify       = 2
	opPresence       = 3
	opVoice          = 4
	opResume         = 6
	opReconnect      = 7
	opMembers        = 8
	opInvalidSession = 9
	opHello          = 10
	opHeartbeatAck   = 11
)

// The codes by which the gateway closes a connection.
const (
	closeUnknown          = 4000
	closeUnknownOp        = 4001
	closeDecode           = 4002
	closeNotIdentified    = 4003
	closeBadToken         = 4004
	closeAlready          = 4005
	closeBadSeq           = 4007
	closeTimedOut         = 4009
	closeBadVersion       = 4012
	closeBadIntents       = 4013
	closeForbiddenIntents = 4014
)

// heartbeat is how often the bot must give a sign of life. A connection without any for more
// than twice as long is closed.
const heartbeat = 41250 * time.Millisecond

// resumable tells whether a session can be taken up again after the gateway closed with a
// code.
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

// end closes the connection with a code, once what waits has gone out.
func (c *conn) end(code int) {
	if c.code == 0 {
		c.code = code
	}
	c.stir()
}

func control(op int, data any) []byte { return encode(payload{Op: op, Data: encode(data)}) }

func (s *Server) gatewayURL() string {
	return "ws" + strings.TrimPrefix(s.http.URL, "http") + "/gateway"
}

func (s *Server) serveGateway(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	shut := s.shut || s.ended()
	if !shut {
		s.running.Add(1)
	}
	s.mu.Unlock()
	if shut {
		http.Error(w, "The gateway takes no connections.", http.StatusServiceUnavailable)
		return
	}
	defer s.running.Done()
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
	s.do(func() {
		s.conns[c] = struct{}{}
		if s.ended() {
			closeQuietly(ws) // so that reading ends
		}
	})
	ctx, stop := context.WithCancel(context.WithoutCancel(r.Context())) // the request's own ends when the connection is taken over
	written := make(chan struct{})
	go func() {
		defer close(written)
		s.write(ctx, c)
	}()
	s.read(c)
	stop()
	closeQuietly(ws)
	<-written
}

// closeQuietly closes what the other side may have closed already.
func closeQuietly(c io.Closer) {
	_ = c.Close() //nolint:errcheck // that is no fault
}

// ended tells whether the server has.
func (s *Server) ended() bool {
	select {
	case <-s.done:
		return true
	default:
		return false
	}
}

// read does what the bot says, until it or the server ends the connection.
func (s *Server) read(c *conn) {
	defer func() {
		s.do(func() {
			s.detach(c, true)
			delete(s.conns, c)
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
				s.do(func() { s.detach(c, false) })
			}
			return
		}
		var p payload
		bad := json.Unmarshal(data, &p) != nil
		s.do(func() {
			if c.code != 0 {
				return
			}
			code := closeDecode
			if !bad {
				code = s.hear(c, p)
			}
			if code != 0 {
				s.detach(c, resumable(code))
				c.end(code)
			}
		})
	}
}

// hear does what the bot says once, and tells by which code the connection ends, or 0.
func (s *Server) hear(c *conn, p payload) int {
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
		return s.identify(c, said.Token, said.Intents)
	case opResume:
		if json.Unmarshal(p.Data, &said) != nil {
			return closeDecode
		}
		code, valid := s.resume(c, said.Token, said.Session, said.Seq)
		if code == 0 && !valid {
			c.send(control(opInvalidSession, false))
		}
		return code
	case opPresence, opVoice, opMembers:
		if c.session == nil {
			return closeNotIdentified
		}
		return 0
	}
	return closeUnknownOp
}

// write sends what is to go out.
func (s *Server) write(ctx context.Context, c *conn) {
	for {
		s.mu.Lock()
		out, code := c.out, c.code
		c.out = nil
		s.mu.Unlock()
		for _, frame := range out {
			if c.ws.WriteMessage(websocket.TextMessage, frame) != nil {
				return // reading tells
			}
		}
		if code != 0 {
			// The bot answers by closing, for which reading waits; where it does not, the test's end
			// closes.
			last := websocket.FormatCloseMessage(code, "")
			if c.ws.WriteControl(websocket.CloseMessage, last, time.Now().Add(5*time.Second)) != nil {
				closeQuietly(c.ws) // so that reading does not wait
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
