package discordtest

import "slices"

// World is who and what there is: guilds, channels and users, and what people see of them.
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

// BlockTitle lets no thread be begun whose title has a word, as AutoMod does (200001).
func (w *World) BlockTitle(word string) { w.do(func() { w.blocked = append(w.blocked, word) }) }

// Crowd lets no thread more be begun (160006), or lets them again.
func (w *World) Crowd(full bool) { w.do(func() { w.crowded = full }) }

// Messages are what stands in a channel for everybody, the oldest first: without what
// Discord itself writes there, as that a thread was begun. It is nil where there is no such
// channel.
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

// Message is one by its id, and whether it is there.
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

// Typing tells whether the bot is shown to type: for 10 s after it said so, or until it
// writes.
func (w *World) Typing(channel string) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	c := w.channels[channel]
	return c != nil && w.now().Before(c.typing)
}

// Forbid takes permissions from the bot in a channel and its threads.
func (w *World) Forbid(channel string, p Permission) { w.permit(channel, p, 0) }

// Allow gives them back.
func (w *World) Allow(channel string, p Permission) { w.permit(channel, 0, p) }

// ThreadName is what a thread is called.
func (w *World) ThreadName(thread string) string {
	w.mu.Lock()
	defer w.mu.Unlock()
	if t := w.channels[thread]; t != nil {
		return t.name
	}
	return ""
}

// User gives somebody new.
func (w *World) User(name string) (u User) {
	w.do(func() { u = w.newUser(name, false) })
	return u
}

// BotUser gives another bot.
func (w *World) BotUser(name string) (u User) {
	w.do(func() { u = w.newUser(name, true) })
	return u
}

// Guild gives a new guild, whose owner is nobody who acts.
func (w *World) Guild(name string) (id string) {
	w.do(func() {
		g := &guild{name: name, owner: w.newUser("Owner of "+name, false).ID, joined: w.now(), assigned: map[string][]string{}}
		g.id = w.id()
		w.guilds[g.id] = g
		w.order = append(w.order, g)
		w.gateway.emit(event{kind: "GUILD_CREATE", intent: intentGuilds}, w.guildJSON(g), nil)
		id = g.id
	})
	return id
}

// Role gives a new role of a guild, which permits so much everywhere in it.
func (w *World) Role(guild, name string, p Permission) (id string) {
	w.do(func() {
		if g := w.guildOf(guild); g != nil {
			id = w.newRole(g, name, p)
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

// Admin gives somebody a role that may remove what others write.
func (w *World) Admin(guild string, u User) {
	w.Assign(guild, u, w.Role(guild, "Moderators", ManageMessages))
}

// Channel gives a new text channel.
func (w *World) Channel(guild, name string) (id string) { return w.channel(guild, name, textChannel) }

// Forum gives a new forum, which holds nothing but threads.
func (w *World) Forum(guild, name string) (id string) { return w.channel(guild, name, forumChannel) }

// DM gives the direct channel of somebody and the bot.
func (w *World) DM(u User) (id string) {
	w.do(func() { id = w.direct(u).id })
	return id
}

// DeleteChannel removes a channel with its threads, or a thread.
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

func (w *World) newRole(g *guild, name string, p Permission) string {
	r := &role{id: w.id(), name: name, permits: p}
	g.roles = append(g.roles, r)
	w.gateway.emit(event{kind: "GUILD_ROLE_CREATE", intent: intentGuilds}, object{"guild_id": g.id, "role": r.json()}, nil)
	return r.id
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

func (w *World) remove(c *channel) {
	delete(w.channels, c.id)
	if c.guild == nil {
		return
	}
	for _, thread := range slices.Clone(c.guild.channels) {
		if thread.parent == c {
			w.remove(thread)
		}
	}
	c.guild.channels = slices.DeleteFunc(c.guild.channels, func(other *channel) bool { return other == c })
}
