// Package receive converts what Slack sends to events of the adapter, and queues them for the handler.
//
//   - [Listener] runs while somebody listens. It keeps the events of a thread in order, confirms each
//     when the handler has accepted it, and waits for background work at the end.
//   - [Events] handles messages, mentions and reactions. A mention arrives as two events, which are paired.
//   - [Interactions] handles buttons ([Buttons]) and dialogs ([Shortcuts]), and [Commands] slash
//     commands. Requests without a message are posted publicly ([Requests]).
//
// It does not know how events arrive: see package connect.
package receive

import (
	"cmp"
	"context"
	"log/slog"
	"slices"
	"strings"
	"time"

	"atelier/adapters"
	"atelier/adapters/lenient"
	"atelier/adapters/recent"
	"atelier/adapters/slack/api"
	"atelier/adapters/slack/convert"
	"atelier/adapters/slack/lookup"
	"atelier/adapters/slack/post"
)

// lookupTimeout is the timeout for looking up what an event lacks, such as a name.
const lookupTimeout = 2 * time.Second

// maxStreams is how many streams of a stopped thread are looked up.
const maxStreams = 10

// Events converts Slack's events to those of the adapter.
type Events struct {
	Listener *Listener
	Identity *lookup.Identity
	People   *lookup.People
	Messages *lookup.Messages
	Home     *post.Home
	Prompts  *post.Prompts
	Log      *slog.Logger
	Now      func() time.Time

	opened recent.Map[string, time.Time] // when a person's tab was last refreshed
}

// The minimum time between two refreshes of a home tab, and of the suggestions.
const (
	homeLasts    = time.Minute
	promptsLasts = time.Hour
)

// Decode parses an event as far as possible. It returns false if the payload is not an event.
func (r *Events) Decode(payload []byte) (t convert.Envelope, ok bool) {
	odd, err := lenient.Unmarshal(payload, &t)
	convert.Clean(&t.Event)
	if !t.IsKnown() {
		odd = nil
	}
	return t, isUnderstood(r.Log, odd, err)
}

// Receive queues an event without waiting for it. It calls confirm when the handler has accepted the event, or
// soon if the event means nothing to the bot.
func (r *Events) Receive(payload []byte, confirm func()) {
	if t, ok := r.Decode(payload); ok {
		r.Enqueue(t, confirm)
	} else {
		confirm() // a repetition would not help
	}
}

// Enqueue queues an event behind the earlier ones of its thread.
func (r *Events) Enqueue(t convert.Envelope, confirm func()) {
	t.Event.EventTS = t.Timestamp(r.Now())
	until := time.Now().Add(lookupTimeout)
	r.Listener.InOrder(t.Event.Lane(), func(ctx context.Context) {
		ctx, stop := context.WithDeadline(ctx, until)
		defer stop()
		r.process(ctx, t, confirm)
	})
}

// process passes an event to the handler. An event that cannot be read now is not confirmed, so that Slack repeats
// it.
func (r *Events) process(ctx context.Context, t convert.Envelope, confirm func()) {
	self, err := r.Identity.Self(ctx)
	if err != nil {
		r.Log.WarnContext(ctx, "an event was not read", "error", err)
		return
	}
	if t.Event.Type == convert.SessionStopped {
		r.stop(ctx, self, t.Event, confirm)
		return
	}
	e, ok, err := r.read(ctx, self, t.Event)
	if err != nil {
		r.Log.WarnContext(ctx, "an event was not read", "error", api.Fault(err))
		return
	}
	if !ok {
		confirm()
		return
	}
	if kind := t.Event.Type; convert.Mentions(t.Event.Text, self.User) && !e.Thread.Direct && e.Cancel == nil && e.Reaction == nil {
		r.Listener.Put(ctx, e, func() {
			confirm()
			r.Listener.mentions.taken(e.ID, kind)
		})
		return
	}
	r.Listener.Put(ctx, e, confirm)
}

// read converts an event, and reports whether it means something to the bot.
func (r *Events) read(ctx context.Context, self lookup.Self, h convert.Event) (e adapters.Event, ok bool, err error) {
	switch h.Type {
	case "message":
		return r.readMessage(ctx, self, h)
	case "app_mention":
		return r.readMention(ctx, self, h)
	case "reaction_added", "reaction_removed":
		return r.readReaction(ctx, self, h)
	case convert.HomeOpened:
		e, ok = r.readOpened(ctx, self, h)
	case "tokens_revoked", "app_uninstalled":
		r.Listener.CheckToken() //nolint:contextcheck // it lasts as long as Run
	}
	return e, ok, nil
}

