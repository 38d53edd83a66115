package discordtest

import (
	"encoding/json"
	"strings"
)

// World is the guilds, channels and users, and what people see of them.
type World struct{ *changes }

// BreakFiles makes the links of a message's files expire.
func (w *World) BreakFiles(channel, message string) {
	w.do(func() {
		if m := w.entryOf(channel, message); m != nil {
			for _, a := range m.attachments {
				a.gone = true
			}
		}
	})
}

// BlockTitle rejects threads with a word in their title, as AutoMod does (200001).
func (w *World) BlockTitle(word string) { w.do(func() { w.blocked = append(w.blocked, word) }) }

// Crowd rejects new threads (160006), or accepts them again.
func (w *World) Crowd(full bool) { w.do(func() { w.crowded = full }) }

// Messages returns the messages of a channel that everybody sees, oldest first, without Discord's own. It is nil
// if there is no such channel.
func (w *World) Messages(channel string) []Message {
	w.mu.Lock()
	defer w.mu.Unlock()
	c := w.channels[channel]
	if c == nil {
		return nil
	}
	shown := []Message{}
	for _, m := range c.messages {
		if m.kind != kindStarter {
			shown = append(shown, w.show(m))
		}
	}
	return shown
}

// Message returns the message with an id, and whether it exists.
func (w *World) Message(channel, message string) (Message, bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if c := w.channels[channel]; c != nil {
		if m := c.find(message); m != nil {
			return w.show(m), true
		}
	}
	return Message{}, false
}

// Typing reports whether the bot is shown as typing: for 10 s after it said so, or until it
// posts.
func (w *World) Typing(channel string) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	c := w.channels[channel]
	return c != nil && w.now().Before(c.typing)
}

// Forbid removes permissions from the bot in a channel and its threads.
func (w *World) Forbid(channel string, p Permission) { w.permit(channel, p, 0) }

// Allow undoes Forbid.
func (w *World) Allow(channel string, p Permission) { w.permit(channel, 0, p) }

// ThreadName returns the name of a thread.
func (w *World) ThreadName(thread string) string {
	w.mu.Lock()
	defer w.mu.Unlock()
	if t := w.channels[thread]; t != nil {
		return t.name
	}
	return ""
}

// User adds a user.
func (w *World) User(name string) (u User) {
	w.do(func() { u = w.newUser(name, false) })
	return u
}

// BotUser adds another bot.
func (w *World) BotUser(name string) (u User) {
	w.do(func() { u = w.newUser(name, true) })
	return u
}

// Guild adds a guild, with an owner of its own, and returns its id.
func (w *World) Guild(name string) (id string) {
	w.do(func() {
		g := w.newGuild(name)
		w.order = append(w.order, g)
		w.gateway.emit(event{kind: "GUILD_CREATE", intent: intentGuilds}, w.guildJSON(g), nil)
		id = g.id
	})
	return id
}

// Elsewhere adds a guild of which the bot is not a member; people who have installed it use it there.
func (w *World) Elsewhere(name string) (id string) {
	w.do(func() {
		g := w.newGuild(name)
		g.foreign, id = true, g.id
	})
	return id
}

// Group adds a channel of people without the bot; some of them have installed it.
func (w *World) Group() (id string) {
	w.do(func() {
		id = w.id()
		w.channels[id] = &channel{id: id, kind: groupChannel}
	})
	return id
}

// Nitro lets somebody send files of 500 MiB, and the bot in its answers to them.
func (w *World) Nitro(u User) { w.do(func() { w.nitro[u.ID] = true }) }

// Role adds a role with permissions to a guild.
func (w *World) Role(guild, name string, p Permission) (id string) {
	w.do(func() {
		if g := w.guildOf(guild); g != nil {
			r := &role{id: w.id(), name: name, permits: p}
			g.roles, id = append(g.roles, r), r.id
			w.gateway.emit(event{kind: "GUILD_ROLE_CREATE", intent: intentGuilds}, object{"guild_id": g.id, "role": r.json()}, nil)
		}
	})
	return id
}

// Assign gives somebody a role.
func (w *World) Assign(guild string, u User, role string) {
	w.do(func() {
		if g := w.guildOf(guild); g != nil && !g.has(u.ID, role) {
			g.assigned[u.ID] = append(g.assigned[u.ID], role)
		}
	})
}

// Boost raises or lowers the tier of a guild's boosts.
func (w *World) Boost(guild string, tier int) {
	w.do(func() {
		if g := w.guildOf(guild); g != nil {
			g.tier = tier
			w.gateway.emit(event{kind: "GUILD_UPDATE", intent: intentGuilds}, w.guildJSON(g), nil)
		}
	})
}

// Admin gives somebody a role that may delete messages of others.
func (w *World) Admin(guild string, u User) {
	w.Assign(guild, u, w.Role(guild, "Moderators", ManageMessages))
}

// Channel adds a text channel.
func (w *World) Channel(guild, name string) (id string) { return w.channel(guild, name, textChannel) }

// Forum adds a forum, which contains only threads.
func (w *World) Forum(guild, name string) (id string) { return w.channel(guild, name, forumChannel) }

// DM returns the direct channel of somebody and the bot.
func (w *World) DM(u User) (id string) {
	w.do(func() { id = w.direct(u).id })
	return id
}

// DeleteChannel deletes a thread, or a channel with its threads.
func (w *World) DeleteChannel(channel string) {
	w.do(func() {
		c := w.place(channel)
		if c == nil {
			return
		}
		w.tellChannel("DELETE", c)
		w.remove(c)
	})
}

func (w *World) permit(id string, less, more Permission) {
	w.do(func() {
		c := w.place(id)
		if c == nil {
			return
		}
		c.forbidden = c.forbidden&^more | less
		w.tellChannel("UPDATE", c)
	})
}

func (w *World) channel(guild, name string, kind int) (id string) {
	w.do(func() {
		g := w.guildOf(guild)
		if g == nil {
			return
		}
		c := &channel{id: w.id(), name: name, kind: kind, guild: g}
		w.channels[c.id] = c
		g.channels = append(g.channels, c)
		w.tellChannel("CREATE", c)
		id = c.id
	})
	return id
}

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
