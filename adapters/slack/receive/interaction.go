package receive

import (
	"cmp"
	"context"
	"log/slog"
	"strconv"
	"strings"
	"time"

	"github.com/slack-go/slack"

	"atelier/adapters"
	"atelier/adapters/slack/convert"
	"atelier/adapters/slack/lookup"
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
	Listener *Listener
	Identity *lookup.Identity
	People   *lookup.People
	Log      *slog.Logger
	Now      func() time.Time
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
			}
			e.Kind, e.Reaction = adapters.ReactionAdded, pressed
		case a.ActionID == convert.RateAction:
			e.Kind, e.Reaction = adapters.ReactionAdded, &adapters.Reaction{On: on, Sign: adapters.Good}
			if a.Value == string(adapters.Bad) {
				e.Reaction.Sign = adapters.Bad
			}
		case a.ActionID == convert.StopAction:
			if _, ok := convert.ParseTime(a.Value); ok { // the request, as the progress names it
				on = convert.Ref(self.Team, channel, a.Value)
			}
			e.Kind, e.Cancel = adapters.CancelAsked, &adapters.Cancel{On: on}
		default:
			continue
		}
		b.Listener.Put(ctx, e, nil)
	}
}
