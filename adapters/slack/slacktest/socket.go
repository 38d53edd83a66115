package slacktest

import (
	"encoding/json"
	"net/http"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/gorilla/websocket"
)

// maxSockets is how many connections an app may have.
const maxSockets = 10

// socket is one connection of Socket Mode.
type socket struct {
	conn *websocket.Conn
	wake chan struct{} // something is to be written
	gone chan struct{} // closed when the reading ended
	// warned takes no new envelopes; the server's lock guards it.
	warned bool

	mu      sync.Mutex
	out     [][]byte
	leaving bool // after what is in out it closes
}

// put queues what is to be written.
func (c *socket) put(v any) {
	c.mu.Lock()
	c.out = append(c.out, encode(v))
	c.mu.Unlock()
	c.nudge()
}

// leave closes the socket once all is written.
func (c *socket) leave() {
	c.mu.Lock()
	c.leaving = true
	c.mu.Unlock()
	c.nudge()
}

func (c *socket) nudge() {
	select {
	case c.wake <- struct{}{}:
	default:
	}
}

// hangUp breaks the connection with no word.
func (c *socket) hangUp() { _ = c.conn.NetConn().Close() } //nolint:errcheck // it is broken either way

// envelope is d as it goes over a socket.
func (d *delivery) envelope() object {
	e := object{
		"type": d.kind, "envelope_id": d.id, "payload": d.body, "accepts_response_payload": d.eventID == "",
	}
	if d.eventID != "" {
		e["retry_attempt"], e["retry_reason"] = d.attempt, d.reason
	}
	return e
}

// nextSocket is the one whose turn it is; nil where none is open.
func (s *Server) nextSocket() *socket {
	for range s.sockets {
		s.turn++
		if c := s.sockets[s.turn%len(s.sockets)]; !c.warned {
			return c
		}
	}
	return nil
}

func (s *Server) serveSocket(w http.ResponseWriter, r *http.Request) {
	ticket := r.URL.Query().Get("ticket")
	s.mu.Lock()
	ok := s.tickets[ticket] && !s.closed && s.revoked == ""
	delete(s.tickets, ticket)
	if ok {
		s.wg.Add(1)
	}
	s.mu.Unlock()
	if !ok {
		http.Error(w, "invalid ticket", http.StatusForbidden)
		return
	}
	defer s.wg.Done()
	upgrader := websocket.Upgrader{CheckOrigin: func(*http.Request) bool { return true }}
	conn, err := upgrader.Upgrade(w, r, nil)
	if err != nil {
		return // it answered
	}
	c := &socket{conn: conn, wake: make(chan struct{}, 1), gone: make(chan struct{})}
	if !s.admit(c) {
		return
	}
	var writing sync.WaitGroup
	writing.Go(func() { s.write(c) })
	s.read(c)
	close(c.gone)
	writing.Wait()
	s.change(func() {
		s.sockets = slices.DeleteFunc(s.sockets, func(other *socket) bool { return other == c })
		for _, d := range s.inFlight(c) {
			s.lose(d)
		}
	})
}

// admit says hello, unless the server has ended or the app has too many sockets.
func (s *Server) admit(c *socket) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		c.hangUp()
		return false
	}
	debug := object{"host": "applink-1", "build_number": 1, "approximate_connection_time": 18060}
	if len(s.sockets) >= maxSockets {
		_ = c.conn.WriteJSON(object{"type": "disconnect", "reason": "too_many_websockets", "debug_info": debug}) //nolint:errcheck // it closes anyway
		c.hangUp()
		return false
	}
	c.put(object{
		"type": "hello", "num_connections": len(s.sockets) + 1, "debug_info": debug,
		"connection_info": object{"app_id": appID},
	})
	s.sockets = append(s.sockets, c)
	s.tell()
	return true
}

// read takes acknowledgements until the connection ends.
func (s *Server) read(c *socket) {
	defer c.hangUp()
	for {
		var answer struct {
			EnvelopeID string          `json:"envelope_id"`
			Payload    json.RawMessage `json:"payload"`
		}
		_, text, err := c.conn.ReadMessage()
		if err != nil {
			return
		}
		if json.Unmarshal(text, &answer) != nil {
			continue
		}
		s.change(func() {
			if d := s.flying[answer.EnvelopeID]; d != nil {
				s.take(d, answer.Payload, 0)
			}
		})
	}
}

// write sends what is queued, and pings.
func (s *Server) write(c *socket) {
	defer c.hangUp()
	const patience = 10 * time.Second
	ping := time.NewTicker(s.o.Ping)
	defer ping.Stop()
	beat := func(at time.Time) error {
		return c.conn.WriteControl(websocket.PingMessage, []byte("Ping from applink-1 "+strconv.FormatInt(at.Unix(), 10)), at.Add(patience))
	}
	if beat(time.Now()) != nil {
		return
	}
	for {
		c.mu.Lock()
		out, leaving := c.out, c.leaving
		c.out = nil
		c.mu.Unlock()
		for _, text := range out {
			if c.conn.SetWriteDeadline(time.Now().Add(patience)) != nil || c.conn.WriteMessage(websocket.TextMessage, text) != nil {
				return
			}
		}
		if leaving {
			bye := websocket.FormatCloseMessage(websocket.CloseNormalClosure, "")
			_ = c.conn.WriteControl(websocket.CloseMessage, bye, time.Now().Add(patience)) //nolint:errcheck // it closes anyway
			select {                                                                       // the client reads what was sent, and closes
			case <-c.gone:
			case <-time.After(time.Second):
			case <-s.done:
			}
			return
		}
		select {
		case <-c.wake:
		case at := <-ping.C:
			if beat(at) != nil {
				return
			}
		case <-c.gone:
			return
		case <-s.done:
			return
		}
	}
}

func (s *Server) disconnect(reason string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, c := range s.sockets {
		if reason == "" {
			c.hangUp()
			continue
		}
		c.warned = true
		c.put(object{"type": "disconnect", "reason": reason, "debug_info": object{"host": "applink-1"}})
		if reason == Warning {
			s.after(time.Second, c.leave)
		} else {
			c.leave()
		}
	}
}

func (s *Server) socketCount() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.sockets)
}

func (s *Server) revoke(code string) {
	if code == "" {
		code = "token_revoked"
	}
	s.change(func() {
		told := s.send(nil, "tokens_revoked", "", object{
			"type": "tokens_revoked", "event_ts": s.ts(), "tokens": object{"oauth": []string{}, "bot": []string{botUser}},
		})
		s.dispatch()
		s.revoked = code
		leave := func() {
			for _, c := range s.sockets {
				c.leave()
			}
		}
		for _, c := range s.sockets {
			c.warned = true
		}
		if len(told) == 0 || told[0].on == nil {
			leave()
			return
		}
		told[0].onAck = func(json.RawMessage) { leave() } // who heard it knows why it ends
		s.after(time.Second, leave)
	})
}
