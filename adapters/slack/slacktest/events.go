package slacktest

import (
	"encoding/json"
	"strings"
	"time"
)

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
