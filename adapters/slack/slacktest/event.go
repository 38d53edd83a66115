package slacktest

import (
	"encoding/json"
	"maps"
	"strings"
)

// tellMessage sends the events of a new message.
func (s *Server) tellMessage(c *channelState, m *messageState) {
	bare := s.bare(c, m)
	if m.metadata != nil && s.scopes["metadata.message:read"] {
		bare["metadata"] = m.metadata
	}
	m.sent = nil
	message := func() {
		m.sent = append(m.sent, s.send(c, "message."+c.kind.event(), c.kind.historyScope(), with(bare, object{
			"channel": c.id, "channel_type": string(c.kind), "event_ts": m.ts,
		}))...)
	}
	mention := func() { s.tellMention(c, m, m.ts) }
	if s.o.MentionFirst {
		mention()
		message()
	} else {
		message()
		mention()
	}
}

// tellMention sends the second event of a message that mentions the bot, which Slack sends again for
// each edit of it.
func (s *Server) tellMention(c *channelState, m *messageState, at string) {
	if c.kind == kindIM || m.user == botUser || !strings.Contains(m.text, "<@"+botUser) {
		return
	}
	e := with(s.bare(c, m), object{"type": "app_mention", "channel": c.id, "event_ts": at})
	delete(e, "subtype")
	if s.o.MentionBare {
		delete(e, "files")
		delete(e, "upload")
	}
	m.sent = append(m.sent, s.send(c, "app_mention", "app_mentions:read", e)...)
}

// event is the last word of a subscription such as message.channels.
func (k channelKind) event() string { return k.plural() }

func (s *Server) tellChanged(c *channelState, m *messageState, before object) {
	ts := s.ts()
	s.send(c, "message."+c.kind.event(), c.kind.historyScope(), object{
		"type": "message", "subtype": "message_changed", "hidden": true, "ts": ts, "event_ts": ts,
		"channel": c.id, "channel_type": string(c.kind), "message": s.bare(c, m), "previous_message": before,
	})
}

func (s *Server) tellDeleted(c *channelState, deleted string, before object) {
	ts := s.ts()
	s.send(c, "message."+c.kind.event(), c.kind.historyScope(), object{
		"type": "message", "subtype": "message_deleted", "hidden": true, "ts": ts, "event_ts": ts, "deleted_ts": deleted,
		"channel": c.id, "channel_type": string(c.kind), "previous_message": before,
	})
}

func (s *Server) tellReaction(c *channelState, m *messageState, user, name string, added bool) {
	kind := "reaction_removed"
	if added {
		kind = "reaction_added"
	}
	s.send(c, kind, "reactions:read", object{
		"type": kind, "user": user, "reaction": name, "item_user": m.user, "event_ts": s.ts(),
		"item": object{"type": "message", "channel": c.id, "ts": m.ts},
	})
}

// send queues an event for those who may hear it: it is subscribed, the scope granted,
// and the bot in the channel (where there is one). It is returned as it was queued.
func (s *Server) send(c *channelState, subscription, scope string, event object) []*delivery {
	if !s.events[subscription] || (scope != "" && !s.scopes[scope]) || s.revoked != "" {
		return nil
	}
	lane := ""
	if c != nil {
		if !c.members[botUser] || c.deleted {
			return nil
		}
		lane = c.id
	}
	eventID := s.id("Ev")
	kind, _ := event["type"].(string) //nolint:errcheck // our own events have types
	d := &delivery{
		kind: "events_api", typ: kind, id: s.id("env-"), eventID: eventID, lane: lane, path: "/slack/events",
		body: s.callback(eventID, event),
		done: make(chan struct{}),
	}
	s.open++
	s.queue = append(s.queue, d)
	return []*delivery{d}
}

// callback is an event as it is sent.
func (s *Server) callback(eventID string, event object) json.RawMessage {
	return encode(object{
		"token": "verification", "team_id": teamID, "context_team_id": teamID, "api_app_id": appID,
		"type": "event_callback", "event": event, "event_id": eventID, "event_time": s.o.Now().Unix(),
		"authorizations": []object{{
			"enterprise_id": nil, "team_id": teamID, "user_id": botUser, "is_bot": true, "is_enterprise_install": false,
		}},
		"is_ext_shared_channel": false, "event_context": "4-" + eventID,
	})
}

// with is a copy of o with more in it.
func with(o, more object) object {
	sum := maps.Clone(o)
	maps.Copy(sum, more)
	return sum
}
