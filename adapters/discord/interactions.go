package discord

import (
	"context"
	"errors"
	"net/http"
	"strconv"
	"strings"
	"time"

	"atelier/adapters"
)

// The types of interactions and of what is answered to them, after "Receiving and
// Responding" of the documentation.
const (
	interactionCommand = 2
	interactionButton  = 3
	interactionModal   = 5

	answerMessage = 4
	answerLater   = 6 // nothing more is to be seen
	answerModal   = 9
)

// acknowledgeWithin is how long Discord waits for the first answer, less some time for the
// way.
const acknowledgeWithin = 2800 * time.Millisecond

const flagEphemeral = 1 << 6 // only who interacted sees it

// interaction is a command, a button or a form.
type interaction struct {
	ID          string   `json:"id"`
	Application string   `json:"application_id"`
	Type        int      `json:"type"`
	Token       string   `json:"token"`
	Guild       string   `json:"guild_id"`
	Channel     string   `json:"channel_id"`
	Place       *channel `json:"channel"`
	Locale      string   `json:"locale"`
	Member      *member  `json:"member"`
	User        *user    `json:"user"`
	Message     *message `json:"message"`
	Data        struct {
		Name     string  `json:"name"`
		Type     int     `json:"type"`
		ID       string  `json:"custom_id"`
		Target   string  `json:"target_id"`
		Options  []given `json:"options"`
		Resolved struct {
			Attachments map[string]attachment `json:"attachments"`
		} `json:"resolved"`
		Components []input `json:"components"`
	} `json:"data"`
}

// given is an option of a command as somebody gave it.
type given struct {
	Name    string  `json:"name"`
	Value   any     `json:"value"`
	Options []given `json:"options"`
}

// input is what somebody wrote in a form, or a row of it.
type input struct {
	ID         string  `json:"custom_id"`
	Value      string  `json:"value"`
	Components []input `json:"components"`
	Component  *input  `json:"component"`
}

// interacted hears an interaction. It is acknowledged in a goroutine of its own, so that
// nothing that takes long stands before it.
func (h *hearer) interacted(ctx context.Context, i *interaction) {
	by := i.by()
	if by == nil || by.Bot || !isID(i.ID) {
		return
	}
	if i.Place != nil && h.world.channels[i.Channel] == nil {
		i.Place.Guild = i.Guild
		h.world.channels[i.Channel] = i.Place
	}
	e := adapters.Event{ID: "i" + i.ID, At: instantOf(i.ID), By: h.person(*by, i.Member, &channel{ID: i.Channel, Guild: i.Guild})}
	place := h.placeOf(ctx, i)
	h.works.Go(func() { h.answer(i, e, place) }) //nolint:contextcheck // it is not bound by the time for looking something up
}

// placeOf is the thread in which somebody interacted; its ID is "" in a channel.
func (h *hearer) placeOf(ctx context.Context, i *interaction) adapters.Thread {
	t, _ := h.thread(ctx, i.Guild, i.Channel, "")
	return t
}

func (i *interaction) by() *user {
	if i.Member != nil && i.Member.User != nil {
		return i.Member.User
	}
	return i.User
}

func (h *hearer) answer(i *interaction, e adapters.Event, place adapters.Thread) {
	e.Thread = place
	switch {
	case i.Type == interactionButton:
		h.pressed(i, e)
	case i.Type == interactionModal:
		h.filled(i, e)
	case i.Type == interactionCommand && i.Data.Type == typeMessage:
		h.d.respond(h.ctx, i, answerModal, h.d.form(i.Locale, i.Data.Target))
	case i.Type == interactionCommand && i.Data.Name == commandName && len(i.Data.Options) == 1:
		h.commanded(i, e, i.Data.Options[0])
	}
}

// respond answers an interaction. It tells whether Discord has taken it.
func (d *Discord) respond(ctx context.Context, i *interaction, kind int, data any) bool {
	ctx, stop := context.WithTimeout(ctx, acknowledgeWithin)
	defer stop()
	body := map[string]any{"type": kind}
	if data != nil {
		body["data"] = data
	}
	err := d.api.call(ctx, http.MethodPost, "interactions/"+i.ID+"/"+i.Token+"/callback", body, nil)
	if err != nil {
		d.log.WarnContext(ctx, "an interaction cannot be acknowledged", "error", err)
	}
	return err == nil
}

// whisper is a message that only who interacted sees.
func whisper(text string) posting {
	return posting{Content: plain(text), Mentions: nobody(), Components: []any{}, Flags: flagEphemeral}
}

