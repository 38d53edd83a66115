package slacktest

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"strings"
	"time"
)

// ErrNotTaken is the error of an interaction that was not acknowledged in time.
var ErrNotTaken = errors.New("slacktest: it was not acknowledged in time")

// Deliveries sends events and interactions to the bot until they are acknowledged, over
// sockets or as signed requests.
type Deliveries struct {
	*shared
	workspace *Workspace
	sockets   *Sockets
	webhooks  *Webhooks
	queue     []*delivery
	flying    map[string]*delivery // sent over a socket and not acknowledged yet, by id
	open      int                  // neither acknowledged nor given up
	attempts  []Delivery
}

// Delivery is one attempt to send an event or an interaction.
type Delivery struct {
	Taken  bool // acknowledged in time
	Status int  // of the HTTP answer; 0 for sockets
}

// delivery is an event or an interaction on its way.
//
//	queued ─► flying ─► taken
//	   ▲         │
//	   └─ again ─┴─► given up
type delivery struct {
	kind, id string
	eventID  string // "" for interactions
	lane     string // deliveries of one lane are sent in order
	inLane   bool   // by HTTP: others may be waiting for it
	path     string // of HTTP
	body     json.RawMessage
	attempt  int    // 0 is the first
	misses   int    // how often it was not acknowledged in time
	reason   string // why it is retried
	sent     time.Time
	timer    *time.Timer
	on       *socket
	over     bool
	done     chan struct{}
	taken    bool
	answer   json.RawMessage // received with the acknowledgement
	onAck    func()
}

func newDeliveries(s *shared, w *Workspace, sockets *Sockets, webhooks *Webhooks) *Deliveries {
	d := &Deliveries{shared: s, workspace: w, sockets: sockets, webhooks: webhooks, flying: map[string]*delivery{}}
	s.dispatch, sockets.deliveries, webhooks.deliveries = d.dispatchAll, d, d
	return d
}

// Attempts returns all delivery attempts, oldest first.
func (ds *Deliveries) Attempts() []Delivery {
	ds.mu.Lock()
	defer ds.mu.Unlock()
	return slices.Clone(ds.attempts)
}

// Idle reports whether every event was acknowledged or given up.
func (ds *Deliveries) Idle() bool {
	ds.mu.Lock()
	defer ds.mu.Unlock()
	return ds.open == 0
}

// Echo sends the events of a message again, with the same event_id.
func (ds *Deliveries) Echo(channel, ts string) {
	ds.tb.Helper()
	ds.workspace.changeMessage(channel, ts, func(_ *channelState, m *messageState) {
		for _, d := range m.sent {
			ds.enqueue(d.again("http_timeout"))
		}
	})
}

// add sends d for the first time.
func (ds *Deliveries) add(d *delivery) {
	d.id, d.done = ds.id("env-"), make(chan struct{})
	ds.enqueue(d)
}

func (ds *Deliveries) enqueue(d *delivery) {
	ds.open++
	ds.queue = append(ds.queue, d)
}

// again returns a new attempt for the same event.
func (d *delivery) again(reason string) *delivery {
	return &delivery{
		kind: d.kind, id: d.id + "r", eventID: d.eventID, lane: d.lane, path: d.path, body: d.body,
		attempt: d.attempt + 1, misses: d.misses, reason: reason, done: make(chan struct{}),
	}
}

// dispatchAll sends waiting deliveries, as far as the bot can receive them.
func (ds *Deliveries) dispatchAll() {
	if ds.closed {
		return
	}
	if ds.webhooks.base != "" {
		for _, d := range ds.queue {
			ds.webhooks.send(d)
		}
		ds.queue = nil
		return
	}
	for len(ds.queue) > 0 {
		c := ds.sockets.next()
		if c == nil {
			ds.expireInteractions()
			return
		}
		d := ds.queue[0]
		ds.queue = ds.queue[1:]
		if !d.over {
			ds.fly(d, c)
		}
	}
}

