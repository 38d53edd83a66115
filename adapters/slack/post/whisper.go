package post

import (
	"context"

	"github.com/slack-go/slack"

	"atelier/adapters"
	"atelier/adapters/slack/api"
	"atelier/adapters/slack/convert"
)

// Whisperer shows texts to one person only. See https://docs.slack.dev/reference/methods/chat.postEphemeral.
type Whisperer struct{ API *api.Client }

// Whisper shows a text to the person who pressed a button or reacted.
func (w *Whisperer) Whisper(ctx context.Context, pressed adapters.Event, in adapters.Thread, text string) error {
	what := []slack.MsgOption{slack.MsgOptionText(convert.Escape.Replace(text), false)}
	if in.ID != "" {
		what = append(what, slack.MsgOptionTS(in.ID))
	}
	_, err := w.API.PostEphemeralContext(ctx, in.Channel, pressed.By.ID, what...)
	return api.Fault(err)
}
