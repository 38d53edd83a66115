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

// pingEvery is the time between two pings of a socket.
const pingEvery = 2 * time.Second

// Sockets are the open connections of Socket Mode.
type Sockets struct {
	*shared
	deliveries *Deliveries
	tickets    map[string]bool // each opens one socket
	open       []*socket
	turn       int // which socket is next
}

// The reasons of a disconnect message.
const (
	Warning          = "warning"           // the socket closes soon
	RefreshRequested = "refresh_requested" // it closes: open another
)

// Count returns the number of open sockets.
func (ss *Sockets) Count() int {
	ss.mu.Lock()
	defer ss.mu.Unlock()
	return len(ss.open)
}

// Disconnect sends every socket a disconnect message with the reason and closes it, after a
// warning in a second; with reason "" it breaks the connections without a message. What was
// not acknowledged is sent again on the next socket.
func (ss *Sockets) Disconnect(reason string) {
	ss.mu.Lock()
	defer ss.mu.Unlock()
	for _, c := range ss.open {
		if reason == "" {
			c.hangUp()
			continue
		}
		c.warned = true
		c.put(object{"type": "disconnect", "reason": reason, "debug_info": object{"host": "applink-1"}})
		if reason == Warning {
			ss.after(time.Second, c.leave)
		} else {
			c.leave()
		}
	}
}

// leave closes all sockets once everything is written.
func (ss *Sockets) leave() {
	for _, c := range ss.open {
		c.leave()
	}
}

// url returns an address that opens one socket.
func (ss *Sockets) url() string {
	ticket := ss.id("ticket-")
	ss.tickets[ticket] = true
	return "ws" + ss.address[len("http"):] + "/link/?ticket=" + ticket + "&app_id=" + appID
}

// next returns the socket whose turn it is; nil if none is open.
func (ss *Sockets) next() *socket {
	for range ss.open {
		ss.turn++
		if c := ss.open[ss.turn%len(ss.open)]; !c.warned {
			return c
		}
	}
	return nil
}

// serve is called without the lock.
func (ss *Sockets) serve(w http.ResponseWriter, r *http.Request) {
	ticket := r.URL.Query().Get("ticket")
	ss.mu.Lock()
	ok := ss.tickets[ticket] && !ss.closed && ss.revoked == ""
	delete(ss.tickets, ticket)
	if ok {
		ss.wg.Add(1)
	}
	ss.mu.Unlock()
	if !ok {
		http.Error(w, "invalid ticket", http.StatusForbidden)
		return
	}
	defer ss.wg.Done()
	upgrader := websocket.Upgrader{CheckOrigin: func(*http.Request) bool { return true }}
	conn, err := upgrader.Upgrade(w, r, nil)
	if err != nil {
		return // it answered
	}
	c := &socket{conn: conn, done: ss.done, wake: make(chan struct{}, 1), gone: make(chan struct{})}
	if !ss.admit(c) {
		return
	}
	var writing sync.WaitGroup
	writing.Go(c.write)
	ss.receive(c)
	close(c.gone)
	writing.Wait()
	ss.change(func() {
		ss.open = slices.DeleteFunc(ss.open, func(other *socket) bool { return other == c })
		ss.deliveries.lose(c)
	})
}

// admit greets a socket, unless the server is closed. It is called without the lock.
func (ss *Sockets) admit(c *socket) bool {
	ss.mu.Lock()
	defer ss.mu.Unlock()
	if ss.closed {
		c.hangUp()
		return false
	}
	c.put(object{
		"type": "hello", "num_connections": len(ss.open) + 1, "connection_info": object{"app_id": appID},
		"debug_info": object{"host": "applink-1", "build_number": 1, "approximate_connection_time": 18060},
	})
	ss.open = append(ss.open, c)
	ss.notify()
	return true
}

// receive takes acknowledgements until the connection ends. It is called without the lock.
func (ss *Sockets) receive(c *socket) {
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
		if json.Unmarshal(text, &answer) == nil {
			ss.change(func() { ss.deliveries.take(ss.deliveries.flying[answer.EnvelopeID], answer.Payload, 0) })
		}
	}
}

// socket is one connection of Socket Mode. It has a lock of its own.
type socket struct {
	conn   *websocket.Conn
	done   chan struct{} // closed with the server
	wake   chan struct{} // something is to be written
	gone   chan struct{} // closed when the reading ended
	warned bool          // it takes no new envelopes; the server's lock guards it

	mu      sync.Mutex
	out     [][]byte
	leaving bool // it closes after what is in out
}

// put queues a message.
func (c *socket) put(v any) {
	c.mu.Lock()
	c.out = append(c.out, encode(v))
	c.mu.Unlock()
	c.nudge()
}

// leave closes the socket once everything is written.
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

// hangUp breaks the connection without a close message.
func (c *socket) hangUp() { _ = c.conn.NetConn().Close() } //nolint:errcheck // it is broken either way

// write sends what is queued, and pings.
func (c *socket) write() {
	defer c.hangUp()
	const patience = 10 * time.Second
	ping := time.NewTicker(pingEvery)
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
			case <-c.done:
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
		case <-c.done:
			return
		}
	}
}

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
