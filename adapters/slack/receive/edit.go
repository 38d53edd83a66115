package receive

import (
	"context"
	"slices"

	"atelier/adapters"
	"atelier/adapters/slack/convert"
	"atelier/adapters/slack/lookup"
)

// readEdit converts an edit of a message. Slack also sends such events for previews and new replies, which change
// neither text nor files.
func (r *Events) readEdit(ctx context.Context, self lookup.Self, h convert.Event) (e adapters.Event, ok bool, err error) {
	now, was := *h.Message, h.Previous
	now.Channel, now.ChannelType = h.Channel, h.ChannelType
	edited, ok := convert.ParseTime(h.EventTS)
	if !ok || !now.IsWritten() || was != nil && sameContent(now, *was) {
		return e, false, nil
	}
	mentions := func(h convert.Event) bool { return convert.Mentions(h.Text, self.User) }
	if !mentions(now) && (was == nil || !mentions(*was)) && !now.IsDirect() && (now.ThreadTS == "" || now.ThreadTS == now.TS) {
		return e, false, nil // it was never for the bot
	}
	if mentions(now) && !now.IsDirect() {
		r.Listener.mentions.readMessage("m-" + h.Channel + "-" + now.TS)
	}
	if e, ok, err = r.readWritten(ctx, self, now, true); err != nil || !ok {
		return e, false, err
	}
	if editor := now.Edited.User; editor != "" && editor != e.By.ID {
		e.By = r.People.Who(ctx, editor).Person
	}
	e.Message.Edited = &adapters.Edited{Event: "m-" + h.Channel + "-" + now.TS, At: e.At}
	e.Kind, e.At, e.ID = adapters.MessageEdited, edited, "e-"+h.Channel+"-"+now.TS+"-"+h.EventTS
	return e, true, nil
}

// sameContent reports whether two versions of a message have the same text and the same files.
func sameContent(a, b convert.Event) bool {
	return a.Text == b.Text && slices.EqualFunc(a.Files, b.Files, func(a, b convert.File) bool {
		return a.ID == b.ID && a.Mode == b.Mode
	})
}
