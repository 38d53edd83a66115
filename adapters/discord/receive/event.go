package receive

import (
	"cmp"
	"context"
	"net/http"
	"strconv"
	"time"

	"atelier/agent/sleep"

	"github.com/bwmarrin/discordgo"

	"atelier/adapters"
	"atelier/adapters/discord/api"
	"atelier/adapters/discord/convert"
	"atelier/adapters/lenient"
	"atelier/adapters/recent"
)

const (
	// reactionTimeout is the timeout of lookups for a reaction, and placeTimeout that of looking up the place of
	// an interaction.
	reactionTimeout = 10 * time.Second
	placeTimeout    = time.Second
	// saveEvery is the interval of saving the watermark, and saveRetry the pause after a failure.
	saveEvery, saveRetry = time.Second, time.Minute
)

// Events converts the events of the gateway to those of the adapter.
type Events struct {
	*session

	watermark    *watermark
	catchUp      *catchUp
	interactions *interactions
	ignored      recent.Set[string] // messages that are not delivered, and whose deletion is not either
	foreign      recent.Set[string] // messages that the bot did not write
	own          recent.Set[string] // messages that it wrote
	begun        bool               // whether there was a session before; read by the gateway's goroutine only
}

func newEvents(s *session, w *watermark) *Events {
	e := &Events{session: s, watermark: w, interactions: &interactions{session: s, requests: &requests{session: s}}}
	e.catchUp = newCatchUp(s, w, e.receiveMessage)
	return e
}

// Take accepts an event of the gateway. It never blocks.
func (es *Events) Take(d convert.Dispatch) {
	es.Places.Learn(d.Name, d.Data)
	switch d.Name {
	case "READY":
		read(es, d, es.begin)
	case "GUILD_CREATE":
		es.catchUp.enter(d.Data)
	case "GUILD_DELETE":
		es.catchUp.leave(d.Data)
	case "MESSAGE_CREATE":
		read(es, d, func(m *convert.Message) {
			m.Guild = es.guildOf(m.Guild, m.Channel)
			taken := es.watermark.begin(m)
			es.inOrder(m.Channel, func() { es.receiveMessage(es.ctx, m, taken) })
		})
	case "MESSAGE_UPDATE":
		read(es, d, func(m *convert.Message) {
			m.Guild = es.guildOf(m.Guild, m.Channel)
			es.inOrder(m.Channel, func() { es.receiveEdit(es.ctx, m, convert.IsWhole(d.Data)) })
		})
	case "MESSAGE_DELETE", "MESSAGE_DELETE_BULK":
		read(es, d, func(m *convert.Deletion) {
			if m.ID != "" {
				m.IDs = append(m.IDs, m.ID)
			}
			for _, id := range m.IDs {
				es.inOrder(m.Channel, func() { es.receiveDeletion(m, id) })
			}
		})
	case "MESSAGE_REACTION_ADD", "MESSAGE_REACTION_REMOVE":
		read(es, d, func(r *convert.Reaction) {
			es.inOrder(r.Channel, func() {
				ctx, stop := context.WithTimeout(es.ctx, reactionTimeout)
				defer stop()
				id := "r" + d.Session + "." + strconv.FormatInt(d.Sequence, 10) // reactions have no ids
				es.receiveReaction(ctx, r, id, d.Name == "MESSAGE_REACTION_ADD")
			})
		})
	case "INTERACTION_CREATE":
		read(es, d, func(i *convert.Interaction) { // it waits for no other event
			i.Guild = es.guildOf(i.Guild, i.Channel)
			es.work.Go(func() {
				ctx, stop := context.WithTimeout(es.ctx, placeTimeout)
				defer stop()
				es.interactions.receive(ctx, i)
			})
		})
	}
}

// read reads an event as far as possible. Fields of another type than expected are logged by name
// and skipped.
func read[T any](es *Events, d convert.Dispatch, take func(*T)) {
	v := new(T)
	odd, err := lenient.Unmarshal(d.Data, v)
	if err != nil {
		es.Log.Warn("an event of the gateway was not understood", "type", d.Name)
		return
	}
	if len(odd) > 0 {
		es.Log.Warn("fields of an event have an unexpected type and are ignored", "type", d.Name, "fields", odd)
	}
	take(v)
}

// guildOf returns the server of a channel, if an event leaves it out.
func (es *Events) guildOf(told, channel string) string {
	if c := es.Places.Known(channel); told == "" && c != nil {
		return c.Guild
	}
	return told
}

// ready is the first event of a session.
type ready struct {
	User        convert.User     `json:"user"`
	Application convert.Object   `json:"application"`
	Servers     []convert.Object `json:"guilds"`
}

// begin begins a session of the gateway.
func (es *Events) begin(r *ready) {
	if !es.begun {
		es.begun = true
		es.Identity.Learn(r.User.ID)
		es.watermark.resume(r.User.ID)
		es.work.Go(func() { es.register(cmp.Or(r.Application.ID, r.User.ID)) })
		es.work.Go(func() {
			for wait := saveEvery; sleep.For(es.ctx, wait) == nil; {
				wait = saveEvery
				if !es.watermark.save(es.ctx, r.User.ID) {
					wait = saveRetry
				}
			}
		})
	}
	es.catchUp.begin(r.Servers)
}

