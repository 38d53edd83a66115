package discordtest

import (
	"crypto/rand"
	"slices"
	"strconv"
	"time"

	"atelier/adapters/discord/discordtest/form"
)

// Interactions are commands, buttons and forms that people use.
type Interactions struct {
	*changes
	commands []registered
	all      map[string]*Interaction // by token
}

// The types of options of commands.
// https://discord.com/developers/docs/interactions/application-commands
const (
	optionSub        = 1
	optionInteger    = 4
	optionAttachment = 11
)

// Command is an application command as the bot registered it.
type Command struct {
	ID string
	form.Command
}

// registered is a command, and what the bot sent.
type registered struct {
	Command
	raw object
}

func typedValue(kind int, text string) any {
	if kind != optionInteger {
		return text
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		return nil
	}
	return n
}

// The types of interactions.
// https://discord.com/developers/docs/interactions/receiving-and-responding
const (
	askedByCommand   = 2
	askedByComponent = 3
	askedByModal     = 5
)

// Interaction is a command, a press or a submitted form, which the bot must acknowledge within
// 3 s.
type Interaction struct {
	ID, Token string
	By        User

	in        *Interactions
	asked     int // its type
	menu      bool
	channel   *channel
	source    *entry // the message of the button that was pressed, or that opened the form
	created   time.Time
	done      chan struct{} // closed when it is acknowledged
	kind      int
	modal     *form.Modal
	submitted bool
	response  *entry
	followups []*entry
}

// Acknowledged is closed when the bot has acknowledged it in time.
func (i *Interaction) Acknowledged() <-chan struct{} { return i.done }

// Response returns the bot's response as it is now, and whether there is one.
func (i *Interaction) Response() (Message, bool) {
	i.in.mu.Lock()
	defer i.in.mu.Unlock()
	if i.response == nil {
		return Message{}, false
	}
	return i.in.show(i.response), true
}

// Followups returns the bot's messages after its response.
func (i *Interaction) Followups() (all []Message) {
	i.in.mu.Lock()
	defer i.in.mu.Unlock()
	for _, m := range i.followups {
		all = append(all, i.in.show(m))
	}
	return all
}

// SlashCommand is a command that somebody enters.
type SlashCommand struct {
	By      User
	Channel string
	Name    string            // without the slash
	Sub     string            // the subcommand, or ""
	Options map[string]string // as they are typed, by name
	Files   map[string]File   // options that are attachments, by name
}

// Commands returns the commands that the bot registered.
func (is *Interactions) Commands() (all []Command) {
	is.mu.Lock()
	defer is.mu.Unlock()
	for _, c := range is.commands {
		all = append(all, c.Command)
	}
	return all
}

// Slash enters a command, which the bot must have registered. It returns nil if the command
// is not valid.
func (is *Interactions) Slash(typed SlashCommand) (i *Interaction) {
	is.do(func() {
		c := is.place(typed.Channel)
		if c == nil {
			return
		}
		command := is.command(form.SlashCommand, typed.Name)
		if command == nil || !is.usable(command, c) {
			is.wrongf("the bot has no command /%s here", typed.Name)
			return
		}
		files, resolved := map[string]*attachment{}, object{}
		for name, f := range typed.Files {
			a := is.attach(c, f)
			a.onlyForOneSelf = true
			files[name] = a
			resolved[a.id] = is.attachmentJSON(a)
		}
		options, wrong := is.optionsJSON(command.Options, typed, files)
		if wrong != "" {
			is.wrongf("/%s: %s", typed.Name, wrong)
			return
		}
		data := object{"id": command.ID, "name": command.Name, "type": form.SlashCommand, "options": options}
		if len(resolved) > 0 {
			data["resolved"] = object{"attachments": resolved}
		}
		i = is.interact(&Interaction{By: typed.By, asked: askedByCommand, channel: c}, data)
	})
	return i
}

// Menu picks a command in the menu of a message, which the bot must have registered.
func (is *Interactions) Menu(by User, channel, message, name string) (i *Interaction) {
	is.do(func() {
		m := is.entryOf(channel, message)
		if m == nil {
			return
		}
		command := is.command(form.MenuCommand, name)
		if command == nil || !is.usable(command, m.channel) {
			is.wrongf("the bot has no entry %q in the menu of messages", name)
			return
		}
		i = is.interact(&Interaction{By: by, asked: askedByCommand, menu: true, channel: m.channel}, object{
			"id": command.ID, "name": name, "type": form.MenuCommand, "target_id": m.id,
			"resolved": object{"messages": object{m.id: is.messageJSON(m, true)}},
		})
	})
	return i
}

// Press presses a button of a message, by its custom id. It may be one that only this person sees.
func (is *Interactions) Press(by User, channel, message, customID string) (i *Interaction) {
	is.do(func() {
		m := is.whispered(by, channel, message)
		if m == nil {
			m = is.entryOf(channel, message)
		}
		if m == nil {
			return
		}
		if !slices.ContainsFunc(buttons(m.rows), func(b Button) bool { return b.CustomID == customID && !b.Disabled }) {
			is.wrongf("the message %q has no button %q that can be pressed", message, customID)
			return
		}
		i = is.interact(&Interaction{By: by, asked: askedByComponent, channel: m.channel, source: m}, object{
			"custom_id": customID, "component_type": form.Button,
		})
	})
	return i
}

// Form returns the form that the bot opened, or nil.
func (i *Interaction) Form() *form.Modal {
	i.in.mu.Lock()
	defer i.in.mu.Unlock()
	return i.modal
}

