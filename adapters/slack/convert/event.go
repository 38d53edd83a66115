package convert

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"hash/crc32"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/slack-go/slack"

	"atelier/adapters"
)

// Envelope is what Slack sends around an event, by Socket Mode and by HTTP alike.
type Envelope struct {
	Type      string `json:"type"`
	Challenge string `json:"challenge"`
	EventID   string `json:"event_id"`
	EventTime int64  `json:"event_time"`
	Event     Event  `json:"event"`
}

// IsKnown reports whether the event may mean something to the bot. Unexpected fields of other events are not
// logged, since they may have other meanings there.
func (t Envelope) IsKnown() bool {
	switch t.Event.Type {
	case "message", "app_mention", "reaction_added", "reaction_removed", HomeOpened, SessionStopped:
		return true
	}
	return false
}

// HomeOpened is the type of the event that somebody opened a tab of the app. See
// https://docs.slack.dev/reference/events/app_home_opened.
const HomeOpened = "app_home_opened"

// SessionStopped is the type of the event that somebody pressed Slack's own stop button in a thread. See
// https://docs.slack.dev/reference/events/agent_session_stopped.
const SessionStopped = "agent_session_stopped"

const homePrefix = "home-"

// HomeEvent returns the event id for opening the home tab.
func HomeEvent(user, ts string) string { return homePrefix + user + "-" + ts }

// HomeOf returns the person whose home tab an event opened, if it is such an event.
func HomeOf(event string) (user string, ok bool) {
	rest, ok := strings.CutPrefix(event, homePrefix)
	user, _, _ = strings.Cut(rest, "-")
	return user, ok && IsID(user)
}

const promptsPrefix = "prompts-"

// PromptsEvent returns the event id for opening a direct channel with the bot.
func PromptsEvent(channel, ts string) string { return promptsPrefix + channel + "-" + ts }

// PromptsOf returns the direct channel that an event opened, if it is such an event.
func PromptsOf(event string) (channel string, ok bool) {
	rest, ok := strings.CutPrefix(event, promptsPrefix)
	channel, _, _ = strings.Cut(rest, "-")
	return channel, ok && IsID(channel)
}

// Timestamp returns the event's timestamp, or else a distinct one derived from the envelope's time and the event's
// id.
func (t Envelope) Timestamp(now time.Time) string {
	if _, ok := ParseTime(t.Event.EventTS); ok {
		return t.Event.EventTS
	}
	if t.EventTime > 0 {
		now = time.Unix(t.EventTime, 0)
	}
	return fmt.Sprintf("%d.%06d", now.Unix(), crc32.ChecksumIEEE([]byte(t.EventID))%1_000_000)
}

// Event is an event as Slack sends it, with the fields that are used. See https://docs.slack.dev/reference/events.
type Event struct {
	Type        string `json:"type"`
	Subtype     string `json:"subtype"`
	Channel     string `json:"channel"`
	ChannelType string `json:"channel_type"`
	User        string `json:"user"`
	BotID       string `json:"bot_id"`
	AppID       string `json:"app_id"`
	Text        string `json:"text"`
	TS          string `json:"ts"`
	ThreadTS    string `json:"thread_ts"`
	EventTS     string `json:"event_ts"`
	Tab         string `json:"tab"` // of the app that somebody opened
	DeletedTS   string `json:"deleted_ts"`

	Streams []string `json:"streaming_message_ts"` // stopped by Slack

	Files       []File            `json:"files"`
	Attachments []Attachment      `json:"attachments"`
	Blocks      []json.RawMessage `json:"blocks"`

	Edited struct {
		User string `json:"user"`
	} `json:"edited"`

	Metadata slack.SlackMetadata `json:"metadata"` // of the bot's own posts, if asked for

	Message  *Event `json:"message"`
	Previous *Event `json:"previous_message"`

	Reaction string `json:"reaction"`
	Item     struct {
		Type    string `json:"type"`
		Channel string `json:"channel"`
		TS      string `json:"ts"`
	} `json:"item"`
}

// Attachment is a forwarded message, or anything else attached to a message.
type Attachment struct {
	IsShare bool   `json:"is_share"`
	Text    string `json:"text"`
	TS      string `json:"ts"`
	Channel string `json:"channel_id"`
	Author  string `json:"author_id"`
	Files   []File `json:"files"`
}

// IsWritten reports whether a person or bot wrote the message, as opposed to an edit or a notice.
func (h Event) IsWritten() bool {
	return h.Subtype == "" || h.Subtype == "file_share" || h.Subtype == "thread_broadcast"
}

