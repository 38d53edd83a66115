package connect

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"atelier/agent/sleep"

	"github.com/bwmarrin/discordgo"
	"github.com/gorilla/websocket"

	"atelier/adapters/discord/api"
	"atelier/adapters/discord/convert"
	"atelier/adapters/download"
)

// The opcodes of the gateway.
const (
	opDispatch, opHeartbeat, opIdentify, opResume, opReconnect = 0, 1, 2, 6, 7
	opInvalid, opHello, opHeartbeatAck                         = 9, 10, 11
)

const (
	maxEvent     = 64 << 20 // bytes of an event: a large server comes in one
	writeTimeout = 10 * time.Second
	// closeToResume closes a connection but keeps its session, unlike 1000 and 1001.
	closeToResume = 4000
)

// packet is a message from the gateway.
type packet struct {
	Op       int             `json:"op"`
	Sequence int64           `json:"s"`
	Name     string          `json:"t"`
	Data     json.RawMessage `json:"d"`
}

// connection is one connection to the gateway.
type connection struct {
	*websocket.Conn

	writes   sync.Mutex
	sequence atomic.Int64
	acked    atomic.Bool
	zombie   atomic.Bool
}

func (c *connection) write(op int, data any) error {
	c.writes.Lock()
	defer c.writes.Unlock()
	if err := c.SetWriteDeadline(time.Now().Add(writeTimeout)); err != nil {
		return download.Detail(err)
	}
	return download.Detail(c.WriteJSON(struct {
		Op   int `json:"op"`
		Data any `json:"d"`
	}{op, data}))
}

// end closes the connection.
func (c *connection) end(code int) {
	c.writes.Lock()
	defer c.writes.Unlock()
	told := websocket.FormatCloseMessage(code, "")
	_ = c.WriteControl(websocket.CloseMessage, told, time.Now().Add(time.Second)) //nolint:errcheck // it may be closed already
	_ = c.Close()                                                                 //nolint:errcheck // as above
}

// expect sets the deadline of the next packet; 0 means none while heartbeats are answered.
func (c *connection) expect(within time.Duration) error {
	until := time.Time{}
	if within > 0 {
		until = time.Now().Add(within)
	}
	return download.Detail(c.SetReadDeadline(until))
}

// read reads the next packet.
func (c *connection) read() (packet, error) {
	_, message, err := c.ReadMessage()
	if err != nil {
		if c.zombie.Load() {
			err = errZombie
		}
		return packet{}, err
	}
	var p packet
	if !api.Decode(message, &p) {
		return p, fmt.Errorf("discord: cannot parse an event of %d bytes", len(message))
	}
	return p, nil
}

// connect holds one connection until it or the context ends.
func (g *Gateway) connect(ctx context.Context) error {
	if err := g.Events.AwaitRoom(ctx); err != nil {
		return err
	}
	if g.session == "" {
		if _, err := g.Identity.Self(ctx); err != nil { // this checks the token
			return err
		}
		if err := sleep.For(ctx, g.Pauses.Identify-time.Since(g.identified)); err != nil {
			return err
		}
	}
	address, err := g.address(ctx)
	if err != nil {
		return err
	}
	conn, err := g.dial(ctx, address)
	if err != nil {
		g.resumeAt = "" // the next connection asks where the gateway is
		return err
	}
	c := &connection{Conn: conn}
	c.sequence.Store(g.sequence)
	c.SetReadLimit(maxEvent)
	over := context.AfterFunc(ctx, func() { c.end(websocket.CloseNormalClosure) })
	defer func() {
		over()
		c.end(closeToResume)
	}()
	beat, err := g.hello(c)
	if err != nil {
		return err
	}
	ctx, stop := context.WithCancel(ctx)
	var beats sync.WaitGroup
	defer beats.Wait()
	defer stop()
	beats.Go(func() { c.beat(ctx, beat) })
	return g.listen(ctx, c, address)
}

// hello reads the first packet, and begins or resumes a session. It returns the heartbeat interval.
func (g *Gateway) hello(c *connection) (beat time.Duration, err error) {
	if err := c.expect(g.Pauses.Answer); err != nil {
		return 0, err
	}
	p, err := c.read()
	if err != nil {
		return 0, err
	}
	var hello struct {
		Interval int64 `json:"heartbeat_interval"` // milliseconds
	}
	if !api.Decode(p.Data, &hello) || p.Op != opHello || hello.Interval <= 0 {
		return 0, errors.New("discord: the gateway sent no hello")
	}
	beat = time.Duration(hello.Interval) * time.Millisecond
	if err := c.expect(g.Pauses.Answer); err != nil {
		return 0, err
	}
	token := g.API.Session.Token
	if g.session != "" {
		return beat, c.write(opResume, struct {
			Token    string `json:"token"`
			Session  string `json:"session_id"`
			Sequence int64  `json:"seq"`
		}{token, g.session, g.sequence})
	}
	g.identified = time.Now()
	return beat, c.write(opIdentify, discordgo.Identify{
		Token: token, Intents: g.Intents, LargeThreshold: 50,
		Properties: discordgo.IdentifyProperties{OS: runtime.GOOS, Browser: "atelier", Device: "atelier"},
	})
}

// listen reads packets until the connection ends.
func (g *Gateway) listen(ctx context.Context, c *connection, address string) error {
	for {
		p, err := c.read()
		if err != nil {
			return err
		}
		switch p.Op {
		case opHeartbeat:
			if err := c.write(opHeartbeat, c.sequence.Load()); err != nil {
				return err
			}
		case opReconnect:
			return errReconnect
		case opInvalid:
			if string(bytes.TrimSpace(p.Data)) == "true" {
				return errReconnect
			}
			return errInvalid
		case opHeartbeatAck:
			c.acked.Store(true)
		case opDispatch:
			if g.Events.IsFull() {
				return errFull
			}
			g.sequence = max(g.sequence, p.Sequence)
			c.sequence.Store(g.sequence)
			if err := g.dispatch(c, p, address); err != nil {
				return err
			}
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
	}
}

// dispatch passes an event on. Until there is a session, the next packet must arrive soon.
func (g *Gateway) dispatch(c *connection, p packet, address string) error {
	switch p.Name {
	case "READY":
		var ready struct {
			Session string `json:"session_id"`
			Resume  string `json:"resume_gateway_url"`
		}
		if api.Decode(p.Data, &ready) {
			g.session, g.resumeAt = ready.Session, resumable(address, ready.Resume)
		}
		fallthrough
	case "RESUMED":
		g.ready = true
		g.Connected.Store(true)
		g.Log.Info("the gateway is connected")
	}
	g.Events.Take(convert.Dispatch{Session: g.session, Sequence: p.Sequence, Name: p.Name, Data: p.Data})
	if g.ready {
		return c.expect(0)
	}
	return c.expect(g.Pauses.Answer)
}

// beat sends heartbeats, and closes the connection when one is not answered before the next.
func (c *connection) beat(ctx context.Context, interval time.Duration) {
	wait := rand.N(interval) //nolint:gosec // jitter, so that bots do not beat in step
	for {
		if sleep.For(ctx, wait) != nil {
			return
		}
		c.acked.Store(false)
		if c.write(opHeartbeat, c.sequence.Load()) != nil {
			return
		}
		if sleep.For(ctx, interval) != nil {
			return
		}
		if !c.acked.Load() {
			c.zombie.Store(true)
			c.end(closeToResume)
			return
		}
		wait = 0
	}
}
