package discordtest

import (
	"encoding/json"
	"strings"
)

// People are the users, who write, edit, react and start threads.
type People struct{ *changes }

// Post is a message that somebody writes.
type Post struct {
	Channel string // or a thread or direct channel
	By      User
	Content string
	ReplyTo string // the id of a message of the same channel, or ""
	Files   []File
	Voice   bool   // makes it a voice message of its one file
	Forward string // the id of a message to forward, or ""
}

// File is a file that somebody attaches.
type File struct {
	Name        string // any name
	Type        string // a media type; "" is application/octet-stream
	Description string // the alternative text
	Content     []byte
}

// Say posts a message and returns it.
func (pe *People) Say(p Post) (said Message) {
	pe.do(func() {
		c := pe.place(p.Channel)
		if c == nil {
			return
		}
		m := &entry{channel: c, author: p.By, content: strings.TrimSpace(p.Content)}
		for _, f := range p.Files {
			m.attachments = append(m.attachments, pe.attach(c, f))
		}
		if p.Voice && len(m.attachments) > 0 {
			m.flags |= flagVoice
			m.attachments[0].voice = true
		}
		if p.ReplyTo != "" {
			m.kind, m.reference = kindReply, &reference{Message: p.ReplyTo, Channel: c.id, Guild: c.guildID()}
		}
		if p.Forward != "" {
			from := pe.anywhere(p.Forward)
			if from == nil {
				pe.wrongf("there is no message %q to forward", p.Forward)
				return
			}
			m.reference = &reference{Type: forwarded, Message: from.id, Channel: from.channel.id, Guild: from.channel.guildID()}
			kept := *from
			m.snapshot = &kept
		}
		a := all()
		pe.mention(m, a)
		m.notify()
		pe.add(m)
		said = pe.show(m)
	})
	return said
}

// Edit changes the text of a message, as its author. With partly the event leaves out what has
// not changed, as Discord may.
func (pe *People) Edit(channel, message, content string, partly bool) {
	pe.do(func() {
		m := pe.entryOf(channel, message)
		if m == nil {
			return
		}
		m.content = strings.TrimSpace(content)
		a := all()
		pe.mention(m, a)
		if !partly {
			pe.edited(m)
			return
		}
		m.edited = pe.now()
		m.edits++
		pe.tellPart(m, object{"edited_timestamp": stamp(m.edited)})
	})
}

// Detach removes the last file of a message, as its author.
func (pe *People) Detach(channel, message string) {
	pe.do(func() {
		m := pe.entryOf(channel, message)
		if m == nil || len(m.attachments) == 0 {
			return
		}
		m.attachments = m.attachments[:len(m.attachments)-1]
		pe.edited(m)
	})
}

// Unfurl adds a preview to a message, which Discord reports without an edit.
func (pe *People) Unfurl(channel, message string) {
	pe.do(func() {
		if m := pe.entryOf(channel, message); m != nil {
			m.embeds = []json.RawMessage{json.RawMessage(`{"type":"link","url":"https://example.com/"}`)}
			pe.tellPart(m, object{"embeds": m.embeds})
		}
	})
}

// Delete removes a message, whoever wrote it.
func (pe *People) Delete(channel, message string) {
	pe.do(func() {
		if m := pe.entryOf(channel, message); m != nil {
			pe.drop(m)
		}
	})
}

// React adds a reaction of u to a message, or removes it.
func (pe *People) React(u User, channel, message, emoji string, added bool) {
	pe.do(func() {
		if m := pe.entryOf(channel, message); m != nil {
			pe.react(m, u, emoji, added)
		}
	})
}

// ForumPost starts a thread in a forum: its first message has the thread's id.
func (pe *People) ForumPost(forum, title string, p Post) (said Message) {
	pe.do(func() {
		c := pe.place(forum)
		if c == nil || c.kind != forumChannel {
			pe.wrongf("%q is no forum", forum)
			return
		}
		t := pe.newThread(c, publicThread, pe.id(), title, p.By)
		m := &entry{channel: t, author: p.By, content: strings.TrimSpace(p.Content)}
		for _, f := range p.Files {
			m.attachments = append(m.attachments, pe.attach(t, f))
		}
		pe.mention(m, all())
		m.notify()
		pe.put(m, t.id)
		said = pe.show(m)
	})
	return said
}

// PrivateThread starts a thread that only its members see; the bot is one of them.
func (pe *People) PrivateThread(channel, name string, by User) (id string) {
	pe.do(func() {
		if c := pe.place(channel); c != nil {
			id = pe.newThread(c, privateThread, pe.id(), name, by).id
		}
	})
	return id
}

// Echo sends the event of a message again.
func (pe *People) Echo(channel, message string) {
	pe.do(func() {
		if m := pe.entryOf(channel, message); m != nil {
			pe.tellMessage("MESSAGE_CREATE", m)
		}
	})
}

// Thread starts a public thread from a message of a channel, whose id the thread gets.
func (pe *People) Thread(channel, message, name string, by User) (id string) {
	pe.do(func() {
		from := pe.entryOf(channel, message)
		if from == nil {
			return
		}
		if from.thread != nil {
			pe.wrongf("the message %q has a thread already", message)
			return
		}
		id = pe.startThread(from, name, by).id
	})
	return id
}

// Archive archives a thread, or unarchives it. Writing in it unarchives it too, unless it is
// locked.
func (pe *People) Archive(thread string, archived bool) {
	pe.do(func() {
		if t := pe.threadOf(thread); t != nil {
			pe.archive(t, archived)
		}
	})
}

// Lock locks a thread, so that nobody can write in it, or unlocks it.
func (pe *People) Lock(thread string, locked bool) {
	pe.do(func() {
		if t := pe.threadOf(thread); t != nil {
			t.locked = locked
			pe.tellChannel("UPDATE", t)
		}
	})
}

func (pe *People) threadOf(id string) *channel {
	t := pe.place(id)
	if t != nil && !t.isThread() {
		pe.wrongf("%q is no thread", id)
		return nil
	}
	return t
}
