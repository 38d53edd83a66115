package slack

import (
	"context"
	"encoding/json"
	"time"

	"github.com/slack-go/slack"

	"atelier/adapters"
)

// asking is how long Slack may take to tell what an event does not, such as a name.
const asking = 2 * time.Second

// hear puts what Slack tells into the inbox. It calls taken when that is the handler's, and
// at once where it means nothing to the bot.
func (s *Slack) hear(ctx context.Context, payload []byte, taken func()) {
	var t told
	if err := json.Unmarshal(payload, &t); err != nil {
		s.config.Log.WarnContext(ctx, "an event of Slack's was not understood")
		taken()
		return
	}
	s.order.Lock() // the next one waits, so that they stay in their order
	defer s.order.Unlock()
	self, err := s.me(ctx)
	if err != nil { // it comes again
		s.config.Log.WarnContext(ctx, "an event was not read", "error", err)
		return
	}
	ctx, stop := context.WithTimeout(ctx, asking)
	defer stop()
	e, ok := s.read(ctx, self, t.Event)
	if !ok {
		taken()
		return
	}
	if kind := t.Event.Type; mentions(t.Event.Text, self.user) && !e.Thread.Direct && e.Cancel == nil && e.Reaction == nil {
		s.put(ctx, e, func() {
			taken()
			s.twins.came(e.ID, kind)
		})
		return
	}
	s.put(ctx, e, taken)
}

// read makes an event of what Slack tells, if it means something to the bot.
func (s *Slack) read(ctx context.Context, self account, h happening) (adapters.Event, bool) {
	switch h.Type {
	case "message":
		return s.readMessage(ctx, self, h)
	case "app_mention":
		return s.readWritten(ctx, self, h)
	case "reaction_added", "reaction_removed":
		return s.readReaction(ctx, self, h)
	case "tokens_revoked", "app_uninstalled":
		s.doubt() //nolint:contextcheck // it lasts as long as Listen
	}
	return adapters.Event{}, false
}

func (s *Slack) readMessage(ctx context.Context, self account, h happening) (adapters.Event, bool) {
	switch {
	case h.Subtype == "message_deleted":
		return readDeletion(self, h, h.DeletedTS)
	case h.Subtype == "message_changed" && h.Message != nil && h.Message.Subtype == "tombstone": // the root of a thread
		return readDeletion(self, h, h.Message.TS)
	case h.Subtype != "" && h.Subtype != "file_share" && h.Subtype != "thread_broadcast":
		return adapters.Event{}, false
	}
	return s.readWritten(ctx, self, h)
}

// readWritten reads what somebody wrote.
func (s *Slack) readWritten(ctx context.Context, self account, h happening) (adapters.Event, bool) {
	var none adapters.Event
	at, ok := moment(h.TS)
	user, channel := string(h.User), string(h.Channel)
	if !ok || user == "" || user == self.user || h.BotID != "" || h.Subtype == "bot_message" {
		return none, false
	}
	thread := place(self.team, channel, h.ChannelType, h.TS, h.ThreadTS)
	mentioned := mentions(h.Text, self.user)
	if !mentioned && !thread.Direct && h.ThreadTS == "" {
		return none, false
	}
	by := s.people.user(ctx, user)
	if by.bot {
		return none, false
	}
	e := adapters.Event{Kind: adapters.MessageSent, ID: "m-" + channel + "-" + h.TS, Adapter: Name, Thread: thread, By: by.Person, At: at}
	m := &adapters.Message{Ref: address(self.team, channel, h.TS), Order: at.UnixMicro(), For: adapters.Overheard}
	m.Text, m.Files = readText(h.Text, self.user, s.names(ctx)), s.files(ctx, h.Files)
	switch {
	case mentioned:
		m.For = adapters.Mentioned
	case thread.Direct:
		m.For = adapters.Direct
	}
	if m.Text == "" && len(m.Files) == 0 {
		e.Kind, e.Command = adapters.CommandGiven, &adapters.Command{Name: "help"}
		return e, mentioned
	}
	e.Message = m
	return e, true
}

// names looks names up.
func (s *Slack) names(ctx context.Context) names {
	return names{
		user: func(id string) string { return s.people.user(ctx, id).Name },
		room: func(id string) string { return s.people.room(ctx, id) },
	}
}

// files reads the files of a message. Of those of other workspaces it asks what they are.
func (s *Slack) files(ctx context.Context, files []slack.File) []adapters.File {
	for i, f := range files {
		if f.FileAccess != stub || !isID(f.ID) {
			continue
		}
		if whole, _, _, err := s.api.GetFileInfoContext(ctx, f.ID, 0, 0); err == nil {
			files[i] = *whole
		}
	}
	return readFiles(files)
}

// readDeletion reads that a message is gone. Slack does not tell who deleted it.
func readDeletion(self account, h happening, ts string) (adapters.Event, bool) {
	at, ok := moment(first(h.EventTS, h.TS))
	_, named := moment(ts)
	was := h.Previous
	if !ok || !named || was != nil && (was.BotID != "" || string(was.User) == self.user || was.Subtype == "bot_message") {
		return adapters.Event{}, false
	}
	channel, root := string(h.Channel), ""
	if was != nil {
		root = was.ThreadTS
	}
	return adapters.Event{
		Kind: adapters.CancelAsked, ID: "d-" + channel + "-" + ts, Adapter: Name, At: at,
		Thread: place(self.team, channel, h.ChannelType, ts, root),
		Cancel: &adapters.Cancel{On: address(self.team, channel, ts), Deleted: true},
	}, true
}

// readReaction reads that somebody reacted to a message. Slack does not tell its thread.
func (s *Slack) readReaction(ctx context.Context, self account, h happening) (adapters.Event, bool) {
	at, ok := moment(h.EventTS)
	sign, user := emoji(h.Reaction), string(h.User)
	if !ok || sign == "" || user == "" || user == self.user || h.Item.Type != "message" {
		return adapters.Event{}, false
	}
	by := s.people.user(ctx, user)
	if by.bot {
		return adapters.Event{}, false
	}
	added := h.Type == "reaction_added"
	e := adapters.Event{ID: "r-" + h.Item.Channel + "-" + h.Item.TS + "-" + user + "-" + h.EventTS, Adapter: Name, By: by.Person, At: at}
	if !added {
		e.ID += "-off"
	}
	return adapters.Reacted(e, address(self.team, h.Item.Channel, h.Item.TS), sign, added)
}
