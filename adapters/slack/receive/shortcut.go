package receive

import (
	"cmp"
	"context"
	"encoding/json"
	"strings"

	"github.com/slack-go/slack"

	"atelier/adapters/slack/api"
	"atelier/adapters/slack/convert"
	"atelier/adapters/slack/lookup"
	"atelier/adapters/slack/post"
)

// Shortcuts asks people what to do with the message on which they used the shortcut, and handles their answer.
type Shortcuts struct {
	API       *api.Client
	Identity  *lookup.Identity
	Messages  *lookup.Messages
	People    *lookup.People
	Requests  *Requests
	Responder *post.Responder
	Phrases   convert.Phrases
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
