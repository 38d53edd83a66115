package slacktest

import (
	"encoding/base64"
	"encoding/json"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"atelier/adapters/slack/slacktest/blocks"
)

// Limits of texts. https://docs.slack.dev/reference/methods/chat.postMessage and
// chat.update, which counts bytes after escaping.
const (
	maxText       = 40_000
	maxUpdateText = 4_000
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
	cm.workspace.store(c, m)
	cm.events.message(c, m)
	return object{"channel": c.id, "ts": m.ts, "message": m.object(c, true)}, nil
}

// whisper shows a message to one member of a channel. https://docs.slack.dev/reference/methods/chat.postEphemeral
func (cm *chatMethods) whisper(args url.Values) (object, error) {
	c, err := cm.workspace.writable(args.Get("channel"))
	if err != nil {
		return nil, err
	}
	user := args.Get("user")
	m, err := cm.content(args)
	switch {
	case err != nil:
		return nil, err
	case m.text == "" && m.blocks == nil:
		return nil, refuse("no_text")
	case !c.members[user]:
		return nil, refuse("user_not_in_channel")
	}
	if err := c.mayReply(args.Get("thread_ts")); err != nil {
		return nil, err
	}
	cm.workspace.ephemeral = append(cm.workspace.ephemeral, Ephemeral{User: user, Text: m.text})
	return object{"message_ts": cm.workspace.ts()}, nil
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
	var prompts []Prompt
	if json.Unmarshal([]byte(args.Get("prompts")), &prompts) != nil || len(prompts) == 0 || len(prompts) > maxPrompts {
		return nil, refuseArgument("1 to 4 prompts are allowed")
	}
	for _, p := range prompts {
		if p.Title == "" || p.Message == "" {
			return nil, refuseArgument("missing required field: title or message")
		}
	}
	if args.Get("thread_ts") == "" { // otherwise Slack silently ignores the call
		c.prompts = prompts
	}
	return object{}, nil
}

// known are the names of emoji that the bot may use: a wrong one, such as the emoji
// itself, is refused as Slack does.
var known = set(strings.Fields(`
	+1 -1 100 adult alarm_clock arrow_left arrow_right arrows_counterclockwise art ballot_box_with_check bell
	black_square_for_stop bug bulb camera clap clock1 eight exclamation eyes five four frame_with_picture hammer
	hammer_and_wrench heart heavy_check_mark heavy_multiplication_x hourglass hourglass_flowing_sand information_source
	joy keycap_ten lock mag mantelpiece_clock memo negative_squared_cross_mark new nine no_entry no_entry_sign
	octagonal_sign ok ok_hand one paperclip pencil2 point_up pray question raised_hand recycle repeat repeat_one
	robot_face rocket scissors see_no_evil seven six smile sparkles speech_balloon stop_button stopwatch tada three
	thumbsdown thumbsup thinking_face two warning wastebasket wave white_check_mark wrench x zap zero zzz`)...)

// reactionMethods add, remove and read reactions.
type reactionMethods struct {
	workspace *Workspace
	events    *events
}

// message returns the message of a call.
func (rm *reactionMethods) message(args url.Values) (*channelState, *messageState, error) {
	c, err := rm.workspace.writable(args.Get("channel"))
	if err != nil {
		return nil, nil, err
	}
	m := c.get(args.Get("timestamp"))
	if m == nil || m.tombstone {
		return nil, nil, refuse("message_not_found")
	}
	return c, m, nil
}

func (rm *reactionMethods) add(args url.Values) (object, error) {
	name := args.Get("name")
	if !known[name] {
		return nil, refuse("invalid_name")
	}
	c, m, err := rm.message(args)
	if err != nil {
		return nil, err
	}
	if slices.ContainsFunc(m.reactions, func(r Reaction) bool { return r.Name == name && slices.Contains(r.Users, botUser) }) {
		return nil, refuse("already_reacted")
	}
	m.react(botUser, name, true)
	rm.events.reaction(c, m, botUser, name, true)
	return object{}, nil
}

