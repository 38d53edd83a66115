package receive

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/bwmarrin/discordgo"

	"atelier/adapters"
	"atelier/adapters/discord/api"
	"atelier/adapters/discord/convert"
	"atelier/adapters/discord/post"
)

const (
	maxTargets = 200
	targetFor  = 15 * time.Minute
)

// targets remembers the messages from whose menus forms were opened: Discord sends them with the menu, but not
// with the form.
type targets struct {
	mu  sync.Mutex
	all []target // the oldest first
}

type target struct {
	message convert.Message
	until   time.Time
}

func (ts *targets) put(m convert.Message, now time.Time) {
	ts.mu.Lock()
	defer ts.mu.Unlock()
	ts.all = append(ts.all, target{m, now.Add(targetFor)})
	for len(ts.all) > maxTargets || now.After(ts.all[0].until) {
		ts.all = ts.all[1:]
	}
}

func (ts *targets) get(id string, now time.Time) (convert.Message, bool) {
	ts.mu.Lock()
	defer ts.mu.Unlock()
	for _, one := range slices.Backward(ts.all) {
		if one.message.ID == id && !now.After(one.until) {
			return one.message, true
		}
	}
	return convert.Message{}, false
}

// requests handles requests without a message, by a command or by a form about a message.
type requests struct {
	*session

	targets targets
}

// openAbout opens the form that asks what to do with a message.
func (rq *requests) openAbout(i *convert.Interaction) {
	m, ok := i.Data.Resolved.Messages[i.Data.Target]
	if ok && m.ID != "" {
		rq.targets.put(m, rq.Now())
	}
	m.ID, m.Guild, m.Content = i.Data.Target, i.Guild, rq.texts.Text(&m)
	rq.open(i, &m)
}

// open opens a form, in an older format if the server rejects the current one.
func (rq *requests) open(i *convert.Interaction, about *convert.Message) {
	f := convert.RequestForm(rq.Phrases, i.Locale, about)
	if _, err := rq.Responder.Respond(rq.ctx, i, discordgo.InteractionResponseModal, f); api.IsRefusedForm(err) {
		rq.Responder.Confirm(rq.ctx, i, discordgo.InteractionResponseModal, f.Old())
	}
}

// submit handles a form. The request is about the message as it is now, or, if Discord does not tell, as it was
// when the form was opened.
func (rq *requests) submit(i *convert.Interaction, e adapters.Event) {
	id, ok := strings.CutPrefix(i.Data.ID, convert.FormPrefix)
	text := strings.TrimSpace(convert.Typed(i.Data.Components))
	if !ok || text == "" {
		return
	}
	files := i.Attached()
	if id == "" {
		rq.ask(i, e, text, files, nil)
		return
	}
	if !convert.IsID(id) {
		return
	}
	ctx, stop := context.WithTimeout(rq.ctx, post.AcknowledgeTimeout/2)
	defer stop()
	var m convert.Message
	_, err := rq.Identity.ID(ctx)
	if err == nil {
		err = rq.API.Get(ctx, "channels/"+i.Channel+"/messages/"+id, &m)
	}
	if err != nil {
		rq.Log.WarnContext(ctx, "the message of a form was not read", "error", err)
	}
	if errors.Is(err, adapters.ErrGone) {
		rq.Responder.Whisper(rq.ctx, i, rq.Phrases.Say(i.Locale, "The message no longer exists."))
		return
	}
	if err != nil {
		if m, ok = rq.targets.get(id, rq.Now()); !ok {
			rq.Responder.Whisper(rq.ctx, i, rq.Phrases.Say(i.Locale, "I cannot read this message on Discord at the moment. Please try again."))
			return
		}
	}
	to := rq.texts.Earlier(&m, i.Guild, i.Channel)
	rq.ask(i, e, text, files, &to)
}

// ask posts a request publicly, and delivers it as that message. If the message cannot be found, the person is
// told.
func (rq *requests) ask(i *convert.Interaction, e adapters.Event, text string, files []adapters.File, about *adapters.Earlier) {
	shown := convert.Request(text, files)
	id, err := rq.Responder.Respond(rq.ctx, i, discordgo.InteractionResponseChannelMessageWithSource, shown)
	if err != nil && adapters.Final(err) {
		return // it is not shown
	}
	if id == "" {
		if id, err = rq.Responder.Original(rq.ctx, i); err != nil {
			rq.Log.WarnContext(rq.ctx, "the message of a request was not found", "error", err)
			if !errors.Is(err, adapters.ErrGone) {
				rq.excuse(i, shown)
			}
			return
		}
	}
	if e.Thread.ID == "" && !e.Thread.Direct {
		e.Thread.ID = id
	}
	ref := convert.Ref(i.Guild, i.Channel, id)
	if i.IsGuest() {
		if err := rq.Guests.Enter(rq.ctx, e.Thread, ref, i); err != nil {
			rq.Log.WarnContext(rq.ctx, "a request is lost", "error", err)
			rq.excuse(i, shown)
			return
		}
	}
	e.Kind = adapters.MessageSent
	e.Message = &adapters.Message{
		Ref: ref, Order: convert.Order(id), For: adapters.Mentioned, Text: adapters.Cut(text, adapters.MaxText),
		Files: files, ReplyTo: about,
	}
	rq.put(e, nil)
}

// excuse adds to a shown request that it is lost.
func (rq *requests) excuse(i *convert.Interaction, shown convert.Content) {
	shown = convert.Excuse(shown, rq.Phrases.Say(i.Locale, "Your request did not get through. Please ask again."))
	if err := rq.Responder.EditOriginal(rq.ctx, i, shown); err != nil {
		rq.Log.WarnContext(rq.ctx, "nobody could be told that a request is lost", "error", err)
	}
}
