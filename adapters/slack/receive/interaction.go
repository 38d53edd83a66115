package receive

import (
	"cmp"
	"context"
	"encoding/json"
	"log/slog"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/slack-go/slack"

	"atelier/adapters"
	"atelier/adapters/slack/api"
	"atelier/adapters/slack/convert"
	"atelier/adapters/slack/lookup"
	"atelier/adapters/slack/post"
)

// Interactions handles the bot's buttons, shortcuts and dialogs.
type Interactions struct {
	Listener  *Listener
	Buttons   *Buttons
	Shortcuts *Shortcuts
	Log       *slog.Logger
}

// Receive accepts an interaction, and reports whether to confirm it, which is done at once.
func (i *Interactions) Receive(payload []byte) bool {
	var p convert.Interaction
	if !Decode(i.Log, payload, &p) {
		return true // a repetition would not help
	}
	convert.Clean(&p.Message)
	switch {
	case p.Type == string(slack.InteractionTypeBlockActions):
		return i.Listener.Later(func(ctx context.Context) { i.Buttons.Press(ctx, p) })
	case p.Type == string(slack.InteractionTypeMessageAction) && p.CallbackID == convert.ShortcutID:
		return i.Listener.Later(func(ctx context.Context) { i.Shortcuts.Open(ctx, p) })
	case p.Type == string(slack.InteractionTypeViewSubmission) && p.View.CallbackID == convert.ShortcutID:
		return i.Listener.Later(func(ctx context.Context) { i.Shortcuts.Submit(ctx, p) })
	}
	return true
}

// Buttons converts pressed buttons to events.
type Buttons struct {
	Listener  *Listener
	Identity  *lookup.Identity
	People    *lookup.People
	Responder *post.Responder
	Log       *slog.Logger
	Now       func() time.Time
}

// Press passes a pressed button to the handler.
func (b *Buttons) Press(ctx context.Context, p convert.Interaction) {
	self, err := b.Identity.Self(ctx)
	if err != nil {
		b.Log.WarnContext(ctx, "a button was not read", "error", err)
		return
	}
	by := b.People.Who(ctx, p.User.ID) // bots press no buttons
	channel, ts := cmp.Or(p.Container.ChannelID, p.Channel.ID), cmp.Or(p.Container.MessageTS, p.Message.TS)
	for _, a := range p.Actions {
		if by.Bot {
			continue
		}
		at, ok := convert.ParseTime(a.ActionTS)
		if !ok { // from a server that is not Slack's own
			at = b.Now()
			a.ActionTS = cmp.Or(p.TriggerID, strconv.FormatInt(at.UnixNano(), 10))
		}
		e := adapters.Event{
			ID: "b-" + channel + "-" + ts + "-" + p.User.ID + "-" + a.ActionTS, Adapter: convert.Name, By: by.Person, At: at,
			Thread: convert.Thread(self.Team, channel, "", ts, cmp.Or(p.Container.ThreadTS, p.Message.ThreadTS)),
		}
		on := convert.Ref(self.Team, channel, ts)
		number, chosen := strings.CutPrefix(a.ActionID, convert.ChooseAction)
		n, err := strconv.Atoi(number)
		pressed := adapters.Pressed(on, a.ActionID)
		switch {
		case chosen && err == nil:
			e.Kind, e.Reaction = adapters.ReactionAdded, &adapters.Reaction{On: on, Sign: adapters.Choose, Number: n, Choice: a.Value}
		case pressed != nil:
			if strings.HasPrefix(a.Value, convert.Whisper) {
				pressed.On.ID = a.Value
				b.Responder.Remember(ctx, e.ID, p.ResponseURL)
			}
			e.Kind, e.Reaction = adapters.ReactionAdded, pressed
		case a.ActionID == convert.RateAction:
			e.Kind, e.Reaction = adapters.ReactionAdded, &adapters.Reaction{On: on, Sign: adapters.Good}
			if a.Value == string(adapters.Bad) {
				e.Reaction.Sign = adapters.Bad
			}
		case a.ActionID == convert.StopAction:
			e.Kind, e.Cancel = adapters.CancelAsked, &adapters.Cancel{On: on}
		default:
			continue
		}
		b.Listener.Put(ctx, e, nil)
	}
}

// Commands handles slash commands.
type Commands struct {
	Listener  *Listener
	Identity  *lookup.Identity
	People    *lookup.People
	Messages  *lookup.Messages
	Requests  *Requests
	Responder *post.Responder
	Phrases   adapters.Phrases
	Log       *slog.Logger
	Now       func() time.Time
}

// Receive accepts a command, and reports whether to confirm it, which is done at once.
func (cs *Commands) Receive(c convert.Command) bool {
	return cs.Listener.Later(func(ctx context.Context) {
		if err := cs.handle(ctx, c); err != nil {
			cs.Responder.Tell(ctx, c.User, c.Channel, c.ResponseURL, err)
		}
	})
}