// expireInteractions starts the timeout of interactions that find no socket, since they are not retried.
func (ds *Deliveries) expireInteractions() {
	for _, d := range ds.queue {
		if d.eventID == "" && d.timer == nil {
			d.timer = ds.after(ds.o.AckWithin, func() { ds.miss(d, "", 0) })
		}
	}
}

// fly sends d over a socket; it must be acknowledged in time.
func (ds *Deliveries) fly(d *delivery, c *socket) {
	ds.stop(d.timer)
	d.sent, d.on = time.Now(), c
	ds.flying[d.id] = d
	d.timer = ds.after(ds.o.AckWithin, func() { ds.miss(d, "timeout", 0) })
	c.put(d.envelope())
}

// take ends an acknowledged delivery.
func (ds *Deliveries) take(d *delivery, body json.RawMessage, status int) {
	if d == nil || d.over {
		return
	}
	d.taken, d.answer = true, body
	ds.finish(d, status)
	if d.onAck != nil {
		d.onAck()
	}
}

// miss ends an attempt that was not acknowledged; events are retried.
func (ds *Deliveries) miss(d *delivery, reason string, status int) {
	if d.over {
		return
	}
	if d.eventID != "" && d.misses < len(ds.o.Retries) {
		next := d.again(reason)
		next.misses++
		ds.open++
		ds.after(ds.o.Retries[d.misses], func() { ds.queue = append(ds.queue, next) })
	}
	ds.finish(d, status)
}

// lose ends what was sent over a closed socket: events are sent over the next one.
func (ds *Deliveries) lose(c *socket) {
	of := slices.SortedFunc(maps.Values(ds.flying), func(a, b *delivery) int { return a.sent.Compare(b.sent) })
	for _, d := range of {
		if d.on != c || d.over {
			continue
		}
		if d.eventID != "" {
			ds.enqueue(d.again("connection_closed"))
		}
		ds.finish(d, 0)
	}
}

func (ds *Deliveries) finish(d *delivery, status int) {
	ds.attempts = append(ds.attempts, Delivery{d.taken, status})
	ds.stop(d.timer)
	d.over = true
	delete(ds.flying, d.id)
	ds.queue = slices.DeleteFunc(ds.queue, func(q *delivery) bool { return q == d })
	ds.open--
	close(d.done)
}

