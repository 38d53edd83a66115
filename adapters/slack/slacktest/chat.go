package slacktest

import (
	"encoding/json"
	"net/url"
	"slices"
	"unicode/utf8"
)

// Limits of texts. https://docs.slack.dev/reference/methods/chat.postMessage and
// chat.update, which counts bytes after escaping.
const (
	maxText       = 40_000
	maxUpdateText = 4_000
	maxMetadata   = 16_000
	maxAttached   = 100
)

// place is the channel of a call, in which the bot may write.
func (s *Server) place(id string) (*channelState, error) {
	c := s.channels[id]
	if u := s.users[id]; c == nil && u != nil {
		c = s.dmOf(id) // a user's id writes to the user
	}
	switch {
	case c == nil || c.deleted:
		return nil, refuse("channel_not_found")
	case !c.members[botUser] && c.kind != kindChannel:
		return nil, refuse("channel_not_found")
	case !c.members[botUser]:
		return nil, refuse("not_in_channel")
	case c.archived:
		return nil, refuse("is_archived")
	}
	return c, nil
}

// thread checks the thread in which a message is to stand.
func (c *channelState) thread(root string) error {
	if root == "" {
		return nil
	}
	m := c.get(root)
	switch {
	case m == nil:
		return refuse("thread_not_found")
	case m.threadTS != "" && m.threadTS != m.ts, m.subtype == "channel_join":
		return refuse("cannot_reply_to_message")
	case c.noThreads:
		return refuse("restricted_action_thread_locked")
	}
	return nil
}

// content is what a message says, checked.
func content(args url.Values) (*messageState, error) {
	m := &messageState{text: args.Get("text")}
	if blocks := args.Get("blocks"); blocks != "" {
		checked, err := checkBlocks(blocks, maxBlocks)
		if err != nil {
			return nil, err
		}
		m.blocks = checked
	}
	if attachments := args.Get("attachments"); attachments != "" && attachments != "[]" {
		var all []object
		if json.Unmarshal([]byte(attachments), &all) != nil {
			return nil, refuse("invalid_attachments")
		}
		if len(all) > maxAttached {
			return nil, refuse("too_many_attachments")
		}
		m.attachments = json.RawMessage(attachments)
	}
	if metadata := args.Get("metadata"); metadata != "" {
		var shape struct {
			Type    string `json:"event_type"`
			Payload object `json:"event_payload"`
		}
		if json.Unmarshal([]byte(metadata), &shape) != nil || shape.Type == "" || shape.Payload == nil {
			return nil, refuse("invalid_metadata_format")
		}
		if len(metadata) > maxMetadata {
			return nil, refuse("metadata_too_large")
		}
		m.metadata = json.RawMessage(metadata)
	}
	return m, nil
}

func (s *Server) postMessage(args url.Values) (object, error) {
	c, err := s.place(args.Get("channel"))
	if err != nil {
		return nil, err
	}
	m, err := content(args)
	switch {
	case err != nil:
		return nil, err
	case m.text == "" && m.blocks == nil && m.attachments == nil:
		return nil, refuse("no_text")
	case utf8.RuneCountInString(m.text) > maxText:
		return nil, refuse("msg_too_long")
	case c.restricted:
		return nil, refuse("restricted_action")
	}
	m.threadTS = args.Get("thread_ts")
	if err := c.thread(m.threadTS); err != nil {
		return nil, err
	}
	if m.threadTS != "" && yes(args, "reply_broadcast") {
		m.subtype = "thread_broadcast"
	}
	m.user, m.botID = botUser, botID
	s.storeAs(c, m, yes(args, "link_names") || args.Get("parse") == "full")
	return object{"channel": c.id, "ts": m.ts, "message": s.render(c, m, true)}, nil
}

// postAs stores a message of the bot.
func (s *Server) postAs(c *channelState, m *messageState) { s.storeAs(c, m, false) }

