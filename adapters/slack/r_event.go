package slack

import (
	"atelier/adapters"
	"atelier/adapters/lenient"
	"cmp"
	"context"
	"log/slog"
	"strings"
	"time"
)

// asking is how long after an event Slack may take to tell what that does not, such as a name.
const asking = 2 * time.Second

// EventReader turns Slack's events into those of the adapter.
type EventReader struct {
	Listener *Listener
	Identity *Identity
	People   *People
	Messages *Messages
	Log      *slog.Logger
	Now      func() time.Time
}

// Decode reads an event as far as it can be read. It is not ok where that is no event.
func (r *EventReader) Decode(payload []byte) (t told, ok bool) {
	odd, err := lenient.Unmarshal(payload, &t)
	tidy(&t.Event)
	if !t.isRead() {
		odd = nil
	}
	return t, isUnderstood(r.Log, odd, err)
}

// Receive puts what Slack tells into the inbox, and does not wait for what it lets Slack be asked
// for. It calls taken when that is the handler's, and soon where it means nothing to the bot.
func (r *EventReader) Receive(payload []byte, taken func()) {
	if t, ok := r.Decode(payload); ok {
		r.Enqueue(t, taken)
	} else {
		taken() // it would be no other the next time
	}
}

// Enqueue lets an event wait for its turn to be heard.
func (r *EventReader) Enqueue(t told, taken func()) {
	t.Event.EventTS = t.dated(r.Now())
	until := time.Now().Add(asking)
	r.Listener.InOrder(t.Event.lane(), func(ctx context.Context) {
		ctx, stop := context.WithDeadline(ctx, until)
		defer stop()
		r.process(ctx, t, taken)
	})
}

// process is hear, in its turn.
func (r *EventReader) process(ctx context.Context, t told, taken func()) {
	self, err := r.Identity.Self(ctx)
	if err != nil { // it comes again
		r.Log.WarnContext(ctx, "an event was not read", "error", err)
		return
	}
	e, ok, err := r.read(ctx, self, t.Event)
	if err != nil { // the same
		r.Log.WarnContext(ctx, "an event was not read", "error", fault(err))
		return
	}
	if !ok {
		taken()
		return
	}
	if kind := t.Event.Type; mentions(t.Event.Text, self.user) && !e.Thread.Direct && e.Cancel == nil && e.Reaction == nil {
		r.Listener.Put(ctx, e, func() {
			taken()
			r.Listener.mentions.came(e.ID, kind)
		})
		return
	}
	r.Listener.Put(ctx, e, taken)
}

// read makes an event of what Slack tells, if it means something to the bot.
func (r *EventReader) read(ctx context.Context, self Self, h happening) (e adapters.Event, ok bool, err error) {
	switch h.Type {
	case "message":
		return r.readMessage(ctx, self, h)
	case "app_mention":
		return r.readMention(ctx, self, h)
	case "reaction_added", "reaction_removed":
		return r.readReaction(ctx, self, h)
	case "tokens_revoked", "app_uninstalled":
		r.Listener.CheckToken() //nolint:contextcheck // it lasts as long as Listen
	}
	return e, false, nil
}

func (r *EventReader) readMessage(ctx context.Context, self Self, h happening) (e adapters.Event, ok bool, err error) {
	switch {
	case h.Subtype == "message_deleted":
		e, ok = readDeletion(self, h, h.DeletedTS)
		return e, ok, nil
	case h.Subtype == "message_changed" && h.Message != nil && h.Message.Subtype == "tombstone": // the root of a thread
		e, ok = readDeletion(self, h, h.Message.TS)
		return e, ok, nil
	case h.Subtype == "message_changed" && h.Message != nil && h.Previous != nil &&
		mentions(h.Message.Text, self.user) && !mentions(h.Previous.Text, self.user):
		now := *h.Message
		now.Channel, now.ChannelType = h.Channel, h.ChannelType
		if now.isWritten() && !now.direct() { // what was edited is asked for only now
			r.Listener.mentions.told("m-" + h.Channel + "-" + now.TS)
			return r.readWritten(ctx, self, now)
		}
		return e, false, nil
	case !h.isWritten():
		return e, false, nil
	}
	r.Listener.mentions.told("m-" + h.Channel + "-" + h.TS)
	return r.readWritten(ctx, self, h)
}

// readMention reads the other event of a mention, which may lack the files of its message.
func (r *EventReader) readMention(ctx context.Context, self Self, h happening) (e adapters.Event, ok bool, err error) {
	if len(h.Files) > 0 || r.Listener.mentions.wasTold("m-"+h.Channel+"-"+h.TS) {
		return r.readWritten(ctx, self, h)
	}
	m, err := r.Messages.Find(ctx, h.Channel, cmp.Or(h.ThreadTS, h.TS), h.TS)
	switch {
	case err == nil:
		h.Files = m.Files
	case !adapters.Final(err): // it comes again, and its message does
		return e, false, err
	}
	return r.readWritten(ctx, self, h)
}