// wait waits for the acknowledgement and returns what came with it.
func (d *delivery) wait(ctx context.Context) (json.RawMessage, error) {
	select {
	case <-d.done:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	if !d.taken {
		return nil, ErrNotTaken
	}
	return d.answer, nil
}

// subscribed are the events that the bot listens to.
var subscribed = set(
	"agent_session_stopped", "app_home_opened", "app_mention", "message.channels", "message.groups", "message.im", "message.mpim",
	"reaction_added", "reaction_removed", "tokens_revoked", "app_uninstalled",
)

// events reports changes of the workspace to the bot.
type events struct {
	*shared
	deliveries *Deliveries
}

// message reports a new message.
func (e *events) message(c *channelState, m *messageState) {
	said := with(m.bare(), object{"channel": c.id, "channel_type": c.kind(), "event_ts": m.ts})
	if e.o.MentionFirst {
		e.mention(c, m, m.ts)
	}
	e.sent(m, e.sendMessage(c, said))
	if !e.o.MentionFirst {
		e.mention(c, m, m.ts)
	}
}

// mention sends the second event of a message that mentions the bot, which Slack sends again
// for each edit of it.
func (e *events) mention(c *channelState, m *messageState, at string) {
	if c.user != "" || m.user == botUser || !strings.Contains(m.text, "<@"+botUser) {
		return
	}
	said := with(m.bare(), object{"type": "app_mention", "channel": c.id, "event_ts": at})
	delete(said, "subtype")
	if e.o.MentionBare {
		delete(said, "files")
		delete(said, "upload")
	}
	e.sent(m, e.send(c, "app_mention", "app_mentions:read", said))
}

// sent remembers an event of a message, for Echo.
func (*events) sent(m *messageState, d *delivery) {
	if d != nil {
		m.sent = append(m.sent, d)
	}
}

// edited marks a message as edited and reports it.
func (e *events) edited(c *channelState, m *messageState, by string, before object) {
	m.edited++
	m.editedTS, m.editedBy, m.sent = e.ts(), by, nil
	if e.o.MentionFirst {
		e.mention(c, m, m.editedTS)
	}
	e.changed(c, m, before)
	if !e.o.MentionFirst {
		e.mention(c, m, m.editedTS)
	}
}

func (e *events) changed(c *channelState, m *messageState, before object) {
	e.sendHidden(c, object{"subtype": "message_changed", "message": m.bare(), "previous_message": before})
}

func (e *events) deleted(c *channelState, deleted string, before object) {
	e.sendHidden(c, object{"subtype": "message_deleted", "deleted_ts": deleted, "previous_message": before})
}

func (e *events) sendHidden(c *channelState, what object) {
	ts := e.ts()
	e.sendMessage(c, with(what, object{
		"type": "message", "hidden": true, "ts": ts, "event_ts": ts, "channel": c.id, "channel_type": c.kind(),
	}))
}

func (e *events) reaction(c *channelState, m *messageState, user, name string, added bool) {
	kind := "reaction_removed"
	if added {
		kind = "reaction_added"
	}
	e.send(c, kind, "reactions:read", object{
		"type": kind, "user": user, "reaction": name, "item_user": m.user, "event_ts": e.ts(),
		"item": object{"type": "message", "channel": c.id, "ts": m.ts},
	})
}

// home tells the bot that somebody opened a tab of the app.
func (e *events) home(c *channelState, tab string) {
	e.send(c, "app_home_opened", "", object{"type": "app_home_opened", "user": c.user, "channel": c.id, "tab": tab, "event_ts": e.ts()})
}

// sessionStopped tells the bot that somebody stopped its work in a thread.
func (e *events) sessionStopped(c *channelState, user, threadTS string, streams []string) {
	e.send(c, "agent_session_stopped", "", object{
		"type": "agent_session_stopped", "user": user, "channel": c.id, "thread_ts": threadTS, "streaming_message_ts": streams, "event_ts": e.ts(),
	})
}

// tokensRevoked tells the bot that its token is revoked.
func (e *events) tokensRevoked() *delivery {
	return e.send(nil, "tokens_revoked", "", object{
		"type": "tokens_revoked", "event_ts": e.ts(), "tokens": object{"oauth": []string{}, "bot": []string{botUser}},
	})
}

func (e *events) sendMessage(c *channelState, event object) *delivery {
	return e.send(c, "message."+c.plural(), c.plural()+":history", event)
}

// send queues an event if the bot may receive it: it is subscribed, the scope granted, and
// the bot in the channel (if there is one). It returns nil otherwise.
func (e *events) send(c *channelState, subscription, scope string, event object) *delivery {
	if !subscribed[subscription] || (scope != "" && !e.scopes[scope]) || e.revoked != "" {
		return nil
	}
	d := &delivery{kind: "events_api", path: "/slack/events", eventID: e.id("Ev")}
	if c != nil {
		if !c.members[botUser] || c.deleted {
			return nil
		}
		d.lane = c.id
	}
	d.body = callback(d.eventID, event)
	e.deliveries.add(d)
	return d
}

// callback returns an event as it is sent.
func callback(eventID string, event object) json.RawMessage {
	return encode(object{
		"token": "verification", "team_id": teamID, "context_team_id": teamID, "api_app_id": appID,
		"type": "event_callback", "event": event, "event_id": eventID, "event_time": time.Now().Unix(),
		"authorizations": []object{{
			"enterprise_id": nil, "team_id": teamID, "user_id": botUser, "is_bot": true, "is_enterprise_install": false,
		}},
		"is_ext_shared_channel": false, "event_context": "4-" + eventID,
	})
}
