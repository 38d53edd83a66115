package discordtest

import (
	"encoding/json"
	"slices"
	"strings"
	"time"
)

// Say lets somebody write, and gives the message.
func (s *Server) Say(p Post) (said Message) {
	s.do(func() {
		c := s.place(p.Channel)
		if c == nil {
			return
		}
		m := &entry{channel: c, author: p.By, content: strings.TrimSpace(p.Content)}
		for _, f := range p.Files {
			m.attachments = append(m.attachments, s.attach(c, f))
		}
		if p.Voice && len(m.attachments) > 0 {
			m.flags |= flagVoice
			m.attachments[0].voice = true
		}
		if p.ReplyTo != "" {
			m.kind, m.reference = kindReply, &reference{Message: p.ReplyTo, Channel: c.id, Guild: c.guildID()}
		}
		if p.Forward != "" {
			from := s.anywhere(p.Forward)
			if from == nil {
				s.wrongf("there is no message %q to forward", p.Forward)
				return
			}
			m.reference = &reference{Type: forwarded, Message: from.id, Channel: from.channel.id, Guild: from.channel.guildID()}
			kept := *from
			m.snapshot = &kept
		}
		a := all()
		s.mention(m, a)
		m.notify()
		s.add(m)
		said = s.show(m)
	})
	return said
}

// anywhere is a message in whichever channel.
func (s *Server) anywhere(id string) *entry {
	for _, c := range s.channels {
		if m := c.find(id); m != nil {
			return m
		}
	}
	return nil
}

// entryOf is a message that a test names.
func (s *Server) entryOf(channel, id string) *entry {
	c := s.place(channel)
	if c == nil {
		return nil
	}
	m := c.find(id)
	if m == nil {
		s.wrongf("there is no message %q in %q", id, channel)
	}
	return m
}

// Edit changes the text of a message, as its author. Discord need not tell of the rest: partly leaves out
// what has not changed.
func (s *Server) Edit(channel, message, content string, partly bool) {
	s.do(func() {
		m := s.entryOf(channel, message)
		if m == nil {
			return
		}
		m.content = strings.TrimSpace(content)
		a := all()
		s.mention(m, a)
		if !partly {
			s.edited(m)
			return
		}
		m.edited = s.now()
		m.edits++
		s.tellPart(m, object{"edited_timestamp": stamp(m.edited)})
	})
}

// Unfurl adds a preview to a message, of which Discord tells without an edit.
func (s *Server) Unfurl(channel, message string) {
	s.do(func() {
		if m := s.entryOf(channel, message); m != nil {
			m.embeds = []json.RawMessage{json.RawMessage(`{"type":"link","url":"https://example.com/"}`)}
			s.tellPart(m, object{"embeds": m.embeds})
		}
	})
}

// tellPart tells of a part of a message only.
func (s *Server) tellPart(m *entry, part object) {
	part["id"], part["channel_id"] = m.id, m.channel.id
	if m.channel.guild != nil {
		part["guild_id"] = m.channel.guild.id
	}
	s.emit(event{kind: "MESSAGE_UPDATE", intent: messageIntent(m.channel), channel: m.channel}, part, nil)
}

// edited tells of a change.
func (s *Server) edited(m *entry) {
	m.edited = s.now()
	m.edits++
	if m.flags&flagEphemeral == 0 {
		s.tellMessage("MESSAGE_UPDATE", m)
	}
}

// Delete removes a message, whoever wrote it.
func (s *Server) Delete(channel, message string) {
	s.do(func() {
		if m := s.entryOf(channel, message); m != nil {
			s.drop(m)
		}
	})
}

func (s *Server) drop(m *entry) {
	c := m.channel
	if i, ok := c.index(m.id); ok {
		c.messages = slices.Delete(c.messages, i, i+1)
	}
	gone := object{"id": m.id, "channel_id": c.id}
	if c.guild != nil {
		gone["guild_id"] = c.guild.id
	}
	s.emit(event{kind: "MESSAGE_DELETE", intent: messageIntent(c), channel: c}, gone, nil)
}

// React lets somebody put an emoji on a message, or take it away.
func (s *Server) React(u User, channel, message, emoji string, added bool) {
	s.do(func() {
		if m := s.entryOf(channel, message); m != nil {
			s.react(m, u, emoji, added)
		}
	})
}

// same tells whether two emoji are one, however they are to be shown.
func same(a, b string) bool {
	const asPicture = "\uFE0F"
	return strings.ReplaceAll(a, asPicture, "") == strings.ReplaceAll(b, asPicture, "")
}

func (m *entry) reaction(emoji string) *Reaction {
	i := slices.IndexFunc(m.reactions, func(r *Reaction) bool { return same(r.Emoji, emoji) })
	if i < 0 {
		return nil
	}
	return m.reactions[i]
}

// react changes who has put an emoji on a message, and tells of it where that is a change.
func (s *Server) react(m *entry, u User, emoji string, added bool) {
	r := m.reaction(emoji)
	has := r != nil && slices.Contains(r.Users, u.ID)
	if has == added {
		return
	}
	kind := "MESSAGE_REACTION_REMOVE"
	switch {
	case added && r == nil:
		r = &Reaction{Emoji: emoji, At: time.Now()}
		m.reactions = append(m.reactions, r)
		fallthrough
	case added:
		kind = "MESSAGE_REACTION_ADD"
		r.Users = append(r.Users, u.ID)
	default:
		r.Users = slices.DeleteFunc(r.Users, func(id string) bool { return id == u.ID })
		if len(r.Users) == 0 {
			m.reactions = slices.DeleteFunc(m.reactions, func(other *Reaction) bool { return other == r })
		}
	}
	c := m.channel
	told := object{
		"user_id": u.ID, "channel_id": c.id, "message_id": m.id, "burst": false, "type": 0,
		"emoji": object{"id": nil, "name": r.Emoji},
	}
	intent := intentDirectReactions
	if c.guild != nil {
		intent = intentGuildReactions
		told["guild_id"] = c.guild.id
		if added {
			told["member"] = s.memberJSON(c.guild, u, true)
		}
	}
	if added {
		told["message_author_id"] = m.author.ID
	}
	s.emit(event{kind: kind, intent: intent, channel: c}, told, nil)
}
