package discordtest

import (
	"bytes"
	"image"
	"path"
	"slices"
	"strings"
	"time"
)

// changes posts, changes and deletes messages and threads, and reports it to the bot.
type changes struct {
	*renderer
	gateway *Gateway
}

// same reports whether two emoji are the same, apart from the variant in which they are shown.
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

// tellPart reports a change with only a part of the message.
func (ch *changes) tellPart(m *entry, part object) {
	part["id"], part["channel_id"] = m.id, m.channel.id
	if m.channel.guild != nil {
		part["guild_id"] = m.channel.guild.id
	}
	ch.gateway.emit(event{kind: "MESSAGE_UPDATE", intent: messageIntent(m.channel), channel: m.channel}, part, nil)
}

// edited reports an edit.
func (ch *changes) edited(m *entry) {
	m.edited = ch.now()
	if m.flags&flagEphemeral == 0 {
		ch.tellMessage("MESSAGE_UPDATE", m)
	}
}

func (ch *changes) drop(m *entry) {
	c := m.channel
	if i, ok := c.index(m.id); ok {
		c.messages = slices.Delete(c.messages, i, i+1)
	}
	gone := object{"id": m.id, "channel_id": c.id}
	if c.guild != nil {
		gone["guild_id"] = c.guild.id
	}
	ch.gateway.emit(event{kind: "MESSAGE_DELETE", intent: messageIntent(c), channel: c}, gone, nil)
}

// react adds or removes a reaction, and reports it if that is a change.
func (ch *changes) react(m *entry, u User, emoji string, added bool) {
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
			told["member"] = ch.memberJSON(c.guild, u, true)
		}
	}
	if added {
		told["message_author_id"] = m.author.ID
	}
	ch.gateway.emit(event{kind: kind, intent: intent, channel: c}, told, nil)
}

// attach stores a file.
func (ch *changes) attach(c *channel, f File) *attachment {
	a := &attachment{
		id: ch.id(), channel: c.id, title: f.Name, name: fileName(f.Name), kind: or(f.Type, "application/octet-stream"),
		description: f.Description, content: f.Content,
	}
	if shape, _, err := image.DecodeConfig(bytes.NewReader(f.Content)); err == nil {
		a.width, a.height = shape.Width, shape.Height
	}
	ch.attachments[a.id] = a
	return a
}

// upload stores the files of a call, in their order, with their descriptions.
func (ch *changes) upload(m *entry, b *messageBody, files map[string]File) ([]*attachment, *refusal) {
	most := ch.maxFile(m.channel)
	if m.interaction != nil {
		most = ch.maxAnswer(m.interaction)
	}
	fields := make([]string, 0, len(files))
	for field, f := range files {
		if int64(len(f.Content)) > most {
			return nil, tooLarge
		}
		fields = append(fields, field)
	}
	slices.SortFunc(fields, func(a, b string) int { return fieldNumber(a) - fieldNumber(b) })
	var kept []*attachment
	for _, field := range fields {
		f := files[field]
		told := b.about(fieldNumber(field))
		if told != nil {
			f.Name = or(told.Filename, f.Name)
			if told.Description != nil {
				f.Description = *told.Description
			}
		}
		a := ch.attach(m.channel, f)
		if told != nil && told.Title != nil {
			a.title = *told.Title + path.Ext(a.name)
		}
		kept = append(kept, a)
	}
	return kept, nil
}

// fill fills in a new message.
func (ch *changes) fill(m *entry, b *messageBody, files map[string]File) *refusal {
	if no := b.check(files); no != nil {
		return no
	}
	attachments, no := ch.upload(m, b, files)
	if no != nil {
		return no
	}
	m.content, m.attachments, m.nonce = b.text(), attachments, b.Nonce
	if b.Components != nil {
		m.rows = *b.Components
	}
	if b.Flags != nil {
		m.flags |= *b.Flags & (flagNoEmbeds | flagEphemeral | flagSilent | flagVoice | flagComponents)
	}
	if m.empty() {
		return emptyMessage
	}
	ch.mention(m, or(b.Allowed, all()))
	m.notify()
	return nil
}

// change edits a message as the form says.
func (ch *changes) change(m *entry, b *messageBody, files map[string]File) *refusal {
	if no := b.check(files); no != nil {
		return no
	}
	added, no := ch.upload(m, b, files)
	if no != nil {
		return no
	}
	changed := *m
	if b.rich() {
		changed.flags |= flagComponents
	}
	if b.Content != nil {
		changed.content = b.text()
	}
	if b.Components != nil {
		changed.rows = *b.Components
	}
	changed.attachments = append(slices.Clone(changed.attachments), added...)
	switch {
	case changed.empty():
		return emptyMessage
	case changed.rich() && changed.content != "":
		return badForm("content", "MESSAGE_CANNOT_USE_LEGACY_FIELDS_WITH_COMPONENTS_V2", "The 'content' field cannot be used.")
	case len(changed.attachments) > mostFiles:
		return badForm("attachments", "BASE_TYPE_MAX_LENGTH", "Must be 10 or fewer in length.")
	}
	if b.Content != nil {
		ch.mention(&changed, or(b.Allowed, all()))
	}
	if m.flags&flagLoading != 0 { // people see it only now
		changed.flags &^= flagLoading
		changed.notify()
	}
	*m = changed
	if m.flags&flagLoading == 0 && b.Flags != nil {
		m.flags = m.flags&^flagNoEmbeds | *b.Flags&flagNoEmbeds
	}
	ch.edited(m)
	return nil
}