// receiveMessage passes a message to the handler. Taken is called when it was accepted, or is not for the bot.
func (es *Events) receiveMessage(ctx context.Context, m *convert.Message, taken func()) {
	if m.Author.ID == es.Identity.Known() {
		es.own.Add(m.ID)
		taken()
		return
	}
	es.foreign.Add(m.ID)
	if m.Webhook == "" {
		es.people.Learn(m.Author)
	}
	var e adapters.Event
	var ok bool
	if es.isPersons(m) {
		var err error
		e, ok, err = es.readMessage(ctx, m, false)
		if ctx.Err() != nil {
			return // not accepted
		}
		if err != nil {
			ok = false
			es.warnUnread(ctx, err)
		}
	}
	if !ok {
		es.ignored.Add(m.ID)
		taken()
		return
	}
	es.put(e, taken)
}

// readMessage converts a message, and reports whether it is for the bot. After an edit it may be for nobody. It
// fails if the context ends before Discord has answered the lookups, or Discord never will.
func (es *Events) readMessage(ctx context.Context, m *convert.Message, edited bool) (e adapters.Event, ok bool, _ error) {
	thread, within, err := es.Places.Thread(ctx, m.Guild, m.Channel, m.ID)
	if err == nil {
		err = es.texts.Complete(ctx, m)
	}
	if err != nil {
		return e, false, err
	}
	repliesTo := m.Referenced
	if m.Type != discordgo.MessageTypeReply {
		repliesTo = nil
	}
	w := adapters.Message{Ref: convert.Ref(m.Guild, m.Channel, m.ID), Order: convert.Order(m.ID), Files: m.Files(), Text: es.texts.Text(m)}
	switch {
	case es.texts.Mention(m):
		w.For = adapters.Mentioned
	case repliesTo != nil && repliesTo.Author.ID == es.Identity.Known():
		w.For = adapters.Replied
	case thread.Direct:
		w.For = adapters.Direct
	case within, edited:
		w.For = adapters.Overheard
	default:
		return e, false, nil
	}
	if repliesTo != nil {
		earlier := es.texts.Earlier(repliesTo, m.Guild, m.Channel)
		w.ReplyTo = &earlier
	}
	e = adapters.Event{Kind: adapters.MessageSent, ID: "m" + m.ID, Thread: thread, At: cmp.Or(m.At, convert.CreatedAt(m.ID)), Message: &w}
	if e.By, err = es.people.Author(ctx, m); err != nil {
		return e, false, err
	}
	if !edited && w.Text == "" && len(w.Files) == 0 && (w.ReplyTo == nil || w.For == adapters.Overheard) {
		if w.For != adapters.Mentioned {
			return e, false, nil // a sticker, or content that Discord does not let the bot read
		}
		e.Kind, e.Message, e.Command = adapters.CommandGiven, nil, &adapters.Command{Name: adapters.HelpCommand}
	}
	return e, true, nil
}

// receiveDeletion delivers the deletion of a message. Discord does not tell who deleted it.
func (es *Events) receiveDeletion(d *convert.Deletion, id string) {
	if es.ignored.Has(id) {
		return
	}
	thread, _, err := es.Places.Thread(es.ctx, d.Guild, d.Channel, id)
	if err != nil {
		return
	}
	on := convert.Ref(d.Guild, d.Channel, id)
	es.put(adapters.Event{Kind: adapters.CancelAsked, ID: "d" + id, Thread: thread, Cancel: &adapters.Cancel{On: on, Deleted: true}}, nil)
}

// receiveReaction delivers a reaction. On messages of others only a stop counts, to stop their requests.
func (es *Events) receiveReaction(ctx context.Context, r *convert.Reaction, id string, added bool) {
	self := es.Identity.Known()
	if r.User == self || r.Emoji.ID != "" {
		return
	}
	if r.Author != "" && r.Author != self {
		es.foreign.Add(r.Message)
	}
	e := adapters.Event{ID: id, By: adapters.Person{ID: r.User}}
	e, ok := adapters.Reacted(e, convert.Ref(r.Guild, r.Channel, r.Message), r.Emoji.Name, added)
	if !ok || es.foreign.Has(r.Message) && (e.Reaction != nil || es.ignored.Has(r.Message)) {
		return
	}
	if e.By, ok = es.people.Reactor(ctx, r); !ok {
		return
	}
	var err error
	if e.Thread, _, err = es.Places.Thread(ctx, r.Guild, r.Channel, r.Message); err != nil {
		return
	}
	if r.Guild != "" && e.Thread.ID == r.Message {
		e.Thread = adapters.Thread{} // it is in a channel: the message tells the thread
	}
	es.put(e, nil)
}

// register registers the commands, and retries until Discord accepts them.
func (es *Events) register(app string) {
	_ = es.API.Retry(es.ctx, func() (bool, error) { //nolint:errcheck // it is logged
		err := Register(es.ctx, es.API, es.Phrases, app)
		if err == nil || es.ctx.Err() != nil {
			return true, err
		}
		es.Log.Warn("the commands were not registered", "error", err)
		return api.IsUnknownMethod(err), err
	})
}

// Register registers the commands with Discord, unless it has them.
func Register(ctx context.Context, client *api.Client, p adapters.Phrases, app string) error {
	if !convert.IsID(app) {
		return nil
	}
	path, want := "applications/"+app+"/commands", convert.Commands(p)
	var have []convert.Command
	read := client.Get(ctx, path+"?with_localizations=true", &have)
	if read == nil && convert.SameCommands(have, want) {
		return nil
	}
	err := client.Call(ctx, http.MethodPut, path, want, nil)
	if !api.IsRefusedForm(err) {
		return err
	}
	have, want = convert.InServers(have), convert.InServers(want) // people may not install the application
	if read == nil && convert.SameCommands(have, want) {
		return nil
	}
	return client.Call(ctx, http.MethodPut, path, want, nil)
}
