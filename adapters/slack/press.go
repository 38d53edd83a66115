package slack

import (
	"context"
	"encoding/json"
	"strconv"
	"strings"

	"github.com/slack-go/slack"

	"atelier/adapters"
	"atelier/adapters/lenient"
)

// The ids of what the bot puts below its messages. A choice's has its number behind it.
const (
	chooseAction = "choose-"
	againAction  = "again"
	haltAction   = "halt"
	wishAction   = "wish"
	useCallback  = "use_with_atelier"
)

// pressed is what somebody did with what the bot offers, as Slack writes it. See
// https://docs.slack.dev/reference/interaction-payloads.
type pressed struct {
	Type        string    `json:"type"`
	CallbackID  string    `json:"callback_id"`
	TriggerID   string    `json:"trigger_id"`
	ResponseURL string    `json:"response_url"`
	User        named     `json:"user"`
	Channel     named     `json:"channel"`
	Message     happening `json:"message"`
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

type named struct {
	ID string `json:"id"`
}

// interact takes what somebody pressed, and tells whether it did: it is confirmed at once.
func (s *Slack) interact(payload []byte) bool {
	var p pressed
	if odd, err := lenient.Unmarshal(payload, &p); !s.isUnderstood(odd, err) {
		return true // it would be no other the next time
	}
	tidy(&p.Message)
	switch {
	case p.Type == string(slack.InteractionTypeBlockActions):
		return s.later(func(ctx context.Context) { s.press(ctx, p) })
	case p.Type == string(slack.InteractionTypeMessageAction) && p.CallbackID == useCallback:
		return s.later(func(ctx context.Context) { s.use(ctx, p) })
	case p.Type == string(slack.InteractionTypeViewSubmission) && p.View.CallbackID == useCallback:
		return s.later(func(ctx context.Context) { s.wish(ctx, p) })
	}
	return true
}

// press hands over that somebody pressed a button.
func (s *Slack) press(ctx context.Context, p pressed) {
	self, err := s.me(ctx)
	if err != nil {
		s.config.Log.WarnContext(ctx, "a button was not read", "error", err)
		return
	}
	by := s.people.who(ctx, p.User.ID) // a bot presses nothing
	channel, ts := first(p.Container.ChannelID, p.Channel.ID), first(p.Container.MessageTS, p.Message.TS)
	for _, a := range p.Actions {
		if by.bot {
			continue
		}
		at, ok := moment(a.ActionTS)
		if !ok { // of a server that is not Slack's own
			at = s.config.Now()
			a.ActionTS = first(p.TriggerID, strconv.FormatInt(at.UnixNano(), 10))
		}
		e := adapters.Event{
			ID: "b-" + channel + "-" + ts + "-" + p.User.ID + "-" + a.ActionTS, Adapter: Name, By: by.Person, At: at,
			Thread: place(self.team, channel, "", ts, first(p.Container.ThreadTS, p.Message.ThreadTS)),
		}
		on := address(self.team, channel, ts)
		number, chosen := strings.CutPrefix(a.ActionID, chooseAction)
		n, err := strconv.Atoi(number)
		switch {
		case chosen && err == nil:
			e.Kind, e.Reaction = adapters.ReactionAdded, &adapters.Reaction{On: on, Sign: adapters.Choose, Number: n, Choice: a.Value}
		case a.ActionID == againAction:
			e.Kind, e.Reaction = adapters.ReactionAdded, &adapters.Reaction{On: on, Sign: adapters.Again}
		case a.ActionID == haltAction:
			if _, ok := moment(a.Value); ok { // the request, as the progress names it
				on = address(self.team, channel, a.Value)
			}
			e.Kind, e.Cancel = adapters.CancelAsked, &adapters.Cancel{On: on}
		default:
			continue
		}
		s.put(ctx, e, nil)
	}
}

// chosen is the message that a shortcut was taken on, while its wish is asked for.
type chosen struct {
	Channel     string `json:"channel"`
	TS          string `json:"ts"`
	ThreadTS    string `json:"thread_ts,omitempty"`
	ResponseURL string `json:"response_url,omitempty"`
}

// use asks what somebody wishes to be done with a message.
func (s *Slack) use(ctx context.Context, p pressed) {
	of, err := json.Marshal(chosen{Channel: p.Channel.ID, TS: first(p.Message.TS, p.MessageTS), ThreadTS: p.Message.ThreadTS, ResponseURL: p.ResponseURL})
	if err != nil {
		return
	}
	by := s.people.who(ctx, p.User.ID)
	say, language := s.config.Phrases.Say, by.language
	plain := func(text string) *slack.TextBlockObject {
		return slack.NewTextBlockObject(slack.PlainTextType, text, false, false)
	}
	input := slack.NewPlainTextInputBlockElement(plain(say(language, "such as: make it black and white")), wishAction).WithMultiline(true)
	_, err = s.api.OpenViewContext(ctx, p.TriggerID, slack.ModalViewRequest{
		Type: slack.VTModal, CallbackID: useCallback, PrivateMetadata: string(of),
		Title: plain(say(language, "Use with Atelier")), Submit: plain(say(language, "Send")), Close: plain(say(language, "Cancel")),
		Blocks: slack.Blocks{BlockSet: []slack.Block{slack.NewInputBlock(wishAction, plain(say(language, "What shall I do with this message?")), nil, input)}},
	})
	if err != nil {
		s.tell(ctx, p.User.ID, p.Channel.ID, p.ResponseURL, err)
	}
}

// wish hands over what somebody wishes to be done with a message.
func (s *Slack) wish(ctx context.Context, p pressed) {
	var of chosen
	if json.Unmarshal([]byte(p.View.PrivateMetadata), &of) != nil {
		return
	}
	wish := strings.TrimSpace(p.View.State.Values[wishAction][wishAction].Value)
	if err := s.wished(ctx, of, p, wish); err != nil {
		s.tell(ctx, p.User.ID, of.Channel, of.ResponseURL, err)
	}
}

func (s *Slack) wished(ctx context.Context, of chosen, p pressed, wish string) error {
	self, err := s.me(ctx)
	if err != nil {
		return err
	}
	thread := place(self.team, of.Channel, "", of.TS, of.ThreadTS)
	about, err := s.message(ctx, of.Channel, first(of.ThreadTS, of.TS), of.TS)
	if err != nil {
		return err
	}
	earlier := s.earlier(ctx, self, *about)
	earlier.Ref = address(self.team, of.Channel, of.TS)
	return s.ask(ctx, asked{id: digest(first(p.View.ID, p.TriggerID)), thread: thread, user: p.User.ID, wish: wish, about: &earlier})
}
