package slack

import (
	"atelier/adapters"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash/crc32"
	"strconv"
	"strings"
	"time"

	"github.com/slack-go/slack"
)

// told is what Slack tells by an event, whichever way it comes.
type told struct {
	Type      string    `json:"type"`
	Challenge string    `json:"challenge"`
	EventID   string    `json:"event_id"`
	EventTime int64     `json:"event_time"`
	Event     happening `json:"event"`
}

// isRead tells of the events that mean something to the bot. Of others it is not told what in
// them is odd: their fields may be other ones.
func (t told) isRead() bool {
	switch t.Event.Type {
	case "message", "app_mention", "reaction_added", "reaction_removed":
		return true
	}
	return false
}

// dated is when it happened, if that is told by what is around it only. The event's id makes
// it unlike that of others.
func (t told) dated(now time.Time) string {
	if _, ok := moment(t.Event.EventTS); ok {
		return t.Event.EventTS
	}
	if t.EventTime > 0 {
		now = time.Unix(t.EventTime, 0)
	}
	return fmt.Sprintf("%d.%06d", now.Unix(), crc32.ChecksumIEEE([]byte(t.EventID))%1_000_000)
}

// happening is an event as Slack writes it, as far as it is read. See
// https://docs.slack.dev/reference/events.
type happening struct {
	Type        string `json:"type"`
	Subtype     string `json:"subtype"`
	Channel     string `json:"channel"`
	ChannelType string `json:"channel_type"`
	User        string `json:"user"`
	BotID       string `json:"bot_id"`
	Text        string `json:"text"`
	TS          string `json:"ts"`
	ThreadTS    string `json:"thread_ts"`
	EventTS     string `json:"event_ts"`
	DeletedTS   string `json:"deleted_ts"`

	Files       []attached   `json:"files"`
	Attachments []attachment `json:"attachments"`

	Metadata slack.SlackMetadata `json:"metadata"` // of what the bot has posted, where that is asked for

	Message  *happening `json:"message"`
	Previous *happening `json:"previous_message"`

	Reaction string `json:"reaction"`
	Item     struct {
		Type    string `json:"type"`
		Channel string `json:"channel"`
		TS      string `json:"ts"`
	} `json:"item"`
}

// attachment is a message that another one forwards, or anything else that hangs on it.
type attachment struct {
	IsShare bool       `json:"is_share"`
	Text    string     `json:"text"`
	TS      string     `json:"ts"`
	Channel string     `json:"channel_id"`
	Author  string     `json:"author_id"`
	Files   []attached `json:"files"`
}

// isWritten tells of a message event that somebody wrote a message.
func (h happening) isWritten() bool {
	return h.Subtype == "" || h.Subtype == "file_share" || h.Subtype == "thread_broadcast"
}

func (h happening) direct() bool {
	return h.ChannelType == "im" || h.ChannelType == "" && strings.HasPrefix(h.Channel, "D")
}

// tidy leaves out of an event what cannot be what its field tells, as a number that was read as
// a word: it would be taken for another event, or for none. A message without its timestamp is
// found by that of its event, which is the same.
func tidy(h *happening) {
	if h == nil {
		return
	}
	for _, ts := range []*string{&h.TS, &h.ThreadTS, &h.EventTS, &h.DeletedTS, &h.Item.TS} {
		*ts = stamp(*ts)
	}
	for _, word := range []*string{&h.Type, &h.Subtype, &h.ChannelType} {
		if strings.Trim(*word, "abcdefghijklmnopqrstuvwxyz_") != "" {
			*word = ""
		}
	}
	if h.Type = cmp.Or(h.Type, "message"); h.TS == "" && h.isWritten() {
		h.TS = h.EventTS
	}
	tidy(h.Message)
	tidy(h.Previous)
}

// stamp is a timestamp as Slack writes it, "" where it is none. That of a server which writes
// numbers lacks the zeros at its end.
func stamp(ts string) string {
	if whole, fraction, ok := strings.Cut(ts, "."); ok && len(fraction) < 6 {
		ts = whole + "." + (fraction + "000000")[:6]
	}
	if _, ok := moment(ts); !ok {
		return ""
	}
	return ts
}

// lane is what an event is read in line with, so that those of a thread keep their order.
func (h happening) lane() string {
	of := h
	for _, m := range []*happening{h.Message, h.Previous} { // it changed, or is gone
		if m != nil {
			of = *m
		}
	}
	switch {
	case h.Item.TS != "":
		return h.Item.Channel + "-" + h.Item.TS
	case h.direct():
		return h.Channel
	}
	return h.Channel + "-" + cmp.Or(of.ThreadTS, of.TS)
}

// adapterName is the name of the adapter in threads and references.
const adapterName = "slack"

// place is where a message stands: its thread, in this workspace.
func place(team, channel, kind, ts, root string) adapters.Thread {
	t := adapters.Thread{Adapter: adapterName, Workspace: team, Channel: channel, ID: root, Direct: kind == "im" || kind == "" && strings.HasPrefix(channel, "D")}
	if !t.Direct && t.ID == "" {
		t.ID = ts
	}
	return t
}

// address is where a message is found.
func address(team, channel, ts string) adapters.MessageRef {
	return adapters.MessageRef{Adapter: adapterName, Workspace: team, Channel: channel, ID: ts}
}

// moment reads a timestamp, which names a message in its channel too: seconds, a point, and
// six digits.
func moment(ts string) (time.Time, bool) {
	seconds, rest, ok := strings.Cut(ts, ".")
	s, err := strconv.ParseInt(seconds, 10, 64)
	micros, err2 := strconv.ParseInt(rest, 10, 64)
	if !ok || err != nil || err2 != nil || len(rest) != 6 || s <= 0 || s > 1<<34 || micros < 0 || strings.Trim(ts, "0123456789.") != "" {
		return time.Time{}, false
	}
	return time.Unix(s, micros*int64(time.Microsecond)), true
}

// isID tells whether a word can be an id of Slack's.
func isID(s string) bool {
	return s != "" && len(s) <= 64 && strings.Trim(s, "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789") == ""
}

// digest is a name for something that is longer, or secret.
func digest(s string) string {
	sum := sha256.Sum256([]byte(s))
	return hex.EncodeToString(sum[:16])
}
