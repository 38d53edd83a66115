package discordtest

import (
	"crypto/rand"
	"slices"
	"time"
)

// The types of interactions.
// https://discord.com/developers/docs/interactions/receiving-and-responding
const (
	askedByCommand   = 2
	askedByComponent = 3
	askedByModal     = 5
)

// Interaction is something that somebody did and the bot must acknowledge within 3 s.
type Interaction struct {
	ID, Token string
	By        User

	s         *Server
	asked     int // its type
	menu      bool
	channel   *channel
	source    *entry // the message of the button, of a form that was asked for by one too
	created   time.Time
	done      chan struct{} // closed when it is acknowledged
	kind      int
	modal     *Modal
	submitted bool
	response  *entry
	followups []*entry
}

// Slash lets somebody give a command, which the bot must have registered. It is nil where
// they could not.
func (s *Server) Slash(typed SlashCommand) (i *Interaction) {
	s.do(func() {
		c := s.place(typed.Channel)
		if c == nil {
			return
		}
		command := s.command(slashCommand, typed.Name)
		if command == nil {
			s.wrongf("the bot has no command /%s", typed.Name)
			return
		}
		files, resolved := map[string]*attachment{}, object{}
		for name, f := range typed.Files {
			a := s.attach(c, f)
			a.onlyForOneSelf = true
			files[name] = a
			resolved[a.id] = s.attachmentJSON(a)
		}
		options, wrong := s.optionsJSON(command.Options, typed, files)
		if wrong != "" {
			s.wrongf("/%s: %s", typed.Name, wrong)
			return
		}
		data := object{"id": command.ID, "name": command.Name, "type": slashCommand, "options": options}
		if len(resolved) > 0 {
			data["resolved"] = object{"attachments": resolved}
		}
		i = s.interact(&Interaction{By: typed.By, asked: askedByCommand, channel: c}, data)
	})
	return i
}

// Menu lets somebody choose an entry of a message's menu, which the bot must have registered.
func (s *Server) Menu(by User, channel, message, name string) (i *Interaction) {
	s.do(func() {
		m := s.entryOf(channel, message)
		if m == nil {
			return
		}
		command := s.command(menuCommand, name)
		if command == nil {
			s.wrongf("the bot has no entry %q in the menu of messages", name)
			return
		}
		i = s.interact(&Interaction{By: by, asked: askedByCommand, menu: true, channel: m.channel}, object{
			"id": command.ID, "name": name, "type": menuCommand, "target_id": m.id,
			"resolved": object{"messages": object{m.id: s.messageJSON(m, true)}},
		})
	})
	return i
}

// Press lets somebody press a button of a message by its custom id.
func (s *Server) Press(by User, channel, message, customID string) (i *Interaction) {
	s.do(func() {
		m := s.entryOf(channel, message)
		if m == nil {
			return
		}
		if !slices.ContainsFunc(buttons(m.rows), func(b Button) bool { return b.CustomID == customID && !b.Disabled }) {
			s.wrongf("the message %q has no button %q that can be pressed", message, customID)
			return
		}
		i = s.interact(&Interaction{By: by, asked: askedByComponent, channel: m.channel, source: m}, object{
			"custom_id": customID, "component_type": button,
		})
	})
	return i
}

// Submit lets somebody send a form that an interaction asked for, with what they wrote by
// the custom ids of its inputs.
func (s *Server) Submit(asked *Interaction, values map[string]string) (i *Interaction) {
	s.do(func() {
		if asked.modal == nil || asked.submitted {
			s.wrongf("there is no form to submit")
			return
		}
		rows := []component{}
		for _, input := range asked.modal.Inputs {
			value := values[input.CustomID]
			if no := length(input.CustomID, value, input.Min, input.Max); no != nil || input.Required && value == "" {
				s.wrongf("the form does not take %q as %s", value, input.Label)
				return
			}
			rows = append(rows, component{Type: actionRow, Components: []component{{Type: textInput, CustomID: input.CustomID, Value: value}}})
		}
		asked.submitted = true
		i = s.interact(&Interaction{By: asked.By, asked: askedByModal, channel: asked.channel, source: asked.source}, object{
			"custom_id": asked.modal.CustomID, "components": rows,
		})
	})
	return i
}

// interact tells of an interaction.
func (s *Server) interact(i *Interaction, data object) *Interaction {
	i.s, i.ID, i.Token, i.created, i.done = s, s.id(), "aW50ZXJhY3Rpb24-"+rand.Text(), s.now(), make(chan struct{})
	s.interactions[i.Token] = i
	told := object{
		"id": i.ID, "application_id": s.app, "type": i.asked, "data": data, "token": i.Token, "version": 1, "context": 0,
		"channel_id": i.channel.id, "channel": s.channelJSON(i.channel), "app_permissions": s.may(i.channel).String(),
		"locale": "en-US", "entitlements": []object{}, "authorizing_integration_owners": object{},
	}
	if i.source != nil {
		told["message"] = s.messageJSON(i.source, true)
	}
	if g := i.channel.guild; g != nil {
		member := s.memberJSON(g, i.By, true)
		member["permissions"] = g.permits(i.By.ID).String()
		told["guild_id"], told["guild_locale"], told["member"] = g.id, "en-US", member
	} else {
		told["user"], told["context"] = i.By.json(), 1
	}
	s.emit(event{kind: "INTERACTION_CREATE"}, told, nil)
	return i
}

// Acknowledged is closed when the bot has acknowledged it in time.
func (i *Interaction) Acknowledged() <-chan struct{} { return i.done }

// Response is the original response as it stands, and whether there is one.
func (i *Interaction) Response() (Message, bool) {
	i.s.mu.Lock()
	defer i.s.mu.Unlock()
	if i.response == nil {
		return Message{}, false
	}
	return i.s.show(i.response), true
}

// Followups are the messages after it.
func (i *Interaction) Followups() (all []Message) {
	i.s.mu.Lock()
	defer i.s.mu.Unlock()
	for _, m := range i.followups {
		all = append(all, i.s.show(m))
	}
	return all
}
