package slacktest

import (
	"encoding/json"
	"net/url"
	"slices"
	"strings"
	"unicode/utf8"

	"atelier/adapters/slack/slacktest/blocks"
)

// Limits of texts. https://docs.slack.dev/reference/methods/chat.postMessage and
// chat.update, which counts bytes after escaping.
const (
	maxText       = 40_000
	maxUpdateText = 4_000
	maxMetadata   = 16_000
	maxPrompts    = 4
)

// chatMethods post, change and delete messages of the bot.
type chatMethods struct {
	*shared
	workspace *Workspace
	events    *events
}

// content parses and checks the content of a message.
func (s *shared) content(args url.Values) (*messageState, error) {
	m := &messageState{user: botUser, botID: botID, text: args.Get("text")}
	if sent := args.Get("blocks"); sent != "" {
		if s.o.LacksFeedback && strings.Contains(sent, `"context_actions"`) {
			return nil, refuse("invalid_blocks")
		}
		checked, err := blocks.Message(sent)
		if err != nil {
			return nil, invalid(err)
		}
		m.blocks = checked
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

func (cm *chatMethods) post(args url.Values) (object, error) {
	c, err := cm.workspace.writable(args.Get("channel"))
	if err != nil {
		return nil, err
	}
	m, err := cm.content(args)
	switch {
	case err != nil:
		return nil, err
	case m.text == "" && m.blocks == nil:
		return nil, refuse("no_text")
	case utf8.RuneCountInString(m.text) > maxText:
		return nil, refuse("msg_too_long")
	case c.restricted:
		return nil, refuse("restricted_action")
	}
	m.threadTS = args.Get("thread_ts")
	if err := c.mayReply(m.threadTS); err != nil {
		return nil, err
	}
	cm.workspace.store(c, m, yes(args, "link_names") || args.Get("parse") == "full")
	cm.events.message(c, m)
	return object{"channel": c.id, "ts": m.ts, "message": m.object(c, true)}, nil
}

// own returns a message that the bot wrote.
func (cm *chatMethods) own(args url.Values, foreign string) (*channelState, *messageState, error) {
	c, err := cm.workspace.writable(args.Get("channel"))
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

func (cm *chatMethods) update(args url.Values) (object, error) {
	c, m, err := cm.own(args, "cant_update_message")
	if err != nil {
		return nil, err
	}
	next, err := cm.content(args)
	switch {
	case err != nil:
		return nil, err
	case m.stream != nil:
		return nil, refuse("streaming_state_conflict")
	case !args.Has("text") && next.blocks == nil:
		return nil, refuse("no_text")
	case len(next.text) > maxUpdateText:
		return nil, refuse("msg_too_long")
	}
	before := m.bare()
	if args.Has("text") {
		m.text = next.text
	}
	if args.Has("blocks") { // otherwise the old ones stay
		m.blocks = next.blocks
	}
	if next.metadata != nil {
		m.metadata = next.metadata
	}
	cm.events.edited(c, m, botUser, before)
	return object{"channel": c.id, "ts": m.ts, "text": m.text, "message": m.object(c, true)}, nil
}

func (cm *chatMethods) remove(args url.Values) (object, error) {
	c, m, err := cm.own(args, "cant_delete_message")
	if err == nil && m.stream != nil {
		err = refuse("cant_delete_message")
	}
	if err != nil {
		return nil, err
	}
	cm.events.remove(c, m)
	return object{"channel": c.id, "ts": m.ts}, nil
}

func (cm *chatMethods) setStatus(args url.Values) (object, error) {
	c, err := cm.workspace.writable(args.Get("channel_id"))
	if err != nil {
		return nil, err
	}
	root := args.Get("thread_ts")
	if c.get(root) == nil {
		return nil, refuse("invalid_thread_ts")
	}
	if !args.Has("status") {
		return nil, refuseArgument("missing required field: status")
	}
	c.status[root] = args.Get("status")
	return object{}, nil
}

// setSession is agents.sessions.setStatus. Unlike the text, the status of a session does not end with a message.
func (cm *chatMethods) setSession(args url.Values) (object, error) {
	c, err := cm.workspace.writable(args.Get("channel_id"))
	if err != nil {
		return nil, err
	}
	root, status := args.Get("thread_ts"), args.Get("status")
	if c.get(root) == nil {
		return nil, refuse("invalid_thread_ts")
	}
	if !slices.Contains([]string{"active", "processing", "suspended", "closed"}, status) {
		return nil, refuseArgument("status must be one of: active, processing, suspended, closed")
	}
	c.sessions[root] = status
	return object{"status": status, "agent_status": status}, nil
}

// suggest is assistant.threads.setSuggestedPrompts of an agent, whose suggestions do not belong to a thread.
func (cm *chatMethods) suggest(args url.Values) (object, error) {
	c, err := cm.workspace.writable(args.Get("channel_id"))
	if err != nil {
		return nil, err
	}
	var prompts []struct {
		Title   string `json:"title"`
		Message string `json:"message"`
	}
	if json.Unmarshal([]byte(args.Get("prompts")), &prompts) != nil || len(prompts) == 0 || len(prompts) > maxPrompts {
		return nil, refuseArgument("1 to 4 prompts are allowed")
	}
	var messages []string
	for _, p := range prompts {
		if p.Title == "" || p.Message == "" {
			return nil, refuseArgument("missing required field: title or message")
		}
		messages = append(messages, p.Message)
	}
	if args.Get("thread_ts") == "" { // otherwise Slack silently ignores the call
		c.prompts = messages
	}
	return object{}, nil
}