// add posts a message.
func (ch *changes) add(m *entry) { ch.put(m, ch.id()) }

// put posts a message with an id.
func (ch *changes) put(m *entry, id string) {
	m.id, m.created = id, ch.now()
	if m.flags&flagEphemeral != 0 {
		return
	}
	c := m.channel
	if c.archived {
		ch.archive(c, false)
	}
	if m.author.ID == ch.bot.ID {
		c.typing = time.Time{}
	}
	c.messages = append(c.messages, m)
	ch.tellMessage("MESSAGE_CREATE", m)
}

// mention finds whom a message mentions. Code does not mention anybody.
func (ch *changes) mention(m *entry, a *allowed) {
	text := codeText.ReplaceAllString(m.text(), " ")
	m.mentions, m.mentionsRoles, m.everyone = nil, nil, false
	if replied := ch.replied(m); replied != nil && a.Replied {
		m.mentions = append(m.mentions, replied.author.ID)
	}
	for _, found := range userMention.FindAllStringSubmatch(text, -1) {
		if _, known := ch.users[found[1]]; known && a.user(found[1]) && !slices.Contains(m.mentions, found[1]) {
			m.mentions = append(m.mentions, found[1])
		}
	}
	g := m.channel.guild
	if g == nil {
		return
	}
	for _, found := range roleMention.FindAllStringSubmatch(text, -1) {
		known := slices.ContainsFunc(g.roles, func(r *role) bool { return r.id == found[1] })
		if known && a.role(found[1]) && !slices.Contains(m.mentionsRoles, found[1]) {
			m.mentionsRoles = append(m.mentionsRoles, found[1])
		}
	}
	m.everyone = allMention.MatchString(text) && slices.Contains(a.Parse, "everyone")
}

// tellMessage reports a message.
func (ch *changes) tellMessage(kind string, m *entry) {
	render := func(intent bool) object {
		o := ch.messageJSON(m, intent)
		if g := m.channel.guild; g != nil {
			o["guild_id"] = g.id
			if !m.webhook {
				o["member"] = ch.memberJSON(g, m.author, false)
			}
		}
		return o
	}
	ch.gateway.emit(event{kind: kind, intent: messageIntent(m.channel), channel: m.channel}, render(true), render(false))
}

// tellChannel reports a channel or thread.
func (ch *changes) tellChannel(what string, c *channel) {
	e := event{kind: "CHANNEL_" + what, intent: intentGuilds}
	if c.isThread() {
		e = event{kind: "THREAD_" + what, intent: intentGuilds, channel: c}
	}
	if c.guild != nil && !c.foreign() {
		ch.gateway.emit(e, ch.channelJSON(c), nil)
	}
}

// startThread starts a thread from a message, and posts Discord's own message in it.
func (ch *changes) startThread(from *entry, name string, by User) *channel {
	c := from.channel
	t := ch.newThread(c, publicThread, from.id, name, by)
	from.thread = t
	from.flags |= flagHasThread
	ch.tellMessage("MESSAGE_UPDATE", from)
	ch.add(&entry{
		channel: t, author: by, kind: kindStarter,
		reference: &reference{Message: from.id, Channel: c.id, Guild: c.guildID()},
	})
	return t
}

func (ch *changes) newThread(c *channel, kind int, id, name string, by User) *channel {
	t := &channel{id: id, kind: kind, name: name, guild: c.guild, parent: c, owner: by.ID, begun: ch.now()}
	t.put = t.begun
	ch.channels[t.id] = t
	t.guild.channels = append(t.guild.channels, t)
	created := ch.channelJSON(t)
	created["newly_created"] = true
	ch.gateway.emit(event{kind: "THREAD_CREATE", intent: intentGuilds, channel: t}, created, nil)
	return t
}

func (ch *changes) archive(t *channel, archived bool) {
	t.archived, t.put = archived, ch.now()
	ch.tellChannel("UPDATE", t)
}

// remove deletes a channel with its threads.
func (ch *changes) remove(c *channel) {
	delete(ch.channels, c.id)
	if c.guild == nil {
		return
	}
	for _, thread := range slices.Clone(c.guild.channels) {
		if thread.parent == c {
			ch.remove(thread)
		}
	}
	c.guild.channels = slices.DeleteFunc(c.guild.channels, func(other *channel) bool { return other == c })
}
