package discordtest

import (
	"slices"
	"time"
)

// object is a JSON object.
type object = map[string]any

// state is everything that exists, and what the bot may do.
type state struct {
	*shared
	users       map[string]User
	guilds      map[string]*guild
	order       []*guild
	channels    map[string]*channel
	attachments map[string]*attachment
	nitro       map[string]bool // users who may send files of 500 MiB
	blocked     []string        // words that the title of a thread must not have
	crowded     bool            // no more threads can be started
}

func newState(s *shared) *state {
	return &state{
		shared: s, users: map[string]User{}, guilds: map[string]*guild{}, channels: map[string]*channel{}, attachments: map[string]*attachment{},
		nitro: map[string]bool{},
	}
}

type guild struct {
	id, name, owner string
	tier            int  // of its boosts
	foreign         bool // the bot is not a member
	joined          time.Time
	roles           []*role
	channels        []*channel // threads too
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
	groupChannel  = 3 // of people, without the bot
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
	owner     string // who started the thread
	recipient User   // of a direct channel
	forbidden Permission
	archived  bool
	locked    bool
	begun     time.Time
	put       time.Time // when it was archived or unarchived
	typing    time.Time // until when the bot is shown as typing
	messages  []*entry
}

func (c *channel) guildID() string {
	if c.guild == nil {
		return ""
	}
	return c.guild.id
}

// epoch is the start of Discord's ids.
const epoch = 1420070400000

// User is a person or a bot.
type User struct {
	ID   string
	Name string // also the display name
	Bot  bool
}

// Mention returns the text that mentions the user.
func (u User) Mention() string { return "<@" + u.ID + ">" }

// foreign reports whether the bot is not a member of a channel.
func (c *channel) foreign() bool { return c.kind == groupChannel || c.guild != nil && c.guild.foreign }

// maxFile returns the size limit of a file that the bot posts in a channel, in bytes.
func (st *state) maxFile(c *channel) int64 {
	most := st.options.MaxFile
	if c.guild != nil && c.guild.tier >= 2 {
		most = max(most, map[int]int64{2: 50 << 20, 3: 100 << 20}[c.guild.tier])
	}
	return most
}

// maxAnswer returns the size limit of a file with which the bot answers an interaction, in bytes.
func (st *state) maxAnswer(i *Interaction) int64 {
	if st.nitro[i.By.ID] {
		return 500 << 20
	}
	return st.maxFile(i.channel)
}

// anywhere returns the message with an id, in any channel.
func (st *state) anywhere(id string) *entry {
	for _, c := range st.channels {
		if m := c.find(id); m != nil {
			return m
		}
	}
	return nil
}

// entryOf returns a message that a test names.
func (st *state) entryOf(channel, id string) *entry {
	c := st.place(channel)
	if c == nil {
		return nil
	}
	m := c.find(id)
	if m == nil {
		st.wrongf("there is no message %q in %q", id, channel)
	}
	return m
}

// replied returns the message that m replies to, or nil.
func (st *state) replied(m *entry) *entry {
	if m.reference == nil || m.reference.Type == forwarded {
		return nil
	}
	if c := st.channels[m.reference.Channel]; c != nil {
		return c.find(m.reference.Message)
	}
	return nil
}

// may returns the bot's permissions in a channel.
func (st *state) may(c *channel) Permission {
	p := everything
	if c.foreign() {
		return 0
	}
	if c.guild != nil {
		p = c.guild.permits(st.bot.ID)
	}
	for ; c != nil; c = c.parent {
		p &^= c.forbidden
	}
	return p
}

// lacking returns the refusal if the bot lacks permissions in a channel, or nil.
func (st *state) lacking(c *channel, needed Permission) *refusal {
	switch p := st.may(c); {
	case p&View == 0:
		return missingAccess
	case p&needed != needed:
		return missingPermissions
	}
	return nil
}

func (st *state) newUser(name string, bot bool) User {
	u := User{ID: st.id(), Name: name, Bot: bot}
	st.users[u.ID] = u
	return u
}

// guildOf returns a guild that a test names.
func (st *state) guildOf(id string) *guild {
	g := st.guilds[id]
	if g == nil {
		st.wrongf("there is no guild %q", id)
	}
	return g
}

// place returns a channel that a test names.
func (st *state) place(id string) *channel {
	c := st.channels[id]
	if c == nil {
		st.wrongf("there is no channel %q", id)
	}
	return c
}

func (st *state) direct(u User) *channel {
	for _, c := range st.channels {
		if c.kind == directChannel && c.recipient.ID == u.ID {
			return c
		}
	}
	c := &channel{id: st.id(), kind: directChannel, recipient: u}
	st.channels[c.id] = c
	return c
}
