package discord

import (
	"context"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/bwmarrin/discordgo"

	"atelier/adapters"
)

// The types of interactions and of what is answered to them, after "Receiving and
// Responding" of the documentation.
const (
	interactionCommand = 2
	interactionButton  = 3
	interactionModal   = 5

	answerMessage = 4
	answerToCome  = 5
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
			Messages    map[string]message    `json:"messages"`
			Users       map[string]user       `json:"users"`
			Members     map[string]*member    `json:"members"`
		} `json:"resolved"`
		Components []input `json:"components"`
	} `json:"data"`

	parent *channel // of the thread in which it was, where that is known
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

// interacted hears an interaction, apart from all that stands in line: it is acknowledged at
// once.
func (h *hearer) interacted(ctx context.Context, i *interaction) {
	by := i.by()
	if by == nil || by.Bot || !isID(i.ID) {
		return
	}
	if i.Place != nil && isID(i.Place.ID) {
		i.Place.Guild = i.Guild
		h.world.meet(*i.Place)
	}
	e := adapters.Event{ID: "i" + i.ID, At: instantOf(i.ID), By: h.person(*by, i.Member, &channel{ID: i.Channel, Guild: i.Guild})}
	place := h.placeOf(ctx, i)
	i.parent = h.world.channel(place.Channel)
	h.understand(i)
	h.works.Go(func() { h.answer(i, e, place) }) //nolint:contextcheck // it is not bound by the time for looking something up
}

// placeOf is the thread in which somebody interacted; its ID is "" in a channel.
func (h *hearer) placeOf(ctx context.Context, i *interaction) adapters.Thread {
	t, _, err := h.thread(ctx, i.Guild, i.Channel, "")
	if err != nil {
		h.d.log.WarnContext(ctx, "where somebody interacted cannot be looked up", "error", err)
	}
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
		h.opened(i)
	case i.Type == interactionCommand && i.Data.Name == commandName && len(i.Data.Options) == 1:
		h.commanded(i, e, i.Data.Options[0])
	}
}

// respond answers an interaction, and gives the message that this has made where Discord
// tells of it. An error that is not final leaves open whether Discord has taken it.
func (d *Discord) respond(ctx context.Context, i *interaction, kind int, data any) (made string, err error) {
	ctx, stop := context.WithTimeout(ctx, acknowledgeWithin)
	defer stop()
	body := map[string]any{"type": kind}
	if data != nil {
		body["data"] = data
	}
	var told struct {
		Interaction struct {
			Made string `json:"response_message_id"`
		} `json:"interaction"`
		Resource struct {
			Message object `json:"message"`
		} `json:"resource"`
	}
	path := "interactions/" + i.ID + "/" + i.Token + "/callback?with_response=true"
	err = d.api.call(ctx, http.MethodPost, path, body, &told)
	if err != nil && !adapters.Final(err) && ctx.Err() == nil {
		if err = d.api.call(ctx, http.MethodPost, path, body, &told); is(err, alreadyAnswered) {
			err = nil // its answer was lost, that was all
		}
	}
	if err != nil {
		d.log.WarnContext(ctx, "an interaction cannot be acknowledged", "error", err)
	}
	for _, id := range []string{told.Resource.Message.ID, told.Interaction.Made} {
		if isID(id) {
			return id, err
		}
	}
	return "", err
}

// answered answers an interaction of which it does not matter whether Discord takes that.
func (h *hearer) answered(i *interaction, kind int, data any) {
	_, _ = h.d.respond(h.ctx, i, kind, data) //nolint:errcheck // it is logged
}

// whisper is a message that only who interacted sees.
func whisper(text string) posting {
	return posting{Content: plain(text), Mentions: nobody(), Components: []any{}, Flags: flagEphemeral}
}

// pressed hears a button.
func (h *hearer) pressed(i *interaction, e adapters.Event) {
	h.answered(i, answerLater, nil)
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
		if request == e.Thread.ID && h.inForum(i, e.Thread) {
			channel = request // there, what begins a thread stands in the thread itself
		}
		e.Kind, e.Cancel = adapters.CancelAsked, &adapters.Cancel{On: ref(i.Guild, channel, request)}
	default:
		return
	}
	if e.Thread.ID == "" && !e.Thread.Direct {
		e.Thread = adapters.Thread{} // the message tells the thread
	}
	h.hand(e)
}

// inForum tells whether the thread in which somebody interacted is one of a forum.
func (h *hearer) inForum(i *interaction, t adapters.Thread) bool {
	c := i.parent
	if c == nil {
		c = &channel{}
		if err := h.d.api.get(h.ctx, "channels/"+t.Channel, c); err != nil {
			h.d.log.WarnContext(h.ctx, "a channel cannot be looked up", "error", err)
		}
	}
	return c.Type == discordgo.ChannelTypeGuildForum || c.Type == discordgo.ChannelTypeGuildMedia
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
			a.ID = value
			files = append(files, a.file())
		}
	}
	switch {
	case sub.Name == "ask" && (text != "" || len(files) > 0):
		h.asked(i, e, text, files, nil)
		return
	case sub.Name == "ask": // nothing but the bot's mention
		sub.Name = "help"
	}
	switch sub.Name {
	case "cancel":
		e.Kind, e.Cancel = adapters.CancelAsked, &adapters.Cancel{}
		h.answered(i, answerMessage, whisper(h.d.say(i.Locale, "If something that you asked for last here still runs, it is stopped.")))
	default:
		e.Kind, e.Command = adapters.CommandGiven, &adapters.Command{Name: sub.Name, Text: clipped(text, adapters.MaxText)}
		if _, err := h.d.respond(h.ctx, i, answerToCome, posting{Mentions: nobody(), Components: []any{}, Flags: flagEphemeral}); err == nil {
			h.d.whispers.keep(e.ID, i, h.d.config.Now())
		}
	}
	h.hand(e)
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
