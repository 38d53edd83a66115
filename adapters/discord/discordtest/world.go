package discordtest

import (
	"slices"
	"strconv"
	"time"
)

// object is one of JSON.
type object = map[string]any

// world is who and what there is.
type world struct {
	users        map[string]User
	guilds       map[string]*guild
	order        []*guild
	channels     map[string]*channel
	attachments  map[string]*attachment
	commands     []registered
	interactions map[string]*Interaction
	nonces       map[string]*entry
	recent       []*entry // with nonces, the oldest first
	blocked      []string // words that no title of a thread may have
	crowded      bool     // no thread more can be begun
}

func newWorld() world {
	return world{
		users: map[string]User{}, guilds: map[string]*guild{}, channels: map[string]*channel{},
		attachments: map[string]*attachment{}, interactions: map[string]*Interaction{}, nonces: map[string]*entry{},
	}
}

type guild struct {
	id, name, owner string
	joined          time.Time
	roles           []*role
	channels        []*channel // with the threads
	assigned        map[string][]string
}

type role struct {
	id, name string
	permits  Permission
}

func (g *guild) has(user, role string) bool { return slices.Contains(g.assigned[user], role) }

// The kinds of channels.
const (
	textChannel   = 0
	directChannel = 1
	publicThread  = 11
	privateThread = 12
	forumChannel  = 15
)

func (c *channel) isThread() bool { return c.kind == publicThread || c.kind == privateThread }

type channel struct {
	id, name  string
	kind      int
	guild     *guild // nil where it is direct
	parent    *channel
	owner     string // who began the thread
	recipient User   // of a direct one
	forbidden Permission
	archived  bool
	locked    bool
	begun     time.Time
	put       time.Time // when it was archived, or no longer
	typing    time.Time // until when the bot is shown to type
	messages  []*entry
}

func (c *channel) guildID() string {
	if c.guild == nil {
		return ""
	}
	return c.guild.id
}

// epoch is when Discord's ids begin.
const epoch = 1420070400000

// id is a new snowflake, larger than all before it.
func (s *Server) id() string {
	s.lastID = max(s.lastID+1, uint64(max(s.now().UnixMilli()-epoch, 1))<<22)
	return strconv.FormatUint(s.lastID, 10)
}

// User is somebody, a bot perhaps.
type User struct {
	ID   string
	Name string // also how it is shown
	Bot  bool
}

// Mention is what stands in a text to mention somebody.
func (u User) Mention() string { return "<@" + u.ID + ">" }

func (s *Server) newUser(name string, bot bool) User {
	u := User{ID: s.id(), Name: name, Bot: bot}
	s.users[u.ID] = u
	return u
}

// User gives somebody new.
func (s *Server) User(name string) (u User) {
	s.do(func() { u = s.newUser(name, false) })
	return u
}

// BotUser gives another bot.
func (s *Server) BotUser(name string) (u User) {
	s.do(func() { u = s.newUser(name, true) })
	return u
}

// Guild gives a new guild, whose owner is nobody who acts.
func (s *Server) Guild(name string) (id string) {
	s.do(func() {
		g := &guild{name: name, owner: s.newUser("Owner of "+name, false).ID, joined: s.now(), assigned: map[string][]string{}}
		g.id = s.id()
		s.guilds[g.id] = g
		s.order = append(s.order, g)
		s.emit(event{kind: "GUILD_CREATE", intent: intentGuilds}, s.guildJSON(g), nil)
		id = g.id
	})
	return id
}

// guildOf is a guild that a test names.
func (s *Server) guildOf(id string) *guild {
	g := s.guilds[id]
	if g == nil {
		s.wrongf("there is no guild %q", id)
	}
	return g
}

// place is a channel that a test names.
func (s *Server) place(id string) *channel {
	c := s.channels[id]
	if c == nil {
		s.wrongf("there is no channel %q", id)
	}
	return c
}

// Role gives a new role of a guild, which permits so much everywhere in it.
func (s *Server) Role(guild, name string, p Permission) (id string) {
	s.do(func() {
		if g := s.guildOf(guild); g != nil {
			id = s.newRole(g, name, p)
		}
	})
	return id
}

func (s *Server) newRole(g *guild, name string, p Permission) string {
	r := &role{id: s.id(), name: name, permits: p}
	g.roles = append(g.roles, r)
	s.emit(event{kind: "GUILD_ROLE_CREATE", intent: intentGuilds}, object{"guild_id": g.id, "role": r.json()}, nil)
	return r.id
}

// Assign gives somebody a role.
func (s *Server) Assign(guild string, u User, role string) {
	s.do(func() {
		if g := s.guildOf(guild); g != nil && !g.has(u.ID, role) {
			g.assigned[u.ID] = append(g.assigned[u.ID], role)
		}
	})
}

// Admin gives somebody a role that may remove what others write.
func (s *Server) Admin(guild string, u User) {
	s.Assign(guild, u, s.Role(guild, "Moderators", ManageMessages))
}

// Channel gives a new text channel.
func (s *Server) Channel(guild, name string) (id string) { return s.channel(guild, name, textChannel) }

// Forum gives a new forum, which holds nothing but threads.
func (s *Server) Forum(guild, name string) (id string) { return s.channel(guild, name, forumChannel) }

func (s *Server) channel(guild, name string, kind int) (id string) {
	s.do(func() {
		g := s.guildOf(guild)
		if g == nil {
			return
		}
		c := &channel{id: s.id(), name: name, kind: kind, guild: g}
		s.channels[c.id] = c
		g.channels = append(g.channels, c)
		s.tellChannel("CREATE", c)
		id = c.id
	})
	return id
}

// DM gives the direct channel of somebody and the bot.
func (s *Server) DM(u User) (id string) {
	s.do(func() { id = s.direct(u).id })
	return id
}

func (s *Server) direct(u User) *channel {
	for _, c := range s.channels {
		if c.kind == directChannel && c.recipient.ID == u.ID {
			return c
		}
	}
	c := &channel{id: s.id(), kind: directChannel, recipient: u}
	s.channels[c.id] = c
	return c
}

// DeleteChannel removes a channel with its threads, or a thread.
func (s *Server) DeleteChannel(channel string) {
	s.do(func() {
		c := s.place(channel)
		if c == nil {
			return
		}
		s.tellChannel("DELETE", c)
		s.remove(c)
	})
}

func (s *Server) remove(c *channel) {
	delete(s.channels, c.id)
	if c.guild == nil {
		return
	}
	for _, thread := range slices.Clone(c.guild.channels) {
		if thread.parent == c {
			s.remove(thread)
		}
	}
	c.guild.channels = slices.DeleteFunc(c.guild.channels, func(other *channel) bool { return other == c })
}
