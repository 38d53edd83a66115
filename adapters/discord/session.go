package discord

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/bwmarrin/discordgo"
	"github.com/gorilla/websocket"

	"atelier/adapters/edge"
)

// The opcodes of the gateway.
const (
	opDispatch     = 0
	opHeartbeat    = 1
	opIdentify     = 2
	opResume       = 6
	opReconnect    = 7
	opInvalid      = 9
	opHello        = 10
	opHeartbeatAck = 11
)

// The most bytes of an event; a large server comes in one. And how long a write may take.
const (
	maxEvent  = 64 << 20
	writeTime = 10 * time.Second
)

// closeToResume ends a connection, but not its session, as 1000 and 1001 would.
const closeToResume = 4000

func itoa(n int) string { return strconv.Itoa(n) }

// redacted is an error of the network without addresses.
func redacted(err error) error {
	if err == nil {
		return nil
	}
	return edge.Detail(err)
}

// packet is what the gateway sends.
type packet struct {
	Op       int             `json:"op"`
	Sequence int64           `json:"s"`
	Name     string          `json:"t"`
	Data     json.RawMessage `json:"d"`
}

// line is one connection to the gateway.
type line struct {
	*websocket.Conn
	writes   sync.Mutex
	sequence atomic.Int64
	acked    atomic.Bool
	zombie   atomic.Bool
}

func (l *line) write(op int, data any) error {
	l.writes.Lock()
	defer l.writes.Unlock()
	if err := l.SetWriteDeadline(time.Now().Add(writeTime)); err != nil {
		return redacted(err)
	}
	return redacted(l.WriteJSON(struct {
		Op   int `json:"op"`
		Data any `json:"d"`
	}{op, data}))
}

// end closes the connection.
func (l *line) end(code int) {
	l.writes.Lock()
	defer l.writes.Unlock()
	told := websocket.FormatCloseMessage(code, "")
	_ = l.WriteControl(websocket.CloseMessage, told, time.Now().Add(time.Second)) //nolint:errcheck // it may be closed already
	_ = l.Close()                                                                 //nolint:errcheck // as above
}

// patient sets how long the next packet may take, 0 is as long as the heart beats.
func (l *line) patient(within time.Duration) error {
	until := time.Time{}
	if within > 0 {
		until = time.Now().Add(within)
	}
	return redacted(l.SetReadDeadline(until))
}

// read gives the next packet.
func (l *line) read() (packet, error) {
	_, message, err := l.ReadMessage()
	if err != nil {
		if l.zombie.Load() {
			err = errZombie
		}
		return packet{}, err
	}
	var p packet
	if !decode(message, &p) {
		return p, fmt.Errorf("discord: an event of %d bytes cannot be read", len(message))
	}
	return p, nil
}

// connect holds one connection, until it or the context ends.
func (g *gateway) connect(ctx context.Context) error {
	if err := g.room(ctx); err != nil {
		return err
	}
	if g.session == "" {
		if _, err := g.d.self(ctx); err != nil { // whether the token is taken
			return err
		}
		if err := sleep(ctx, g.d.waits.identify-time.Since(g.identified)); err != nil {
			return err
		}
	}
	address, err := g.address(ctx)
	if err != nil {
		return err
	}
	conn, err := g.dial(ctx, address)
	if err != nil {
		g.resumeAt = "" // the next one asks where the gateway is
		return err
	}
	l := &line{Conn: conn}
	l.sequence.Store(g.sequence)
	l.SetReadLimit(maxEvent)
	over := context.AfterFunc(ctx, func() { l.end(websocket.CloseNormalClosure) })
	defer func() {
		over()
		l.end(closeToResume)
	}()
	beat, err := g.hello(l)
	if err != nil {
		return err
	}
	ctx, stop := context.WithCancel(ctx)
	var beats sync.WaitGroup
	defer beats.Wait()
	defer stop()
	beats.Go(func() { l.beat(ctx, beat) })
	return g.listen(ctx, l, address)
}

// hello takes the first packet, and says who the bot is or which session is taken up.
func (g *gateway) hello(l *line) (beat time.Duration, err error) {
	if err := l.patient(g.d.waits.answer); err != nil {
		return 0, err
	}
	p, err := l.read()
	if err != nil {
		return 0, err
	}
	var hello struct {
		Interval int64 `json:"heartbeat_interval"` // milliseconds
	}
	if !decode(p.Data, &hello) || p.Op != opHello || hello.Interval <= 0 {
		return 0, errors.New("discord: the gateway does not say hello")
	}
	beat = time.Duration(hello.Interval) * time.Millisecond
	if err := l.patient(g.d.waits.answer); err != nil {
		return 0, err
	}
	token := g.d.api.session.Token
	if g.session != "" {
		return beat, l.write(opResume, struct {
			Token    string `json:"token"`
			Session  string `json:"session_id"`
			Sequence int64  `json:"seq"`
		}{token, g.session, g.sequence})
	}
	g.identified = time.Now()
	return beat, l.write(opIdentify, discordgo.Identify{
		Token: token, Intents: g.intents, LargeThreshold: 50,
		Properties: discordgo.IdentifyProperties{OS: runtime.GOOS, Browser: "atelier", Device: "atelier"},
	})
}

// listen hears the events of a connection until it ends.
func (g *gateway) listen(ctx context.Context, l *line, address string) error {
	for {
		p, err := l.read()
		if err != nil {
			return err
		}
		switch p.Op {
		case opHeartbeat:
			if err := l.write(opHeartbeat, l.sequence.Load()); err != nil {
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
			l.acked.Store(true)
		case opDispatch:
			if g.full() {
				return errFull
			}
			g.sequence = max(g.sequence, p.Sequence)
			l.sequence.Store(g.sequence)
			if err := g.dispatched(l, p, address); err != nil {
				return err
			}
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
	}
}

// dispatched takes an event. Until the session is there, the next one must come soon.
func (g *gateway) dispatched(l *line, p packet, address string) error {
	switch p.Name {
	case "READY":
		var ready struct {
			Session string `json:"session_id"`
			Resume  string `json:"resume_gateway_url"`
		}
		if decode(p.Data, &ready) {
			g.session, g.resumeAt = ready.Session, resumable(address, ready.Resume)
		}
		g.taken()
	case "RESUMED":
		g.taken()
	}
	g.hear(dispatch{session: g.session, sequence: p.Sequence, name: p.Name, data: p.Data})
	if g.ready {
		return l.patient(0)
	}
	return l.patient(g.d.waits.answer)
}

func (g *gateway) taken() {
	g.ready = true
	g.d.connected.Store(true)
	g.d.log.Info("the gateway is connected")
}

// beat sends heartbeats, and ends the connection when one is not answered before the next.
func (l *line) beat(ctx context.Context, interval time.Duration) {
	wait := rand.N(interval) //nolint:gosec // so that many bots do not beat at once
	for {
		if sleep(ctx, wait) != nil {
			return
		}
		l.acked.Store(false)
		if l.write(opHeartbeat, l.sequence.Load()) != nil {
			return
		}
		if sleep(ctx, interval) != nil {
			return
		}
		if !l.acked.Load() {
			l.zombie.Store(true)
			l.end(closeToResume)
			return
		}
		wait = 0
	}
}
