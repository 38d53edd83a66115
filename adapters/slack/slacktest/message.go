package slacktest

import (
	"encoding/json"
	"slices"
	"strings"
	"time"
)

// object is a JSON object.
type object = map[string]any

// messageState is a message as it stands.
type messageState struct {
	ts, threadTS, user, botID, subtype, text string
	blocks, metadata, attachments            json.RawMessage
	autoBlocks                               bool // made from the text: they follow it
	files                                    []*fileState
	reactions                                []Reaction
	notified                                 []string
	edited                                   int
	editedTS, editedBy                       string
	at, editedAt                             time.Time
	tombstone                                bool
	sent                                     []*delivery // its first events, for Echo
}

// inChannel tells whether the message stands in the channel itself.
func (m *messageState) inChannel() bool {
	return m.threadTS == "" || m.threadTS == m.ts || m.subtype == "thread_broadcast"
}

// store puts a new message into its place and says who is notified.
func (s *Server) store(c *channelState, m *messageState, linkNames bool) {
	m.ts, m.at = s.ts(), time.Now()
	m.notified = s.notified(c, m, linkNames)
	c.messages = append(c.messages, m)
	if root := c.get(m.threadTS); root != nil && root.threadTS == "" {
		root.threadTS = root.ts
	}
}

// render is the message as the Web API shows it.
func (s *Server) render(c *channelState, m *messageState, withMetadata bool) object {
	o := s.bare(c, m)
	if withMetadata && m.metadata != nil {
		o["metadata"] = m.metadata
	}
	if len(m.reactions) > 0 {
		reactions := make([]object, 0, len(m.reactions))
		for _, r := range m.reactions {
			reactions = append(reactions, object{"name": r.Name, "count": len(r.Users), "users": slices.Clone(r.Users)})
		}
		o["reactions"] = reactions
	}
	if m.threadTS == m.ts && m.ts != "" {
		replies := c.replies(m.ts)
		users := []string{}
		for _, r := range replies {
			if !slices.Contains(users, r.user) {
				users = append(users, r.user)
			}
		}
		o["reply_count"], o["reply_users"], o["reply_users_count"] = len(replies), users, len(users)
		if len(replies) > 0 {
			o["latest_reply"] = replies[len(replies)-1].ts
		}
	}
	return o
}

// bare is the message as events show it, without reactions and counts.
func (s *Server) bare(c *channelState, m *messageState) object {
	if m.tombstone {
		return object{
			"type": "message", "subtype": "tombstone", "text": "This message was deleted.", "user": "USLACKBOT",
			"hidden": true, "ts": m.ts, "thread_ts": m.ts,
		}
	}
	o := object{"type": "message", "text": m.text, "ts": m.ts, "team": teamID}
	put := func(key, value string) {
		if value != "" {
			o[key] = value
		}
	}
	put("user", m.user)
	put("subtype", m.subtype)
	put("thread_ts", m.threadTS)
	if root := c.get(m.threadTS); root != nil && root != m {
		put("parent_user_id", root.user)
	}
	if m.botID != "" {
		app := appID
		if m.botID != botID {
			app = "A" + m.botID[1:]
		}
		o["bot_id"], o["app_id"] = m.botID, app
		o["bot_profile"] = object{"id": m.botID, "app_id": app, "name": s.users[m.user].label(), "team_id": teamID, "deleted": false}
	} else {
		o["client_msg_id"] = "c" + strings.ReplaceAll(m.ts, ".", "-")
	}
	if m.blocks != nil {
		o["blocks"] = m.blocks
	}
	if m.attachments != nil {
		o["attachments"] = m.attachments
	}
	if len(m.files) > 0 {
		files := make([]object, 0, len(m.files))
		for _, f := range m.files {
			files = append(files, s.fileObject(f, true))
		}
		o["files"], o["upload"] = files, false
	}
	if m.editedTS != "" {
		o["edited"] = object{"user": m.editedBy, "ts": m.editedTS}
	}
	return o
}

func (u *userState) label() string {
	if u == nil {
		return ""
	}
	return u.name
}

// show is the message as tests see it.
func (m *messageState) show(c *channelState) Message {
	shown := Message{
		Channel: c.id, TS: m.ts, ThreadTS: m.threadTS, User: m.user, BotID: m.botID, Subtype: m.subtype, Text: m.text,
		Blocks: m.blocks, Metadata: m.metadata, Notified: slices.Clone(m.notified),
		Edited: m.edited, At: m.at, EditedAt: m.editedAt,
	}
	if m.tombstone {
		shown.Subtype = "tombstone"
	}
	for _, f := range m.files {
		shown.Files = append(shown.Files, SharedFile{ID: f.id, Name: f.Name, Title: f.Title, Type: f.Type, AltTxt: f.AltTxt, Data: f.Data})
	}
	for _, r := range m.reactions {
		shown.Reactions = append(shown.Reactions, Reaction{Name: r.Name, Users: slices.Clone(r.Users), At: r.At})
	}
	return shown
}

func (s *Server) messages(channel, threadTS string) []Message {
	s.mu.Lock()
	defer s.mu.Unlock()
	c := s.channels[channel]
	if c == nil {
		return nil
	}
	var shown []Message
	for _, m := range c.messages {
		if (threadTS == "" && m.inChannel()) || (threadTS != "" && (m.ts == threadTS || m.threadTS == threadTS)) {
			shown = append(shown, m.show(c))
		}
	}
	return shown
}

func (s *Server) message(channel, ts string) (Message, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if c := s.channels[channel]; c != nil {
		if m := c.get(ts); m != nil {
			return m.show(c), true
		}
	}
	return Message{}, false
}