// Submit submits a form that the bot opened, with the texts of its inputs by their custom ids, and the files
// of its upload.
func (is *Interactions) Submit(asked *Interaction, values map[string]string, files ...File) (i *Interaction) {
	is.do(func() {
		if asked.modal == nil || asked.submitted {
			is.wrongf("there is no form to submit")
			return
		}
		uploaded, ids := object{}, []string{}
		for _, f := range files {
			a := is.attach(asked.channel, f)
			a.onlyForOneSelf = true
			uploaded[a.id], ids = is.attachmentJSON(a), append(ids, a.id)
		}
		rows := []form.Component{}
		for _, part := range asked.modal.Components {
			field := part.Field()
			filled := form.Component{Type: part.Type}
			if field == nil {
				rows = append(rows, filled)
				continue
			}
			given := form.Component{Type: field.Type, CustomID: field.CustomID, Value: values[field.CustomID]}
			if field.Type == form.FileUpload {
				given.Values, ids = ids, nil
			}
			if !field.Takes(given.Value, given.Values) {
				is.wrongf("the form does not take %q %v as %s", given.Value, given.Values, part.Label)
				return
			}
			if part.Type == form.ActionRow {
				filled.Components = []form.Component{given}
			} else {
				filled.Component = &given
			}
			rows = append(rows, filled)
		}
		if len(ids) > 0 {
			is.wrongf("the form takes no files")
			return
		}
		asked.submitted = true
		data := object{"custom_id": asked.modal.CustomID, "components": rows, "resolved": object{"attachments": uploaded}}
		i = is.interact(&Interaction{By: asked.By, asked: askedByModal, channel: asked.channel, source: asked.source}, data)
	})
	return i
}

// owners returns those who installed the bot where an interaction happens, by the kind of installation.
func (i *Interaction) owners() object {
	switch {
	case i.channel.foreign():
		return object{"1": i.By.ID}
	case i.channel.guild == nil:
		return object{"0": "0"}
	}
	return object{"0": i.channel.guild.id}
}

// usable reports whether a command can be used in a channel.
func (is *Interactions) usable(c *Command, in *channel) bool {
	switch {
	case in.kind == groupChannel:
		return slices.Contains(c.Installations, 1) && slices.Contains(c.Contexts, 2)
	case in.foreign():
		return slices.Contains(c.Installations, 1) && slices.Contains(c.Contexts, 0)
	}
	return true
}

// command finds a registered command. It returns nil if there is none.
func (is *Interactions) command(kind int, name string) *Command {
	for i, known := range is.commands {
		if known.Type == kind && known.Name == name {
			return &is.commands[i].Command
		}
	}
	return nil
}

// optionsJSON returns the options of a command that was entered, and what is wrong with them, or "".
func (is *Interactions) optionsJSON(known []form.Option, typed SlashCommand, files map[string]*attachment) ([]object, string) {
	given := []object{}
	for _, o := range known {
		text, has := typed.Options[o.Name]
		a := files[o.Name]
		value := object{"name": o.Name, "type": o.Type}
		switch {
		case o.Type == optionSub && o.Name == typed.Sub:
			inner, wrong := is.optionsJSON(o.Options, typed, files)
			value["options"] = inner
			return []object{value}, wrong
		case o.Type == optionSub:
			continue
		case o.Type == optionAttachment && a != nil:
			value["value"] = a.id
		case has:
			value["value"] = typedValue(o.Type, text)
			if value["value"] == nil {
				return nil, "the option " + o.Name + " is of another type"
			}
		case o.Required:
			return nil, "the option " + o.Name + " is missing"
		default:
			continue
		}
		given = append(given, value)
	}
	if typed.Sub != "" && slices.ContainsFunc(known, func(o form.Option) bool { return o.Type == optionSub }) {
		return nil, "there is no subcommand " + typed.Sub
	}
	if len(given) != len(typed.Options)+len(typed.Files) {
		return nil, "it does not take all of the options"
	}
	return given, ""
}

// interact reports an interaction to the bot.
func (is *Interactions) interact(i *Interaction, data object) *Interaction {
	i.in, i.ID, i.Token, i.created, i.done = is, is.id(), "aW50ZXJhY3Rpb24-"+rand.Text(), is.now(), make(chan struct{})
	is.all[i.Token] = i
	told := object{
		"id": i.ID, "application_id": is.app, "type": i.asked, "data": data, "token": i.Token, "version": 1, "context": 0,
		"channel_id": i.channel.id, "channel": is.channelJSON(i.channel), "app_permissions": is.may(i.channel).String(),
		"attachment_size_limit": is.maxAnswer(i), "locale": "en-US", "entitlements": []object{},
	}
	told["authorizing_integration_owners"] = i.owners()
	if i.source != nil {
		told["message"] = is.messageJSON(i.source, true)
	}
	if g := i.channel.guild; g != nil {
		member := is.memberJSON(g, i.By, true)
		member["permissions"] = g.permits(i.By.ID).String()
		told["guild_id"], told["guild_locale"], told["member"] = g.id, "en-US", member
	} else {
		told["user"], told["context"] = i.By.json(), 1
	}
	if i.channel.kind == groupChannel {
		told["context"] = 2
	}
	is.gateway.emit(event{kind: "INTERACTION_CREATE"}, told, nil)
	return i
}

// whispered returns an answer to an interaction that only the person sees who interacted, or nil.
func (is *Interactions) whispered(to User, channel, message string) *entry {
	for _, i := range is.all {
		for _, m := range append(slices.Clone(i.followups), i.response) {
			if m != nil && m.id == message && m.channel.id == channel && m.flags&flagEphemeral != 0 && i.By.ID == to.ID {
				return m
			}
		}
	}
	return nil
}