func (rm *reactionMethods) remove(args url.Values) (object, error) {
	name := args.Get("name")
	if !known[name] {
		return nil, refuse("invalid_name")
	}
	c, m, err := rm.message(args)
	if err != nil {
		return nil, err
	}
	if !m.react(botUser, name, false) {
		return nil, refuse("no_reaction")
	}
	rm.events.reaction(c, m, botUser, name, false)
	return object{}, nil
}

func (rm *reactionMethods) get(args url.Values) (object, error) {
	c, m, err := rm.message(args)
	if err != nil {
		return nil, err
	}
	return object{"type": "message", "channel": c.id, "message": m.object(c, false)}, nil
}

// readMethods read channels, threads and users.
type readMethods struct {
	*shared
	workspace *Workspace
}

func (rm *readMethods) user(args url.Values) (object, error) {
	u := rm.workspace.users[args.Get("user")]
	if u == nil {
		return nil, refuse("user_not_found")
	}
	return object{"user": u.object()}, nil
}

func (rm *readMethods) history(args url.Values) (object, error) {
	c, err := rm.workspace.readable(args.Get("channel"))
	if err != nil {
		return nil, err
	}
	all := slices.DeleteFunc(between(args, c.messages), func(m *messageState) bool { return !m.inChannel() })
	slices.Reverse(all)
	return rm.page(args, c, all, 100)
}

func (rm *readMethods) replies(args url.Values) (object, error) {
	c, err := rm.workspace.readable(args.Get("channel"))
	if err != nil {
		return nil, err
	}
	root := c.get(args.Get("ts"))
	if root == nil {
		return nil, refuse("thread_not_found")
	}
	all := []*messageState{root}
	if root.threadTS == root.ts {
		all = append(all, between(args, c.replies(root.ts))...)
	}
	return rm.page(args, c, all, 1000)
}

// page returns the part of all that a call asks for, and the cursor of the next part.
func (rm *readMethods) page(args url.Values, c *channelState, all []*messageState, usual int) (object, error) {
	const most, narrow = 999, 15
	limit, from := usual, 0
	var err error
	if text := args.Get("limit"); text != "" {
		if limit, err = strconv.Atoi(text); err != nil || limit < 1 || limit > most {
			return nil, refuse("invalid_limit")
		}
	}
	if rm.o.Narrow {
		limit = min(limit, narrow)
	}
	if cursor := args.Get("cursor"); cursor != "" {
		text, err := base64.StdEncoding.DecodeString(cursor)
		if err == nil {
			from, err = strconv.Atoi(strings.TrimPrefix(string(text), "next:"))
		}
		if err != nil || from > len(all) {
			return nil, refuse("invalid_cursor")
		}
	}
	next, end := "", min(from+limit, len(all))
	if end < len(all) {
		next = base64.StdEncoding.EncodeToString([]byte("next:" + strconv.Itoa(end)))
	}
	shown := make([]object, 0, end-from)
	for _, m := range all[from:end] {
		shown = append(shown, m.object(c, yes(args, "include_all_metadata")))
	}
	return object{"messages": shown, "has_more": next != "", "response_metadata": object{"next_cursor": next}}, nil
}

// between keeps the messages of the time that a call asks for.
func between(args url.Values, all []*messageState) []*messageState {
	oldest, latest, inclusive := args.Get("oldest"), args.Get("latest"), yes(args, "inclusive")
	return slices.DeleteFunc(slices.Clone(all), func(m *messageState) bool {
		from, to := compareTS(m.ts, oldest), compareTS(m.ts, latest)
		return oldest != "" && (from < 0 || (from == 0 && !inclusive)) ||
			latest != "" && (to > 0 || (to == 0 && !inclusive))
	})
}

// compareTS compares two timestamps, of which b may lack its fraction.
func compareTS(a, b string) int {
	whole, fraction, _ := strings.Cut(b, ".")
	const digits = 6
	return strings.Compare(a, whole+"."+(fraction + "000000")[:digits])
}
