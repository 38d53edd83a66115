package slacktest

import (
	"encoding/json"
	"errors"
	"net/url"
	"slices"
	"unicode/utf8"

	"atelier/adapters/slack/slacktest/blocks"
)

// maxChunkText is the most characters of a title in a chunk.
// https://docs.slack.dev/reference/methods/chat.appendStream
const maxChunkText = 256

// streamMethods begin, continue and end streamed messages of the bot.
type streamMethods struct{ *chatMethods }

// streamState is what was streamed.
type streamState struct {
	title  string
	tasks  []object // task cards
	blocks []object
}

// EndStream ends a stream, as Slack does some five minutes after its start.
func (w *Workspace) EndStream(channel, ts string) {
	w.tb.Helper()
	w.changeMessage(channel, ts, func(_ *channelState, m *messageState) { m.stream = nil })
}

func (sm *streamMethods) start(args url.Values) (object, error) {
	c, err := sm.workspace.writable(args.Get("channel"))
	if err != nil {
		return nil, err
	}
	user := args.Get("recipient_user_id")
	m := &messageState{user: botUser, botID: botID, threadTS: args.Get("thread_ts"), stream: &streamState{}}
	switch {
	case m.threadTS == "" && c.user != "":
		return nil, refuseArgument("missing required field: thread_ts")
	case c.user == "" && args.Get("recipient_team_id") == "":
		return nil, refuse("missing_recipient_team_id")
	case c.user == "" && user == "":
		return nil, refuse("missing_recipient_user_id")
	case user != "" && sm.workspace.users[user] == nil:
		return nil, refuse("user_not_found")
	case !slices.Contains([]string{"", "plan", "timeline"}, args.Get("task_display_mode")):
		return nil, refuseArgument("must be plan or timeline")
	case c.restricted:
		return nil, refuse("restricted_action")
	}
	if err := errors.Join(c.mayReply(m.threadTS), m.streamed(args)); err != nil {
		return nil, err
	}
	sm.workspace.store(c, m)
	sm.events.message(c, m)
	return object{"channel": c.id, "ts": m.ts}, nil
}

func (sm *streamMethods) add(args url.Values) (object, error) {
	c, m, err := sm.streaming(args)
	if err == nil && args.Get("chunks") == "" {
		err = refuse("no_text")
	}
	if err == nil {
		err = m.streamed(args)
	}
	if err != nil {
		return nil, err
	}
	return object{"channel": c.id, "ts": m.ts}, nil
}

func (sm *streamMethods) stop(args url.Values) (object, error) {
	c, m, err := sm.streaming(args)
	if err != nil {
		return nil, err
	}
	before := m.bare()
	if err := m.streamed(args); err != nil {
		return nil, err
	}
	m.stream = nil
	sm.events.changed(c, m, before)
	return object{"channel": c.id, "ts": m.ts, "message": m.object(c, false)}, nil
}

// streaming returns a stream that has not ended.
func (sm *streamMethods) streaming(args url.Values) (*channelState, *messageState, error) {
	c, m, err := sm.own(args, "message_not_owned_by_app")
	if err == nil && m.stream == nil {
		err = refuse("message_not_in_streaming_state")
	}
	return c, m, err
}

// streamed adds the chunks of a call to a message. Nothing is added if one of them is not valid.
func (m *messageState) streamed(args url.Values) error {
	sent := args.Get("chunks")
	if sent == "" {
		return nil
	}
	var chunks []object
	if json.Unmarshal([]byte(sent), &chunks) != nil || len(chunks) == 0 || args.Get("markdown_text") != "" {
		return refuse("invalid_chunks")
	}
	next := &streamState{m.stream.title, slices.Clone(m.stream.tasks), slices.Clone(m.stream.blocks)}
	for _, chunk := range chunks {
		if err := next.add(chunk); err != nil {
			return err
		}
	}
	*m.stream = *next
	var all []object
	if next.title != "" || len(next.tasks) > 0 {
		all = append(all, object{"type": "plan", "block_id": "plan", "title": next.title, "tasks": next.tasks})
	}
	m.blocks = encode(append(all, next.blocks...))
	return nil
}

// add adds a chunk, whose title and status replace those of an earlier one.
func (s *streamState) add(chunk object) error {
	title, _ := chunk["title"].(string) //nolint:errcheck // none is wrong too
	id, _ := chunk["id"].(string)       //nolint:errcheck // none is wrong too
	titled := title != "" && utf8.RuneCountInString(title) <= maxChunkText
	switch chunk["type"] {
	case "plan_update":
		if !titled {
			return refuse("invalid_chunks")
		}
		s.title = title
	case "task_update":
		status, _ := chunk["status"].(string) //nolint:errcheck // none is wrong too
		if !titled || id == "" || !slices.Contains([]string{"pending", "in_progress", "complete", "error"}, status) {
			return refuse("invalid_chunks")
		}
		card := object{"type": "task_card", "task_id": id, "title": title, "status": status}
		if i := slices.IndexFunc(s.tasks, func(t object) bool { return t["task_id"] == id }); i >= 0 {
			s.tasks[i] = card
		} else {
			s.tasks = append(s.tasks, card)
		}
	case "blocks":
		checked, err := blocks.Message(string(encode(chunk["blocks"])))
		var all []object
		if err == nil {
			err = json.Unmarshal(checked, &all)
		}
		if err != nil {
			return invalid(err)
		}
		s.blocks = append(s.blocks, all...)
	default:
		return refuse("invalid_chunks")
	}
	return nil
}