// HasBlock reports whether a message has a block of this id.
func (h Event) HasBlock(id string) bool {
	return slices.ContainsFunc(h.Blocks, func(raw json.RawMessage) bool {
		var b struct {
			ID string `json:"block_id"`
		}
		return json.Unmarshal(raw, &b) == nil && b.ID == id
	})
}

// Stops returns the id of the request that the button in a progress message stops, or "" if the message has no such button.
func (h Event) Stops() (request string) {
	for _, raw := range h.Blocks {
		var b struct {
			Elements []struct {
				ActionID string `json:"action_id"`
				Value    string `json:"value"`
			} `json:"elements"`
		}
		if json.Unmarshal(raw, &b) == nil && len(b.Elements) > 0 && b.Elements[0].ActionID == StopAction {
			request = timestamp(b.Elements[0].Value)
		}
	}
	return request
}

// IsDirect reports whether the channel is a direct one.
func (h Event) IsDirect() bool {
	return h.ChannelType == "im" || h.ChannelType == "" && strings.HasPrefix(h.Channel, "D")
}

// Clean removes values that are impossible in their fields, such as a number where a word is expected. A message
// without a timestamp gets that of its event, which is the same.
func Clean(h *Event) {
	if h == nil {
		return
	}
	for _, ts := range []*string{&h.TS, &h.ThreadTS, &h.EventTS, &h.DeletedTS, &h.Item.TS} {
		*ts = timestamp(*ts)
	}
	for _, word := range []*string{&h.Type, &h.Subtype, &h.ChannelType} {
		if strings.Trim(*word, "abcdefghijklmnopqrstuvwxyz_") != "" {
			*word = ""
		}
	}
	if h.Type = cmp.Or(h.Type, "message"); h.TS == "" && h.IsWritten() {
		h.TS = h.EventTS
	}
	Clean(h.Message)
	Clean(h.Previous)
}

// timestamp normalizes a timestamp to Slack's form, or returns "" for anything else. Servers that send numbers
// drop trailing zeros.
func timestamp(ts string) string {
	if whole, fraction, ok := strings.Cut(ts, "."); ok && len(fraction) < 6 {
		ts = whole + "." + (fraction + "000000")[:6]
	}
	if _, ok := ParseTime(ts); !ok {
		return ""
	}
	return ts
}

// Lane returns the queue of an event. The events of a thread share one, so that they keep their order.
func (h Event) Lane() string {
	of := h
	for _, m := range []*Event{h.Message, h.Previous} { // an edit or a deletion
		if m != nil {
			of = *m
		}
	}
	switch {
	case h.Item.TS != "":
		return h.Item.Channel + "-" + h.Item.TS
	case h.IsDirect():
		return h.Channel
	}
	return h.Channel + "-" + cmp.Or(of.ThreadTS, of.TS)
}

// Name is the name of the adapter in threads and references.
const Name = "slack"

// Thread returns the thread of a message.
func Thread(team, channel, kind, ts, root string) adapters.Thread {
	t := adapters.Thread{Adapter: Name, Workspace: team, Channel: channel, ID: root, Direct: kind == "im" || kind == "" && strings.HasPrefix(channel, "D")}
	if !t.Direct && t.ID == "" {
		t.ID = ts
	}
	return t
}

// Ref returns the address of a message.
func Ref(team, channel, ts string) adapters.MessageRef {
	return adapters.MessageRef{Adapter: Name, Workspace: team, Channel: channel, ID: ts}
}

// ParseTime parses a timestamp, which is also the id of a message in its channel: seconds, a point, and six
// digits.
func ParseTime(ts string) (time.Time, bool) {
	seconds, rest, ok := strings.Cut(ts, ".")
	s, err := strconv.ParseInt(seconds, 10, 64)
	micros, err2 := strconv.ParseInt(rest, 10, 64)
	if !ok || err != nil || err2 != nil || len(rest) != 6 || s <= 0 || s > 1<<34 || micros < 0 || strings.Trim(ts, "0123456789.") != "" {
		return time.Time{}, false
	}
	return time.Unix(s, micros*int64(time.Microsecond)), true
}

// IsID reports whether a word has the form of a Slack id.
func IsID(s string) bool {
	return s != "" && len(s) <= 64 && strings.Trim(s, "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789") == ""
}

// Digest returns a short hash of something long or secret.
func Digest(s string) string {
	sum := sha256.Sum256([]byte(s))
	return hex.EncodeToString(sum[:16])
}
