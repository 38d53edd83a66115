package discordtest

import (
	"encoding/json"
	"slices"
	"strconv"
	"time"
)

// stamp is how times are written.
func stamp(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.000000+00:00") }

func (u User) json() object {
	return object{
		"id": u.ID, "username": u.Name, "global_name": u.Name, "discriminator": "0", "avatar": nil, "bot": u.Bot,
	}
}

func (r *role) json() object {
	return object{
		"id": r.id, "name": r.name, "permissions": r.permits.String(), "color": 0, "hoist": false, "position": 1,
		"managed": false, "mentionable": false,
	}
}

// String is how permissions are written.
func (p Permission) String() string { return strconv.FormatUint(uint64(p), 10) }

// memberJSON is somebody in a guild.
func (s *Server) memberJSON(g *guild, u User, whole bool) object {
	roles := g.assigned[u.ID]
	if roles == nil {
		roles = []string{}
	}
	o := object{"roles": roles, "nick": nil, "joined_at": stamp(g.joined), "deaf": false, "mute": false, "flags": 0}
	if whole {
		o["user"] = u.json()
	}
	return o
}

func (s *Server) guildJSON(g *guild) object {
	everyone := &role{id: g.id, name: "@everyone", permits: ordinary}
	roles := []object{everyone.json()}
	for _, r := range g.roles {
		roles = append(roles, r.json())
	}
	channels, threads := []object{}, []object{}
	for _, c := range g.channels {
		switch {
		case s.may(c)&View == 0, c.archived:
		case c.isThread():
			threads = append(threads, s.channelJSON(c))
		default:
			channels = append(channels, s.channelJSON(c))
		}
	}
	return object{
		"id": g.id, "name": g.name, "owner_id": g.owner, "roles": roles, "channels": channels, "threads": threads,
		"members": []object{s.memberJSON(g, s.bot, true)}, "member_count": len(s.users), "joined_at": stamp(g.joined),
		"unavailable": false, "large": false, "emojis": []object{}, "features": []string{}, "preferred_locale": "en-US",
		"voice_states": []object{}, "presences": []object{},
	}
}

func (s *Server) channelJSON(c *channel) object {
	o := object{"id": c.id, "type": c.kind, "flags": 0, "last_message_id": nil}
	if n := len(c.messages); n > 0 {
		o["last_message_id"] = c.messages[n-1].id
	}
	switch c.kind {
	case directChannel:
		o["recipients"] = []object{c.recipient.json()}
		return o
	case publicThread, privateThread:
		o["parent_id"], o["owner_id"], o["message_count"], o["member_count"] = c.parent.id, c.owner, len(c.messages), 1
		o["thread_metadata"] = object{
			"archived": c.archived, "locked": c.locked, "auto_archive_duration": 1440, "archive_timestamp": stamp(c.put),
			"create_timestamp": stamp(c.begun),
		}
	default:
		overwrites := []object{}
		if c.forbidden != 0 {
			overwrites = append(overwrites, object{"id": s.bot.ID, "type": 1, "allow": "0", "deny": c.forbidden.String()})
		}
		o["permission_overwrites"], o["position"], o["parent_id"], o["topic"], o["nsfw"] = overwrites, 0, nil, nil, false
	}
	o["guild_id"], o["name"], o["rate_limit_per_user"] = c.guild.id, c.name, 0
	return o
}

func (s *Server) usersJSON(ids []string) []object {
	users := []object{}
	for _, id := range ids {
		users = append(users, s.users[id].json())
	}
	return users
}

// readable tells whether the bot may read a message without the privileged intent: one of
// its own, a direct one, and one that mentions it.
func (s *Server) readable(m *entry) bool {
	return m.author.ID == s.bot.ID || m.channel.guild == nil || slices.Contains(m.mentions, s.bot.ID)
}

// messageJSON is a message, with its content where the bot has the privileged intent or may
// read it without.
func (s *Server) messageJSON(m *entry, intent bool) object {
	o := s.bareJSON(m, intent)
	switch replied := s.replied(m); {
	case replied != nil:
		o["referenced_message"] = s.bareJSON(replied, intent)
	case m.kind == kindReply:
		o["referenced_message"] = nil
	}
	if m.snapshot != nil {
		o["message_snapshots"] = []object{{"message": s.contentJSON(m.snapshot, intent || s.readable(m))}}
	}
	return o
}

// bareJSON is a message without the one to which it is a reply.
func (s *Server) bareJSON(m *entry, intent bool) object {
	o := s.contentJSON(m, intent || s.readable(m))
	o["id"], o["channel_id"], o["author"] = m.id, m.channel.id, m.author.json()
	o["tts"], o["pinned"], o["mention_everyone"] = false, false, m.everyone
	if m.nonce != "" {
		o["nonce"] = m.nonce
	}
	if m.reference != nil {
		o["message_reference"] = m.reference
	}
	if m.webhook {
		o["webhook_id"], o["application_id"] = s.app, s.app
	}
	if i := m.interaction; i != nil {
		o["interaction_metadata"] = object{"id": i.ID, "type": i.asked, "user": i.By.json(), "authorizing_integration_owners": object{}}
	}
	if m.thread != nil {
		o["thread"] = s.channelJSON(m.thread)
	}
	if len(m.reactions) > 0 {
		o["reactions"] = s.reactionsJSON(m)
	}
	return o
}

// contentJSON is what is forwarded of a message, or all of it that takes the privileged
// intent to be read.
func (s *Server) contentJSON(m *entry, readable bool) object {
	o := object{
		"type": m.kind, "flags": m.flags, "timestamp": stamp(m.created), "edited_timestamp": nil,
		"mentions": s.usersJSON(m.mentions), "mention_roles": append([]string{}, m.mentionsRoles...),
		"content": "", "attachments": []object{}, "embeds": []object{}, "components": []object{},
	}
	if !m.edited.IsZero() {
		o["edited_timestamp"] = stamp(m.edited)
	}
	if !readable {
		return o
	}
	attachments := []object{}
	for _, a := range m.attachments {
		attachments = append(attachments, s.attachmentJSON(a))
	}
	o["content"], o["attachments"] = m.content, attachments
	o["embeds"] = append([]json.RawMessage{}, m.embeds...)
	o["components"] = append([]component{}, m.rows...)
	return o
}

func (s *Server) reactionsJSON(m *entry) []object {
	reactions := []object{}
	for _, r := range m.reactions {
		reactions = append(reactions, object{
			"emoji": object{"id": nil, "name": r.Emoji}, "count": len(r.Users), "me": slices.Contains(r.Users, s.bot.ID),
			"burst_colors": []string{}, "count_details": object{"normal": len(r.Users), "burst": 0}, "me_burst": false,
		})
	}
	return reactions
}

// tellMessage tells the bot of a message.
func (s *Server) tellMessage(kind string, m *entry) {
	render := func(intent bool) object {
		o := s.messageJSON(m, intent)
		if g := m.channel.guild; g != nil {
			o["guild_id"] = g.id
			if !m.webhook {
				o["member"] = s.memberJSON(g, m.author, false)
			}
		}
		return o
	}
	s.emit(event{kind: kind, intent: messageIntent(m.channel), channel: m.channel}, render(true), render(false))
}

// tellChannel tells the bot of a channel or thread.
func (s *Server) tellChannel(what string, c *channel) {
	e := event{kind: "CHANNEL_" + what, intent: intentGuilds}
	if c.isThread() {
		e = event{kind: "THREAD_" + what, intent: intentGuilds, channel: c}
	}
	if c.guild != nil {
		s.emit(e, s.channelJSON(c), nil)
	}
}