// stop handles Slack's own stop button in a thread: it sends one event for each stream that was stopped, or else one for the person's latest request there.
func (r *Events) stop(ctx context.Context, self lookup.Self, h convert.Event, confirm func()) {
	at, ok := convert.ParseTime(h.EventTS)
	by := r.People.Who(ctx, h.User)
	if !ok || !convert.IsID(h.User) || !convert.IsID(h.Channel) || by.Bot {
		confirm()
		return
	}
	e := adapters.Event{
		Kind: adapters.CancelAsked, Adapter: convert.Name, By: by.Person, At: at,
		Thread: convert.Thread(self.Team, h.Channel, h.ChannelType, h.ThreadTS, h.ThreadTS),
	}
	var stopped []adapters.MessageRef
	for _, ts := range h.Streams[:min(len(h.Streams), maxStreams)] {
		if _, ok := convert.ParseTime(ts); ok {
			stopped = append(stopped, convert.Ref(self.Team, h.Channel, ts))
		}
	}
	if len(stopped) == 0 {
		if e.Thread.Direct { // direct requests are not in a thread
			e.Thread.ID = ""
		}
		stopped = append(stopped, adapters.MessageRef{})
	}
	for i, on := range stopped {
		e.ID, e.Cancel = "s-"+h.Channel+"-"+on.ID+"-"+h.User+"-"+h.EventTS, &adapters.Cancel{On: on}
		if i == len(stopped)-1 {
			r.Listener.Put(ctx, e, confirm)
		} else {
			r.Listener.Put(ctx, e, nil)
		}
	}
}

// readOpened converts the opening of the home tab or of the conversation with the bot to a command, whose answer
// is shown there.
func (r *Events) readOpened(ctx context.Context, self lookup.Self, h convert.Event) (e adapters.Event, ok bool) {
	at, ok := convert.ParseTime(h.EventTS)
	if !ok || !convert.IsID(h.User) || !convert.IsID(h.Channel) {
		return e, false
	}
	command, id, lasts := adapters.HomeCommand, convert.HomeEvent(h.User, h.EventTS), homeLasts
	switch {
	case h.Tab == "home" && !r.Home.IsOff():
	case h.Tab == "messages" && !r.Prompts.IsOff(h.Channel):
		command, id, lasts = adapters.PromptsCommand, convert.PromptsEvent(h.Channel, h.EventTS), promptsLasts
	default:
		return e, false
	}
	tab := h.User + " " + h.Tab
	if last, known := r.opened.Get(tab); known && r.Now().Sub(last) < lasts {
		return e, false
	}
	r.opened.Put(tab, r.Now())
	return adapters.Event{
		Kind: adapters.CommandGiven, ID: id, Adapter: convert.Name, By: r.People.Who(ctx, h.User).Person, At: at,
		Thread: convert.Thread(self.Team, h.Channel, "im", "", ""), Command: &adapters.Command{Name: command},
	}, true
}

func (r *Events) readMessage(ctx context.Context, self lookup.Self, h convert.Event) (e adapters.Event, ok bool, err error) {
	switch {
	case h.Subtype == "message_deleted":
		e, ok = readDeletion(self, h, h.DeletedTS)
		return e, ok, nil
	case h.Subtype == "message_changed" && h.Message != nil && h.Message.Subtype == "tombstone": // the root of a thread
		e, ok = readDeletion(self, h, h.Message.TS)
		return e, ok, nil
	case h.Subtype == "message_changed" && h.Message != nil:
		return r.readEdit(ctx, self, h)
	case !h.IsWritten():
		return e, false, nil
	}
	r.Listener.mentions.readMessage("m-" + h.Channel + "-" + h.TS)
	return r.readWritten(ctx, self, h, false)
}

// readMention converts the mention event of a message, which may lack the message's files. Slack repeats it for
// each edit, of which the message event tells more.
func (r *Events) readMention(ctx context.Context, self lookup.Self, h convert.Event) (e adapters.Event, ok bool, err error) {
	if h.Edited.User != "" && r.Listener.mentions.hasMessage("m-"+h.Channel+"-"+h.TS) {
		return e, false, nil
	}
	if len(h.Files) > 0 || r.Listener.mentions.hasMessage("m-"+h.Channel+"-"+h.TS) {
		return r.readWritten(ctx, self, h, false)
	}
	m, err := r.Messages.Find(ctx, h.Channel, cmp.Or(h.ThreadTS, h.TS), h.TS)
	switch {
	case err == nil:
		h.Files = m.Files
	case !adapters.Final(err): // Slack repeats both events
		return e, false, err
	}
	return r.readWritten(ctx, self, h, false)
}