// handle passes a command to the handler. An unknown command is a request.
func (cs *Commands) handle(ctx context.Context, c convert.Command) error {
	self, err := cs.Identity.Self(ctx)
	if err != nil {
		return err
	}
	text := cs.Messages.Text(ctx, self, c.Text)
	word, rest, _ := strings.Cut(text, " ")
	rest = strings.TrimSpace(rest)
	by := cs.People.Who(ctx, c.User)
	thread := adapters.Thread{Adapter: convert.Name, Workspace: self.Team, Channel: c.Channel, Direct: strings.HasPrefix(c.Channel, "D")}
	id := convert.Digest(c.ID(cs.Now())) // the trigger and the URL are secrets
	e := adapters.Event{ID: "c-" + id, Adapter: convert.Name, Thread: thread, By: by.Person, At: cs.Now()}
	switch name := cmp.Or(strings.ToLower(word), adapters.HelpCommand); {
	case slices.Contains(adapters.AnsweredCommands(), name):
		e.Kind, e.Command = adapters.CommandGiven, &adapters.Command{Name: name, Text: rest}
	case name == adapters.CancelCommand, name == "stop":
		e.Kind, e.Cancel = adapters.CancelAsked, &adapters.Cancel{}
		cs.Listener.Put(ctx, e, nil)
		cs.Responder.Whisper(ctx, c.Channel, c.ResponseURL, cs.Phrases.Say(by.Language, "Your latest request here is stopped, if it was still in progress."))
		return nil
	case name == adapters.AskCommand:
		return cs.Requests.Ask(ctx, request{id: id, thread: thread, user: c.User, text: rest})
	default:
		return cs.Requests.Ask(ctx, request{id: id, thread: thread, user: c.User, text: text})
	}
	cs.Responder.Remember(ctx, e.ID, c.ResponseURL)
	cs.Listener.Put(ctx, e, nil)
	return nil
}

// Shortcuts asks people what to do with the message on which they used the shortcut, and handles their answer.
type Shortcuts struct {
	API       *api.Client
	Identity  *lookup.Identity
	Messages  *lookup.Messages
	People    *lookup.People
	Requests  *Requests
	Responder *post.Responder
	Phrases   adapters.Phrases
}

// target is the message on which a shortcut was used, while the dialog is open.
type target struct {
	Channel     string `json:"channel"`
	TS          string `json:"ts"`
	ThreadTS    string `json:"thread_ts,omitempty"`
	ResponseURL string `json:"response_url,omitempty"`
}

// Open opens the dialog that asks what to do with a message.
func (sc *Shortcuts) Open(ctx context.Context, p convert.Interaction) {
	of, err := json.Marshal(target{Channel: p.Channel.ID, TS: cmp.Or(p.Message.TS, p.MessageTS), ThreadTS: p.Message.ThreadTS, ResponseURL: p.ResponseURL})
	if err != nil {
		return
	}
	by := sc.People.Who(ctx, p.User.ID)
	say, language := sc.Phrases.Say, by.Language
	plain := func(text string) *slack.TextBlockObject {
		return slack.NewTextBlockObject(slack.PlainTextType, text, false, false)
	}
	input := slack.NewPlainTextInputBlockElement(plain(say(language, "such as: make it black and white")), convert.RequestInput).WithMultiline(true)
	question := slack.NewInputBlock(convert.RequestInput, plain(say(language, "What should I do with this message?")), nil, input)
	_, err = sc.API.OpenViewContext(ctx, p.TriggerID, slack.ModalViewRequest{
		Type: slack.VTModal, CallbackID: convert.ShortcutID, PrivateMetadata: string(of),
		Title: plain(say(language, "Use with Atelier")), Submit: plain(say(language, "Send")), Close: plain(say(language, "Cancel")),
		Blocks: slack.Blocks{BlockSet: []slack.Block{question}},
	})
	if err != nil {
		sc.Responder.Tell(ctx, p.User.ID, p.Channel.ID, p.ResponseURL, err)
	}
}

// Submit handles the submitted dialog.
func (sc *Shortcuts) Submit(ctx context.Context, p convert.Interaction) {
	var of target
	if json.Unmarshal([]byte(p.View.PrivateMetadata), &of) != nil {
		return
	}
	text := strings.TrimSpace(p.View.State.Values[convert.RequestInput][convert.RequestInput].Value)
	if err := sc.submit(ctx, of, p, text); err != nil {
		sc.Responder.Tell(ctx, p.User.ID, of.Channel, of.ResponseURL, err)
	}
}

func (sc *Shortcuts) submit(ctx context.Context, of target, p convert.Interaction, text string) error {
	self, err := sc.Identity.Self(ctx)
	if err != nil {
		return err
	}
	thread := convert.Thread(self.Team, of.Channel, "", of.TS, of.ThreadTS)
	about, err := sc.Messages.Find(ctx, of.Channel, cmp.Or(of.ThreadTS, of.TS), of.TS)
	if err != nil {
		return err
	}
	earlier := sc.Messages.Earlier(ctx, self, *about)
	earlier.Ref = convert.Ref(self.Team, of.Channel, of.TS)
	return sc.Requests.Ask(ctx, request{id: convert.Digest(cmp.Or(p.View.ID, p.TriggerID)), thread: thread, user: p.User.ID, text: text, about: &earlier})
}