// readWritten reads what somebody wrote.
func (r *EventReader) readWritten(ctx context.Context, self Self, h happening) (_ adapters.Event, ok bool, _ error) {
	var none adapters.Event
	at, ok := moment(h.TS)
	user, channel := h.User, h.Channel
	if !ok || user == "" || user == self.user || h.BotID != "" || h.Subtype == "bot_message" {
		return none, false, nil
	}
	thread := place(self.team, channel, h.ChannelType, h.TS, h.ThreadTS)
	mentioned := mentions(h.Text, self.user)
	if !mentioned && !thread.Direct && h.ThreadTS == "" {
		return none, false, nil
	}
	by := r.People.Who(ctx, user) // a message of a bot's says that it is
	if by.bot {
		return none, false, nil
	}
	e := adapters.Event{Kind: adapters.MessageSent, ID: "m-" + channel + "-" + h.TS, Adapter: Name, Thread: thread, By: by.Person, At: at}
	m := &adapters.Message{Ref: address(self.team, channel, h.TS), Order: at.UnixMicro(), For: adapters.Overheard}
	m.Text, m.Files = r.Messages.Text(ctx, self, h.Text), r.Messages.Files(ctx, h.Files)
	m.ReplyTo = r.forwarded(ctx, self, m.Ref, h)
	switch {
	case mentioned:
		m.For = adapters.Mentioned
	case thread.Direct:
		m.For = adapters.Direct
	default: // the mention that an edit adds is another event
		e.ID = "o-" + channel + "-" + h.TS
	}
	if m.Text == "" && len(m.Files) == 0 && m.ReplyTo == nil {
		e.Kind, e.Command = adapters.CommandGiven, &adapters.Command{Name: "help"}
		return e, mentioned, nil
	}
	e.Message = m
	return e, true, nil
}

// forwarded gives what somebody forwards with a message, nil where that is nothing.
func (r *EventReader) forwarded(ctx context.Context, self Self, at adapters.MessageRef, h happening) *adapters.Earlier {
	var e *adapters.Earlier
	for _, a := range h.Attachments {
		if !a.IsShare || a.Text == "" && len(a.Files) == 0 {
			continue
		}
		if e == nil {
			by := r.People.Who(ctx, cmp.Or(a.Author, "unknown"))
			e = &adapters.Earlier{Ref: at, By: by.Person, Own: a.Author == self.user}
			if sent, ok := moment(a.TS); ok && isID(a.Channel) {
				e.Ref, e.At = address(self.team, a.Channel, a.TS), sent
			}
		}
		e.Text = cutBytes(strings.TrimSpace(e.Text+"\n"+r.Messages.Text(ctx, self, a.Text)), adapters.MaxText)
		files := append(e.Files, r.Messages.Files(ctx, a.Files)...) //nolint:gocritic // both are ours
		e.Files = files[:min(len(files), adapters.MaxFiles)]
	}
	return e
}

// readReaction reads that somebody reacted to a message. Slack does not tell its thread.
func (r *EventReader) readReaction(ctx context.Context, self Self, h happening) (e adapters.Event, ok bool, err error) {
	at, ok := moment(h.EventTS)
	sign, user := emoji(h.Reaction), h.User
	if !ok || sign == "" || user == "" || user == self.user || h.Item.Type != "message" {
		return e, false, nil
	}
	by, err := r.People.Lookup(ctx, user)
	if err != nil && !adapters.Final(err) { // it may be a bot's: it comes again
		return e, false, err
	}
	if by.bot {
		return e, false, nil
	}
	added := h.Type == "reaction_added"
	e = adapters.Event{ID: "r-" + h.Item.Channel + "-" + h.Item.TS + "-" + user + "-" + h.EventTS, Adapter: Name, By: by.Person, At: at}
	if !added {
		e.ID += "-off"
	}
	e, ok = adapters.Reacted(e, address(self.team, h.Item.Channel, h.Item.TS), sign, added)
	return e, ok, nil
}

// readDeletion reads that a message is gone. Slack does not tell who deleted it.
func readDeletion(self Self, h happening, ts string) (adapters.Event, bool) {
	at, ok := moment(cmp.Or(h.EventTS, h.TS))
	_, named := moment(ts)
	was := h.Previous
	if !ok || !named || was != nil && (was.BotID != "" || was.User == self.user || was.Subtype == "bot_message") {
		return adapters.Event{}, false
	}
	channel, root := h.Channel, ""
	if was != nil {
		root = was.ThreadTS
	}
	return adapters.Event{
		Kind: adapters.CancelAsked, ID: "d-" + channel + "-" + ts, Adapter: Name, At: at,
		Thread: place(self.team, channel, h.ChannelType, ts, root),
		Cancel: &adapters.Cancel{On: address(self.team, channel, ts), Deleted: true},
	}, true
}

// Decode reads what Slack sent as far as possible, and reports whether it could. Fields of
// another type than expected are logged by name and skipped.
func Decode(log *slog.Logger, data []byte, v any) bool {
	odd, err := lenient.Unmarshal(data, v)
	return isUnderstood(log, odd, err)
}

// isUnderstood tells whether what Slack told was read, and logs the names of what is odd in it.
func isUnderstood(log *slog.Logger, odd []string, err error) bool {
	if err != nil {
		log.Warn("what Slack told was not understood")
	} else if len(odd) > 0 {
		log.Warn("fields of what Slack told are of an unexpected type: they are passed over", "fields", odd)
	}
	return err == nil
}