// readWritten converts a written message. After an edit it may be for nobody.
func (r *Events) readWritten(ctx context.Context, self lookup.Self, h convert.Event, edited bool) (_ adapters.Event, ok bool, _ error) {
	var none adapters.Event
	at, ok := convert.ParseTime(h.TS)
	user, channel := h.User, h.Channel
	if !ok || user == "" || user == self.User || h.BotID != "" || h.Subtype == "bot_message" {
		return none, false, nil
	}
	thread := convert.Thread(self.Team, channel, h.ChannelType, h.TS, h.ThreadTS)
	mentioned := convert.Mentions(h.Text, self.User)
	if !mentioned && !thread.Direct && h.ThreadTS == "" && !edited {
		return none, false, nil
	}
	by := r.People.Who(ctx, user) // bots' messages are marked, so a name that is not known is a person's
	if by.Bot {
		return none, false, nil
	}
	e := adapters.Event{Kind: adapters.MessageSent, ID: "m-" + channel + "-" + h.TS, Adapter: convert.Name, Thread: thread, By: by.Person, At: at}
	m := &adapters.Message{Ref: convert.Ref(self.Team, channel, h.TS), Order: at.UnixMicro(), For: adapters.Overheard}
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
	if m.Text == "" && len(m.Files) == 0 && m.ReplyTo == nil && !edited {
		e.Kind, e.Command = adapters.CommandGiven, &adapters.Command{Name: adapters.HelpCommand}
		return e, mentioned, nil
	}
	e.Message = m
	return e, true, nil
}

// forwarded returns the message that is forwarded with another one, or nil.
func (r *Events) forwarded(ctx context.Context, self lookup.Self, at adapters.MessageRef, h convert.Event) *adapters.Earlier {
	var e *adapters.Earlier
	for _, a := range h.Attachments {
		if !a.IsShare || a.Text == "" && len(a.Files) == 0 {
			continue
		}
		if e == nil {
			by := r.People.Who(ctx, cmp.Or(a.Author, "unknown"))
			e = &adapters.Earlier{Ref: at, By: by.Person, Own: a.Author == self.User}
			if sent, ok := convert.ParseTime(a.TS); ok && convert.IsID(a.Channel) {
				e.Ref, e.At = convert.Ref(self.Team, a.Channel, a.TS), sent
			}
		}
		e.Text = adapters.Cut(strings.TrimSpace(e.Text+"\n"+r.Messages.Text(ctx, self, a.Text)), adapters.MaxText)
		files := append(e.Files, r.Messages.Files(ctx, a.Files)...) //nolint:gocritic // both are ours
		e.Files = files[:min(len(files), adapters.MaxFiles)]
	}
	return e
}

// readReaction converts a reaction. Slack does not tell the message's thread.
func (r *Events) readReaction(ctx context.Context, self lookup.Self, h convert.Event) (e adapters.Event, ok bool, err error) {
	at, ok := convert.ParseTime(h.EventTS)
	sign, user := convert.Emoji(h.Reaction), h.User
	if !ok || sign == "" || user == "" || user == self.User || h.Item.Type != "message" {
		return e, false, nil
	}
	by, err := r.People.Lookup(ctx, user)
	if err != nil && !adapters.Final(err) { // it may be a bot's; Slack repeats it
		return e, false, err
	}
	if by.Bot {
		return e, false, nil
	}
	added := h.Type == "reaction_added"
	e = adapters.Event{ID: "r-" + h.Item.Channel + "-" + h.Item.TS + "-" + user + "-" + h.EventTS, Adapter: convert.Name, By: by.Person, At: at}
	if !added {
		e.ID += "-off"
	}
	e, ok = adapters.Reacted(e, convert.Ref(self.Team, h.Item.Channel, h.Item.TS), sign, added)
	return e, ok, nil
}

// readDeletion converts the deletion of a message. Slack does not tell who deleted it.
func readDeletion(self lookup.Self, h convert.Event, ts string) (adapters.Event, bool) {
	at, ok := convert.ParseTime(cmp.Or(h.EventTS, h.TS))
	_, named := convert.ParseTime(ts)
	was := h.Previous
	if !ok || !named || was != nil && was.User != self.User && (was.BotID != "" || was.Subtype == "bot_message") {
		return adapters.Event{}, false
	}
	channel, root := h.Channel, ""
	if was != nil {
		root = was.ThreadTS
	}
	return adapters.Event{
		Kind: adapters.CancelAsked, ID: "d-" + channel + "-" + ts, Adapter: convert.Name, At: at,
		Thread: convert.Thread(self.Team, channel, h.ChannelType, ts, root),
		Cancel: &adapters.Cancel{On: convert.Ref(self.Team, channel, ts), Deleted: true},
	}, true
}

// Decode parses what Slack sent as far as possible, and reports whether it could. Fields of an unexpected type are
// logged by name and skipped.
func Decode(log *slog.Logger, data []byte, v any) bool {
	odd, err := lenient.Unmarshal(data, v)
	return isUnderstood(log, odd, err)
}

// isUnderstood reports whether a payload was parsed, and logs the names of unexpected fields.
func isUnderstood(log *slog.Logger, odd []string, err error) bool {
	if err != nil {
		log.Warn("a payload from Slack was not understood")
	} else if len(odd) > 0 {
		log.Warn("fields of a payload from Slack have an unexpected type and are ignored", "fields", odd)
	}
	return err == nil
}

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