// pressed hears a button.
func (h *hearer) pressed(i *interaction, e adapters.Event) {
	h.d.respond(h.ctx, i, answerLater, nil)
	if i.Message == nil {
		return
	}
	on := ref(i.Guild, i.Channel, i.Message.ID)
	e.Kind = adapters.ReactionAdded
	id := i.Data.ID
	switch {
	case id == buttonAgain:
		e.Reaction = &adapters.Reaction{On: on, Sign: adapters.Again}
	case strings.HasPrefix(id, buttonChoose):
		number, choice, _ := strings.Cut(strings.TrimPrefix(id, buttonChoose), ":")
		n, err := strconv.Atoi(number)
		if err != nil {
			return
		}
		e.Reaction = &adapters.Reaction{On: on, Sign: adapters.Choose, Number: n, Choice: choice}
	case strings.HasPrefix(id, buttonStop):
		channel, request, _ := strings.Cut(strings.TrimPrefix(id, buttonStop), ":")
		e.Kind, e.Cancel = adapters.CancelAsked, &adapters.Cancel{On: ref(i.Guild, channel, request)}
	default:
		return
	}
	if e.Thread.ID == "" && !e.Thread.Direct {
		e.Thread = adapters.Thread{} // the message tells the thread
	}
	h.hand(e)
}

// commanded hears a subcommand of /atelier.
func (h *hearer) commanded(i *interaction, e adapters.Event, sub given) {
	var text string
	var files []adapters.File
	for _, o := range sub.Options {
		value, _ := o.Value.(string) //nolint:errcheck // what is no text is none of ours
		if o.Name == optionWish {
			text = strings.TrimSpace(value)
		} else if a, ok := i.Data.Resolved.Attachments[value]; ok {
			files = append(files, a.file())
		}
	}
	switch sub.Name {
	case "ask":
		h.asked(i, e, text, files, nil)
		return
	case "cancel":
		e.Kind, e.Cancel = adapters.CancelAsked, &adapters.Cancel{}
		h.d.respond(h.ctx, i, answerMessage, whisper(h.d.say(i.Locale, "If something that you asked for last here still runs, it is stopped.")))
	default:
		e.Kind, e.Command = adapters.CommandGiven, &adapters.Command{Name: sub.Name, Text: clipped(text, adapters.MaxText)}
		h.d.respond(h.ctx, i, answerMessage, whisper(h.d.say(i.Locale, "I answer in this conversation.")))
	}
	h.hand(e)
}

// asked hears a wish that no message holds: the wish is shown in the channel, and that
// message is the request.
func (h *hearer) asked(i *interaction, e adapters.Event, text string, files []adapters.File, to *adapters.Earlier) {
	shown := posting{Content: shownWish(text, files), Mentions: nobody(), Components: []any{}, Flags: flagNoPreview}
	if !h.d.respond(h.ctx, i, answerMessage, shown) {
		return
	}
	ctx, stop := context.WithTimeout(h.ctx, callTime)
	defer stop()
	var m message
	if err := h.d.api.get(ctx, "webhooks/"+i.Application+"/"+i.Token+"/messages/@original", &m); err != nil {
		h.d.log.WarnContext(ctx, "a wish that was shown cannot be found", "error", err)
		return
	}
	if e.Thread.ID == "" && !e.Thread.Direct {
		e.Thread.ID = m.ID
	}
	e.Kind = adapters.MessageSent
	e.Message = &adapters.Message{
		Ref: ref(i.Guild, i.Channel, m.ID), Order: order(m.ID), For: adapters.Mentioned, Text: clipped(text, adapters.MaxText), Files: files, ReplyTo: to,
	}
	h.hand(e)
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
	shown := strings.Join(lines, "\n")
	for length(shown) > maxContent {
		shown = clipped(shown, len(shown)-100)
	}
	return shown
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

// filled hears the form: the wish is about the message from whose menu it was opened.
func (h *hearer) filled(i *interaction, e adapters.Event) {
	id, ok := strings.CutPrefix(i.Data.ID, modalUse)
	wish := strings.TrimSpace(valueOf(i.Data.Components, modalWish))
	if !ok || !isID(id) || wish == "" {
		return
	}
	own, err := h.d.own(h.ctx)
	if err != nil {
		return
	}
	ctx, stop := context.WithTimeout(h.ctx, acknowledgeWithin/2)
	defer stop()
	var m message
	err = h.d.api.get(ctx, "channels/"+i.Channel+"/messages/"+id, &m)
	if errors.Is(err, adapters.ErrGone) {
		h.d.respond(h.ctx, i, answerMessage, whisper(h.d.say(i.Locale, "The message is not there any more.")))
		return
	}
	var to *adapters.Earlier
	if err == nil {
		// only what the message itself tells is known here: the hearer's own belongs to another goroutine
		earlier := (&hearer{d: h.d, world: newWorld(), own: own}).earlier(&m, i.Guild, i.Channel)
		to = &earlier
	} else {
		h.d.log.WarnContext(ctx, "the message of a form cannot be read", "error", err)
	}
	h.asked(i, e, wish, nil, to)
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

// discordEpoch is the time from which Discord's ids count milliseconds, in Unix milliseconds.
const discordEpoch = 1420070400000

// instantOf is when an id was given.
func instantOf(id string) time.Time {
	if n := order(id); n>>22 > 0 {
		return time.UnixMilli(n>>22 + discordEpoch).UTC()
	}
	return time.Time{}
}
