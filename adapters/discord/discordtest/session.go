package discordtest

import (
	"encoding/json"
	"slices"
	"time"
)

// The intents. https://discord.com/developers/docs/events/gateway#gateway-intents
const (
	intentGuilds          = 1 << 0
	intentMembers         = 1 << 1 // privileged
	intentPresences       = 1 << 8 // privileged
	intentGuildMessages   = 1 << 9
	intentGuildReactions  = 1 << 10
	intentDirectMessages  = 1 << 12
	intentDirectReactions = 1 << 13
	intentContent         = 1 << 15 // privileged
	intentsKnown          = 1<<26 - 1
)

func messageIntent(c *channel) int {
	if c.guild == nil {
		return intentDirectMessages
	}
	return intentGuildMessages
}

// event is sent to the sessions whose intents grant it.
type event struct {
	kind    string
	intent  int      // 0 is granted to all
	channel *channel // the bot must be able to see it; nil if none
}

// payload is a message of the gateway.
type payload struct {
	Op   int             `json:"op"`
	Data json.RawMessage `json:"d"`
	Seq  *int64          `json:"s"`
	Kind *string         `json:"t"`
}

// session is started by an IDENTIFY. It outlives its connection.
type session struct {
	id      string
	intents int
	seq     int64
	first   int64 // the sequence number of the log's first
	log     []told
	conn    *conn // nil while there is none
	lost    time.Time
}

// told is an event that may have to be sent again.
type told struct {
	frame []byte
	once  bool // it is not sent again
}

// mostKept is how many events a session keeps. Beyond that the older half is dropped, and the session cannot be
// resumed from there.
const mostKept = 50_000

// resumeWithin is how long a session without a connection can be resumed.
const resumeWithin = 3 * time.Minute

// resumedEvent ends the repetition of missed events.
const resumedEvent = "RESUMED"

func encode(v any) json.RawMessage {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err) // all of it is made here
	}
	return b
}

// dispatch adds an event to a session and sends it.
func (x *session) dispatch(kind string, data json.RawMessage) {
	x.seq++
	seq := x.seq
	frame := encode(payload{Data: data, Seq: &seq, Kind: &kind})
	x.log = append(x.log, told{frame, kind == resumedEvent})
	if len(x.log) > mostKept {
		x.heard(x.first + mostKept/2)
	}
	if x.conn != nil {
		x.conn.send(frame)
	}
}

// heard drops the events that the bot has received.
func (x *session) heard(seq int64) {
	if n := min(seq-x.first+1, int64(len(x.log))); n > 0 {
		x.log = slices.Clone(x.log[n:])
		x.first += n
	}
}

// emit sends an event. Sessions without the intent to read content get bare, if it is given.
func (gw *Gateway) emit(e event, full, bare object) {
	if slices.Contains(gw.withheld, e.kind) || e.channel != nil && gw.may(e.channel)&View == 0 {
		return
	}
	if bare == nil {
		bare = full
	}
	all, some := encode(full), encode(bare)
	for id, session := range gw.sessions {
		switch {
		case session.conn == nil && gw.now().Sub(session.lost) > resumeWithin:
			delete(gw.sessions, id)
		case e.intent != 0 && session.intents&e.intent == 0:
		case session.intents&intentContent != 0:
			session.dispatch(e.kind, all)
		default:
			session.dispatch(e.kind, some)
		}
	}
}

// detach separates a connection from its session, which keeps later events.
func (gw *Gateway) detach(c *conn, keep bool) {
	x := c.session
	if x == nil {
		return
	}
	c.session = nil
	x.conn, x.lost = nil, gw.now()
	if !keep {
		delete(gw.sessions, x.id)
	}
}

// identify starts a session, or returns the code by which the connection is closed.
func (gw *Gateway) identify(c *conn, token string, intents int) int {
	switch {
	case c.session != nil:
		return closeAlready
	case gw.revoked || !gw.takes(token):
		return closeBadToken
	case intents&^intentsKnown != 0 || intents < 0:
		return closeBadIntents
	case intents&(intentMembers|intentPresences) != 0, intents&intentContent != 0 && !gw.content:
		return closeForbiddenIntents
	}
	gw.identified++
	x := &session{id: "session-" + gw.id(), intents: intents, first: 1, conn: c}
	gw.sessions[x.id] = x
	gw.lastIntents, c.session = intents, x
	guilds := []object{}
	for _, g := range gw.order {
		guilds = append(guilds, object{"id": g.id, "unavailable": true})
	}
	x.dispatch("READY", encode(object{
		"v": 9, "user": gw.bot.json(), "session_id": x.id, "resume_gateway_url": gw.gatewayURL(), "guilds": guilds,
		"application": object{"id": gw.app, "flags": gw.appFlags()}, "private_channels": []object{},
	}))
	if intents&intentGuilds != 0 {
		for _, g := range gw.order {
			x.dispatch("GUILD_CREATE", encode(gw.guildJSON(g)))
		}
	}
	return 0
}

// resume resumes a session, or returns the code by which the connection is closed, or that the
// session is not valid.
func (gw *Gateway) resume(c *conn, token, id string, seq int64) (code int, valid bool) {
	x := gw.sessions[id]
	switch {
	case c.session != nil:
		return closeAlready, false
	case gw.revoked || !gw.takes(token):
		return closeBadToken, false
	case x == nil, seq < x.first-1, x.conn == nil && gw.now().Sub(x.lost) > resumeWithin:
		return 0, false
	case seq > x.seq:
		return closeBadSeq, false
	case x.intents&intentContent != 0 && !gw.content:
		return closeForbiddenIntents, false
	}
	if old := x.conn; old != nil {
		gw.detach(old, true)
		old.end(closeUnknown)
	}
	gw.resumed++
	x.conn, c.session = c, x
	x.heard(seq)
	for _, t := range x.log {
		if !t.once {
			c.send(t.frame)
		}
	}
	x.dispatch(resumedEvent, encode(object{}))
	return 0, true
}
