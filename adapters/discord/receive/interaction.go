package receive

import (
	"context"
	"strconv"
	"strings"

	"github.com/bwmarrin/discordgo"

	"atelier/adapters"
	"atelier/adapters/discord/convert"
)

// interactions handles buttons, commands and forms. They are acknowledged at once.
type interactions struct {
	*session

	requests *requests
}

// receive handles an interaction.
func (is *interactions) receive(ctx context.Context, i *convert.Interaction) {
	by := i.By()
	if by == nil || by.Bot || !convert.IsID(i.ID) {
		return
	}
	if i.Place != nil && convert.IsID(i.Place.ID) {
		i.Place.Guild = i.Guild
		is.Places.Visit(*i.Place)
	}
	is.Places.Limit(i.Guild, i.MaxFile)
	e := adapters.Event{
		ID: "i" + i.ID, At: convert.CreatedAt(i.ID), By: is.people.Person(*by, i.Member, &convert.Channel{ID: i.Channel, Guild: i.Guild}),
	}
	var err error
	if e.Thread, _, err = is.Places.Thread(ctx, i.Guild, i.Channel, ""); err != nil {
		is.Log.WarnContext(ctx, "the place of an interaction was not looked up", "error", err)
	}
	if i.IsGuest() {
		e.Thread.Direct = false // a private channel that others read too
	}
	is.readTexts(i)
	is.work.Go(func() { is.dispatch(i, e) }) //nolint:contextcheck // it may take longer than the lookup
}

// readTexts converts what somebody typed in a command or a form, like a message's text.
func (is *interactions) readTexts(i *convert.Interaction) {
	by := *i.By()
	by.Member = i.Member
	m := &convert.Message{Guild: i.Guild, Mentions: []convert.User{by}}
	for id, u := range i.Data.Resolved.Users {
		u.ID, u.Member = id, i.Data.Resolved.Members[id]
		m.Mentions = append(m.Mentions, u)
	}
	n := is.texts.Names(m)
	for _, sub := range i.Data.Options {
		for k, o := range sub.Options {
			if text, ok := o.Value.(string); ok && o.Name == convert.RequestOption {
				sub.Options[k].Value = n.Read(text)
			}
		}
	}
	n.ReadForm(i.Data.Components)
}

func (is *interactions) dispatch(i *convert.Interaction, e adapters.Event) {
	isCommand := i.Type == discordgo.InteractionApplicationCommand
	switch {
	case i.Type == discordgo.InteractionMessageComponent:
		is.press(i, e)
	case i.Type == discordgo.InteractionModalSubmit:
		is.requests.submit(i, e)
	case isCommand && i.Data.Type == discordgo.MessageApplicationCommand:
		is.requests.openAbout(i)
	case isCommand && i.Data.Name == convert.CommandName && len(i.Data.Options) == 1:
		is.command(i, e, i.Data.Options[0])
	}
}

// press handles a pressed button.
func (is *interactions) press(i *convert.Interaction, e adapters.Event) {
	is.Responder.Confirm(is.ctx, i, discordgo.InteractionResponseDeferredMessageUpdate, nil)
	if i.Message == nil {
		return
	}
	is.Responder.Remember(e.ID, i)
	on := convert.Ref(i.Guild, i.Channel, i.Message.ID)
	if i.IsGuest() {
		if err := is.Guests.Return(is.ctx, on, i); err != nil {
			is.Log.WarnContext(is.ctx, "the answer to a button cannot be shown", "error", err)
		}
	}
	e.Kind = adapters.ReactionAdded
	id := i.Data.ID
	switch {
	case strings.HasPrefix(id, convert.ChooseButton):
		number, choice, _ := strings.Cut(strings.TrimPrefix(id, convert.ChooseButton), ":")
		n, err := strconv.Atoi(number)
		if err != nil {
			return
		}
		e.Reaction = &adapters.Reaction{On: on, Sign: adapters.Choose, Number: n, Choice: choice}
	case id == convert.StopButton:
		e.Kind, e.Cancel = adapters.CancelAsked, &adapters.Cancel{On: on}
	default:
		if e.Reaction = adapters.Pressed(on, id); e.Reaction == nil {
			return
		}
	}
	if e.Thread.ID == "" && !e.Thread.Direct {
		e.Thread = adapters.Thread{} // the message tells the thread
	}
	is.put(e, nil)
}

// command handles a subcommand.
func (is *interactions) command(i *convert.Interaction, e adapters.Event, sub convert.Value) {
	var text string
	var files []adapters.File
	for _, o := range sub.Options {
		value, _ := o.Value.(string) //nolint:errcheck // other values mean nothing
		if o.Name == convert.RequestOption {
			text = strings.TrimSpace(value)
		} else if a, ok := i.Data.Resolved.Attachments[value]; ok {
			a.ID = value
			files = append(files, a.File())
		}
	}
	switch {
	case sub.Name == adapters.AskCommand && (text != "" || len(files) > 0):
		is.requests.ask(i, e, text, files, nil)
		return
	case sub.Name == adapters.AskCommand && len(sub.Options) == 0:
		is.requests.open(i, nil)
		return
	case sub.Name == adapters.AskCommand:
		sub.Name = adapters.HelpCommand // there was only a mention of the bot
	}
	if sub.Name == adapters.CancelCommand {
		e.Kind, e.Cancel = adapters.CancelAsked, &adapters.Cancel{}
		is.Responder.Whisper(is.ctx, i, is.Phrases.Say(i.Locale, "Your latest request here is stopped, if it was still in progress."))
	} else {
		e.Kind, e.Command = adapters.CommandGiven, &adapters.Command{Name: sub.Name, Text: adapters.Cut(text, adapters.MaxText)}
		if _, err := is.Responder.Respond(is.ctx, i, discordgo.InteractionResponseDeferredChannelMessageWithSource, convert.Ephemeral("")); err == nil {
			is.Responder.Remember(e.ID, i)
		}
	}
	is.put(e, nil)
}
