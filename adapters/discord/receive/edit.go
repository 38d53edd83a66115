package receive

import (
	"context"
	"strconv"

	"atelier/adapters"
	"atelier/adapters/discord/convert"
)

// receiveEdit delivers the edit of a message. Discord also sends MESSAGE_UPDATE for previews and pins, and may
// leave out unchanged fields.
func (es *Events) receiveEdit(ctx context.Context, m *convert.Message, whole bool) {
	if m.EditedAt.IsZero() || es.own.Has(m.ID) {
		return // not an edit, or of the bot's own message
	}
	if !whole {
		var now convert.Message
		if err := es.API.Await(ctx, "channels/"+m.Channel+"/messages/"+m.ID, &now); err != nil {
			es.warnUnread(ctx, err)
			return
		}
		now.Guild, now.Channel = m.Guild, m.Channel
		m = &now // it may be a later edit, which then has the same event
	}
	if !es.isPersons(m) {
		return
	}
	e, ok, err := es.readMessage(ctx, m, true)
	if err != nil {
		es.warnUnread(ctx, err)
		return
	}
	if !ok || e.Message.For == adapters.Overheard && es.ignored.Has(m.ID) {
		return
	}
	es.ignored.Remove(m.ID)
	e.Message.Edited = &adapters.Edited{Event: e.ID, At: e.At}
	e.Kind, e.At, e.ID = adapters.MessageEdited, m.EditedAt, e.ID+"."+strconv.FormatInt(m.EditedAt.UnixMicro(), 10)
	es.put(e, nil)
}

func (es *Events) warnUnread(ctx context.Context, err error) {
	if ctx.Err() == nil {
		es.Log.WarnContext(ctx, "a message was not read", "error", err)
	}
}

// isPersons reports whether a person wrote a message.
func (es *Events) isPersons(m *convert.Message) bool {
	return m.Author.ID != es.Identity.Known() && !m.Author.Bot && !m.Author.System && m.Webhook == "" && m.IsWritten()
}
