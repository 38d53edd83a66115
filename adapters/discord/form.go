package discord

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"time"

	"atelier/adapters"
)

// What is kept of the messages from whose menus a form was opened: so many, so long.
const (
	mostChosen  = 200
	chosenLasts = 15 * time.Minute
)

// chosen keeps the messages from whose menus forms were opened: Discord tells them with the
// menu, and not with the form.
type chosen struct {
	mu  sync.Mutex
	all []choice // the oldest first
}

type choice struct {
	message message
	until   time.Time
}

func (c *chosen) put(m message, now time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.all = append(c.all, choice{m, now.Add(chosenLasts)})
	for len(c.all) > mostChosen || now.After(c.all[0].until) {
		c.all = c.all[1:]
	}
}

func (c *chosen) get(id string, now time.Time) (message, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, one := range slices.Backward(c.all) {
		if one.message.ID == id && !now.After(one.until) {
			return one.message, true
		}
	}
	return message{}, false
}

// opened hears the entry of a message's menu: it is asked what to do with the message.
func (h *hearer) opened(i *interaction) {
	if m, ok := i.Data.Resolved.Messages[i.Data.Target]; ok && m.ID != "" {
		h.chosen.put(m, h.d.config.Now())
	}
	h.answered(i, answerModal, h.d.form(i.Locale, i.Data.Target))
}

// form asks what to do with a message.
func (d *Discord) form(locale, message string) any {
	field := map[string]any{
		"type": 4, "custom_id": modalWish, "style": 2, "required": true, "max_length": maxWish,
		"label": shortened(d.say(locale, "What do you want with it?"), 45),
	}
	return map[string]any{
		"custom_id": modalUse + message, "title": shortened(d.say(locale, "Use with Atelier"), 45),
		"components": []any{map[string]any{"type": 1, "components": []any{field}}},
	}
}

// filled hears the form: the wish is about the message from whose menu it was opened, as it
// stands now, or as it stood then where Discord does not tell.
func (h *hearer) filled(i *interaction, e adapters.Event) {
	id, ok := strings.CutPrefix(i.Data.ID, modalUse)
	wish := strings.TrimSpace(valueOf(i.Data.Components, modalWish))
	if !ok || !isID(id) || wish == "" {
		return
	}
	ctx, stop := context.WithTimeout(h.ctx, acknowledgeWithin/2)
	defer stop()
	var m message
	own, err := h.d.own(ctx)
	if err == nil {
		err = h.d.api.get(ctx, "channels/"+i.Channel+"/messages/"+id, &m)
	}
	if err != nil {
		h.d.log.WarnContext(ctx, "the message of a form cannot be read", "error", err)
	}
	if errors.Is(err, adapters.ErrGone) {
		h.answered(i, answerMessage, whisper(h.d.say(i.Locale, "The message is not there any more.")))
		return
	}
	if err != nil {
		if m, ok = h.chosen.get(id, h.d.config.Now()); !ok {
			h.answered(i, answerMessage, whisper(h.d.say(i.Locale, "I cannot read this message on Discord now. Try again, please.")))
			return
		}
	}
	// only what the message itself tells is known here: the hearer's own belongs to another goroutine
	to := (&hearer{d: h.d, world: newWorld(), own: own}).earlier(&m, i.Guild, i.Channel)
	h.asked(i, e, wish, nil, &to)
}

func valueOf(all []input, id string) string {
	for _, in := range all {
		if in.ID == id {
			return in.Value
		}
		inner := in.Components
		if in.Component != nil {
			inner = append(inner, *in.Component)
		}
		if v := valueOf(inner, id); v != "" {
			return v
		}
	}
	return ""
}
