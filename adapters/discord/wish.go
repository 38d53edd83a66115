package discord

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"time"

	"atelier/adapters"
)

// tokenLasts is how long Discord takes what is said to an interaction, less some time for the
// way.
const tokenLasts = 14 * time.Minute

// understand reads what somebody wrote in a command or a form as messages are read. It is
// called where what is known of the server may be looked at.
func (h *hearer) understand(i *interaction) {
	by := *i.by()
	by.Member = i.Member
	m := &message{Guild: i.Guild, Mentions: []user{by}}
	for id, u := range i.Data.Resolved.Users {
		u.ID, u.Member = id, i.Data.Resolved.Members[id]
		m.Mentions = append(m.Mentions, u)
	}
	n := h.names(m)
	for _, sub := range i.Data.Options {
		for k, o := range sub.Options {
			if text, ok := o.Value.(string); ok && o.Name == optionWish {
				sub.Options[k].Value = n.read(text)
			}
		}
	}
	n.readForm(i.Data.Components)
}

func (n names) readForm(all []input) {
	for k := range all {
		if all[k].ID == modalWish {
			all[k].Value = n.read(all[k].Value)
		}
		n.readForm(all[k].Components)
		if one := all[k].Component; one != nil && one.ID == modalWish {
			one.Value = n.read(one.Value)
		}
	}
}

// asked hears a wish that no message holds: the wish is shown in the channel, and that
// message is the request. Where it cannot be told which message that is, people are told.
func (h *hearer) asked(i *interaction, e adapters.Event, text string, files []adapters.File, to *adapters.Earlier) {
	shown := posting{Content: shownWish(text, files), Mentions: nobody(), Components: []any{}, Flags: flagNoPreview}
	id, err := h.d.respond(h.ctx, i, answerMessage, shown)
	if err != nil && adapters.Final(err) {
		return // it is not shown
	}
	if id == "" {
		if id, err = h.original(i); err != nil {
			h.d.log.WarnContext(h.ctx, "a wish that was shown cannot be found", "error", err)
			if !errors.Is(err, adapters.ErrGone) {
				h.excuse(i, shown)
			}
			return
		}
	}
	if e.Thread.ID == "" && !e.Thread.Direct {
		e.Thread.ID = id
	}
	e.Kind = adapters.MessageSent
	e.Message = &adapters.Message{
		Ref: ref(i.Guild, i.Channel, id), Order: order(id), For: adapters.Mentioned, Text: clipped(text, adapters.MaxText), Files: files, ReplyTo: to,
	}
	h.hand(e)
}

// original asks for the message that answers an interaction, as long as Discord tells it.
func (h *hearer) original(i *interaction) (id string, err error) {
	ctx, stop := context.WithTimeout(h.ctx, tokenLasts)
	defer stop()
	for wait := h.d.waits.first; ; wait = min(2*wait, h.d.waits.longest) {
		var m object
		err := h.d.api.get(ctx, i.originalPath(), &m)
		if err == nil && isID(m.ID) || err != nil && adapters.Final(err) {
			return m.ID, err
		}
		if ended := sleep(ctx, max(wait, adapters.Wait(err))); ended != nil {
			return "", errors.Join(ended, err)
		}
	}
}

func (i *interaction) originalPath() string {
	return "webhooks/" + i.Application + "/" + i.Token + "/messages/@original"
}

// excuse tells below a wish that is shown that nothing comes of it.
func (h *hearer) excuse(i *interaction, shown posting) {
	ctx, stop := context.WithTimeout(context.WithoutCancel(h.ctx), acknowledgeWithin)
	defer stop()
	why := "\n\n" + plain(h.d.say(i.Locale, "I could not take this in. Please ask again."))
	shown.Content = short(shown.Content, maxContent-length(why)) + why
	if err := h.d.api.call(ctx, http.MethodPatch, i.originalPath(), shown, nil); err != nil {
		h.d.log.WarnContext(ctx, "nobody can be told that a wish is lost", "error", err)
	}
}

// shownWish is a wish as others see it.
func shownWish(text string, files []adapters.File) string {
	lines := []string{}
	for line := range strings.SplitSeq(fitted(text, 1000), "\n") {
		lines = append(lines, "> "+orBlank(plain(line)))
	}
	for _, f := range files {
		lines = append(lines, "> 📎 "+plain(f.Name))
	}
	return short(strings.Join(lines, "\n"), maxContent)
}

// short is the beginning of what is marked up.
func short(s string, most int) string {
	for length(s) > most {
		s = clipped(s, len(s)-100)
	}
	return s
}
