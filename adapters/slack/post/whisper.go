package post

import (
	"context"

	"github.com/slack-go/slack"

	"atelier/adapters"
	"atelier/adapters/slack/api"
	"atelier/adapters/slack/convert"
)

// Whisperer shows texts to one person only. See https://docs.slack.dev/reference/methods/chat.postEphemeral.
type Whisperer struct{ Responder *Responder }

// Whisper shows a text to the person who pressed a button or reacted. In a channel without the bot, it does so at the response
// URL of the press.
func (w *Whisperer) Whisper(ctx context.Context, pressed adapters.Event, in adapters.Thread, text string) error {
	what := []slack.MsgOption{slack.MsgOptionText(convert.Escape.Replace(text), false)}
	if in.ID != "" {
		what = append(what, slack.MsgOptionTS(in.ID))
	}
	_, err := w.Responder.API.PostEphemeralContext(ctx, in.Channel, pressed.By.ID, what...)
	if !api.HasCode(err, "not_in_channel", "channel_not_found") {
		return api.Fault(err)
	}
	at, err := w.Responder.State.Get(ctx, respondKey(pressed.ID))
	if err != nil {
		return err
	}
	w.Responder.Whisper(ctx, in.Channel, string(at), text)
	return nil
}
