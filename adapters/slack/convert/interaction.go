package convert

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"strconv"
	"time"
)

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
