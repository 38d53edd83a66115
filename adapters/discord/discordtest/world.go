package discordtest

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
		g := &guild{name: name, owner: w.newUser("Owner of "+name, false).ID, joined: w.now(), assigned: map[string][]string{}}
		g.id = w.id()
		w.guilds[g.id] = g
		w.order = append(w.order, g)
		w.gateway.emit(event{kind: "GUILD_CREATE", intent: intentGuilds}, w.guildJSON(g), nil)
		id = g.id
	})
	return id
}

// Elsewhere adds a guild of which the bot is not a member; people who have installed it use it there.
func (w *World) Elsewhere(name string) (id string) {
	w.do(func() {
		g := &guild{name: name, owner: w.newUser("Owner of "+name, false).ID, joined: w.now(), assigned: map[string][]string{}, foreign: true}
		g.id = w.id()
		w.guilds[g.id] = g
		id = g.id
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