func (s *Server) storeAs(c *channelState, m *messageState, linkNames bool) {
	s.store(c, m, linkNames)
	for _, f := range m.files {
		f.share(c, m)
	}
	if statuses := c.statuses[m.threadTS]; len(statuses) > 0 && m.threadTS != "" {
		c.cleared[m.threadTS] = true
	}
	s.tellMessage(c, m)
}

// own is a message that the bot wrote.
func (s *Server) own(args url.Values, foreign string) (*channelState, *messageState, error) {
	c, err := s.place(args.Get("channel"))
	if err != nil {
		return nil, nil, err
	}
	m := c.get(args.Get("ts"))
	switch {
	case m == nil || m.tombstone:
		return nil, nil, refuse("message_not_found")
	case m.user != botUser:
		return nil, nil, refuse(foreign)
	}
	return c, m, nil
}

func (s *Server) updateMessage(args url.Values) (object, error) {
	c, m, err := s.own(args, "cant_update_message")
	if err != nil {
		return nil, err
	}
	next, err := content(args)
	switch {
	case err != nil:
		return nil, err
	case s.editsClosed:
		return nil, refuse("edit_window_closed")
	case !args.Has("text") && next.blocks == nil && next.attachments == nil:
		return nil, refuse("no_text")
	case len(next.text) > maxUpdateText:
		return nil, refuse("msg_too_long")
	}
	before := s.bare(c, m)
	if args.Has("text") {
		m.text = next.text
	}
	if args.Has("blocks") { // without them the former ones stay
		m.blocks = next.blocks
	}
	if next.metadata != nil {
		m.metadata = next.metadata
	}
	if args.Has("attachments") {
		m.attachments = next.attachments
	}
	s.touch(m, botUser)
	s.tellChanged(c, m, before)
	return object{"channel": c.id, "ts": m.ts, "text": m.text, "message": s.render(c, m, true)}, nil
}

func (s *Server) deleteMessage(args url.Values) (object, error) {
	c, m, err := s.own(args, "cant_delete_message")
	if err != nil {
		return nil, err
	}
	s.drop(c, m)
	return object{"channel": c.id, "ts": m.ts}, nil
}

func (s *Server) postEphemeral(args url.Values) (object, error) {
	c, err := s.place(args.Get("channel"))
	if err != nil {
		return nil, err
	}
	m, err := content(args)
	switch {
	case err != nil:
		return nil, err
	case m.text == "" && m.blocks == nil:
		return nil, refuse("no_text")
	case utf8.RuneCountInString(m.text) > maxText:
		return nil, refuse("msg_too_long")
	case !c.members[args.Get("user")]:
		return nil, refuse("user_not_in_channel")
	}
	s.ephemeral = append(s.ephemeral, Ephemeral{
		Channel: c.id, ThreadTS: args.Get("thread_ts"), User: args.Get("user"), Text: m.text, Blocks: m.blocks,
	})
	return object{"message_ts": s.ts()}, nil
}

func (s *Server) setStatus(args url.Values) (object, error) {
	c, err := s.place(args.Get("channel_id"))
	if err != nil {
		return nil, err
	}
	root := args.Get("thread_ts")
	if c.get(root) == nil {
		return nil, refuse("invalid_thread_ts")
	}
	if !args.Has("status") {
		return nil, refuse("invalid_arguments", "[ERROR] missing required field: status")
	}
	c.statuses[root] = append(c.statuses[root], args.Get("status"))
	c.cleared[root] = false
	return object{}, nil
}

func (s *Server) statusesOf(channel, threadTS string) []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if c := s.channels[channel]; c != nil {
		return slices.Clone(c.statuses[threadTS])
	}
	return nil
}

func (s *Server) statusOf(channel, threadTS string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	c := s.channels[channel]
	if c == nil || c.cleared[threadTS] || len(c.statuses[threadTS]) == 0 {
		return ""
	}
	return c.statuses[threadTS][len(c.statuses[threadTS])-1]
}
