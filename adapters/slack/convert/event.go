package convert

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"hash/crc32"
	"path"
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

// File is a file of a message. The library leaves out the subtype.
type File struct {
	slack.File

	Subtype string `json:"subtype"`
}

// audioClip is the subtype of an audio clip, which people record in Slack itself; the same sound shared as a file
// has no subtype. Slack documents clips only for people (https://slack.com/help/articles/4406235165587), and their
// media type may be that of a video, or missing.
const audioClip = "slack_audio"

// Stub marks a file of another workspace; Slack sends only its id.
const Stub = "check_file_info"

const (
	// MaxName is how many bytes of a name are read.
	MaxName     = 256
	maxAlt      = 2000 // bytes of a file's description that is read
	maxHandle   = 8000
	maxAltOut   = 1000 // characters of a file's description that is sent
	maxFileName = 200  // bytes of a file's name
)

// Files converts the files of a message, except those that were deleted.
func Files(files []File) []adapters.File {
	var all []adapters.File
	for _, f := range files {
		if !IsID(f.ID) || f.Mode == "tombstone" || f.Mode == "hidden_by_limit" || len(all) == adapters.MaxFiles {
			continue
		}
		all = append(all, adapters.File{
			ID: f.ID, Name: PlainLine(cmp.Or(f.Name, f.Title), MaxName), Size: max(int64(f.Size), 0), Type: PlainLine(f.Mimetype, MaxName),
			Alt: adapters.Cut(f.AltTxt, maxAlt), Voice: f.Subtype == audioClip, Handle: fileHandle(f.File),
		})
	}
	return all
}

// fileHandle returns what fetching needs: the file's id, and its URL if Slack sends it.
func fileHandle(f slack.File) string {
	h := f.ID
	if IsExternal(f) { // the address is not Slack's
		return h
	}
	if at := cmp.Or(f.URLPrivateDownload, f.URLPrivate); at != "" && len(at) < maxHandle && f.FileAccess != Stub && !strings.ContainsFunc(at, isBlank) {
		h += " " + at
	}
	return h
}

// IsExternal reports whether a file is not stored by Slack but at a URL that somebody chose.
func IsExternal(f slack.File) bool { return f.IsExternal || f.Mode == "external" }

func isBlank(r rune) bool { return r <= ' ' || r == 0x7f }

// SharedIn returns the message of a channel that shows a file; "" if none does.
func SharedIn(all slack.Share, channel string) string {
	for _, shares := range []map[string][]slack.ShareFileInfo{all.Public, all.Private} {
		for _, share := range shares[channel] {
			return share.Ts
		}
	}
	return ""
}

// AltText returns the description of a file, shortened to what Slack accepts.
func AltText(f adapters.Attachment) string {
	letters := []rune(f.Alt)
	return string(letters[:min(len(letters), maxAltOut)])
}

// FileName returns a file name without folders, shortened to what Slack accepts, with its extension.
func FileName(name string) string {
	name = strings.ReplaceAll(path.Base(strings.ReplaceAll(PlainLine(name, len(name)), `\`, "/")), `"`, "'")
	if strings.Trim(name, "./ ") == "" {
		return "file"
	}
	return adapters.CutName(name, maxFileName)
}

// The ids of the bot's buttons, dialogs and shortcuts. The id of a choice ends with its number.
const (
	ChooseAction = "choose-"
	StopAction   = "halt"
	// RateAction is the action of both feedback buttons; their values tell which one was pressed.
	RateAction   = "rate"
	RequestInput = "wish"
	ShortcutID   = "use_with_atelier"
)

// Whisper is the prefix of the id of a message that only one person sees. It has no address.
const Whisper = "ephemeral-"

// Interaction is a pressed button, a shortcut or a submitted dialog, as Slack writes it. See
// https://docs.slack.dev/reference/interaction-payloads.
type Interaction struct {
	Type        string    `json:"type"`
	CallbackID  string    `json:"callback_id"`
	TriggerID   string    `json:"trigger_id"`
	ResponseURL string    `json:"response_url"`
	User        reference `json:"user"`
	Channel     reference `json:"channel"`
	Message     Event     `json:"message"`
	MessageTS   string    `json:"message_ts"`
	Container   struct {
		ChannelID string `json:"channel_id"`
		MessageTS string `json:"message_ts"`
		ThreadTS  string `json:"thread_ts"`
	} `json:"container"`
	Actions []struct {
		ActionID string `json:"action_id"`
		Value    string `json:"value"`
		ActionTS string `json:"action_ts"`
	} `json:"actions"`
	View struct {
		ID              string `json:"id"`
		CallbackID      string `json:"callback_id"`
		PrivateMetadata string `json:"private_metadata"`
		State           struct {
			Values map[string]map[string]struct {
				Value string `json:"value"`
			} `json:"values"`
		} `json:"state"`
	} `json:"view"`
}

type reference struct {
	ID string `json:"id"`
}

// Command is a slash command, as Slack writes it. See
// https://docs.slack.dev/interactivity/implementing-slash-commands.
type Command struct {
	User        string `json:"user_id"`
	Channel     string `json:"channel_id"`
	Text        string `json:"text"`
	Trigger     string `json:"trigger_id"`
	ResponseURL string `json:"response_url"`
}

// ID identifies a command: by its trigger or URL, or else by the person, place and time.
func (c Command) ID(at time.Time) string {
	if told := cmp.Or(c.Trigger, c.ResponseURL); told != "" {
		return told
	}
	sum := sha256.Sum256([]byte(c.Channel + " " + c.User + " " + c.Text + " " + strconv.FormatInt(at.UnixNano(), 10)))
	return hex.EncodeToString(sum[:8])
}
