package discordtest

import (
	"slices"
	"time"
)

// show is a message as people see it.
func (s *Server) show(m *entry) Message {
	shown := Message{
		ID: m.id, Channel: m.channel.id, Guild: m.channel.guildID(), Author: m.author, Content: m.content,
		Buttons: buttons(m.rows), Notified: slices.Clone(m.notified), Flags: m.flags,
		Edits: m.edits, Ephemeral: m.flags&flagEphemeral != 0, Thinking: m.flags&flagLoading != 0,
	}
	for _, a := range m.attachments {
		shown.Attachments = append(shown.Attachments, Attachment{
			ID: a.id, Name: a.title, Filename: a.name, Description: a.description, Type: a.kind, Content: slices.Clone(a.content), URL: s.link(a),
		})
	}
	for _, r := range m.reactions {
		shown.Reactions = append(shown.Reactions, Reaction{Emoji: r.Emoji, Users: slices.Clone(r.Users), At: r.At})
	}
	if m.reference != nil && m.reference.Type != forwarded {
		shown.ReplyTo = m.reference.Message
	}
	return shown
}

// Messages are what stands in a channel for everybody, the oldest first: without what
// Discord itself writes there, as that a thread was begun. It is nil where there is no such
// channel.
func (s *Server) Messages(channel string) []Message {
	s.mu.Lock()
	defer s.mu.Unlock()
	c := s.channels[channel]
	if c == nil {
		return nil
	}
	shown := []Message{}
	for _, m := range c.messages {
		if m.kind != kindStarter {
			shown = append(shown, s.show(m))
		}
	}
	return shown
}

// Message is one by its id, and whether it is there.
func (s *Server) Message(channel, message string) (Message, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if c := s.channels[channel]; c != nil {
		if m := c.find(message); m != nil {
			return s.show(m), true
		}
	}
	return Message{}, false
}

// typingLasts is how long somebody is shown to type.
const typingLasts = 10 * time.Second

// Typing tells whether the bot is shown to type: for 10 s after it said so, or until it
// writes.
func (s *Server) Typing(channel string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	c := s.channels[channel]
	return c != nil && s.now().Before(c.typing)
}
