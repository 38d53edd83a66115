package discordtest

import (
	"slices"
	"time"

	"atelier/adapters/discord/discordtest/form"
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

// anywhere returns the message with the given ID from any channel, or nil.
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

func (st *state) newGuild(name string) *guild {
	owner := st.newUser("Owner of "+name, false)
	g := &guild{id: st.id(), name: name, owner: owner.ID, joined: st.now(), assigned: map[string][]string{}}
	st.guilds[g.id] = g
	return g
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

// Permission is a set of permissions.
type Permission uint64

// The permissions that are checked.
const (
	Administrator  Permission = 1 << 3
	AddReactions   Permission = 1 << 6
	View           Permission = 1 << 10
	Send           Permission = 1 << 11
	ManageMessages Permission = 1 << 13
	EmbedLinks     Permission = 1 << 14
	AttachFiles    Permission = 1 << 15
	ReadHistory    Permission = 1 << 16
	MentionAll     Permission = 1 << 17 // @everyone, @here and all roles
	UseCommands    Permission = 1 << 31
	CreateThreads  Permission = 1 << 35
	SendInThreads  Permission = 1 << 38
	SendVoice      Permission = 1 << 46
)

// ordinary are everybody's permissions in a new guild.
const ordinary = AddReactions | View | Send | EmbedLinks | AttachFiles | ReadHistory | MentionAll |
	UseCommands | CreateThreads | SendInThreads | SendVoice

// everything are an administrator's permissions.
const everything = ordinary | Administrator | ManageMessages

// permits returns the permissions of a user in a guild.
func (g *guild) permits(user string) Permission {
	p := ordinary
	for _, r := range g.roles {
		if g.has(user, r.id) {
			p |= r.permits
		}
	}
	if p&Administrator != 0 {
		p = everything
	}
	return p
}

// refusal is the error of a call.
type refusal struct {
	status, code int
	message      string
	fields       object // what is wrong with each field of a form
}

// https://discord.com/developers/docs/topics/opcodes-and-status-codes#json
var (
	unauthorized       = &refusal{status: 401, message: "401: Unauthorized"}
	notFound           = &refusal{status: 404, message: "404: Not Found"}
	unknownChannel     = &refusal{status: 404, code: 10003, message: "Unknown Channel"}
	unknownGuild       = &refusal{status: 404, code: 10004, message: "Unknown Guild"}
	unknownMember      = &refusal{status: 404, code: 10007, message: "Unknown Member"}
	unknownMessage     = &refusal{status: 404, code: 10008, message: "Unknown Message"}
	voiceContent       = &refusal{status: 400, code: 50159, message: "Voice messages do not support additional content"}
	voiceFiles         = &refusal{status: 400, code: 50160, message: "Voice messages must have a single audio attachment"}
	voiceMetadata      = &refusal{status: 400, code: 50161, message: "Voice messages must have supporting metadata"}
	voiceForbidden     = &refusal{status: 403, code: 50173, message: "Cannot send voice messages in this channel"}
	unknownUser        = &refusal{status: 404, code: 10013, message: "Unknown User"}
	unknownEmoji       = &refusal{status: 400, code: 10014, message: "Unknown Emoji"}
	unknownWebhook     = &refusal{status: 404, code: 10015, message: "Unknown Webhook"}
	unknownInteraction = &refusal{status: 404, code: 10062, message: "Unknown interaction"}
	tooManyReactions   = &refusal{status: 400, code: 30010, message: "Maximum number of reactions reached (20)"}
	tooLarge           = &refusal{status: 413, code: 40005, message: "Request entity too large"}
	acknowledged       = &refusal{status: 400, code: 40060, message: "Interaction has already been acknowledged."}
	missingAccess      = &refusal{status: 403, code: 50001, message: "Missing Access"}
	notInDM            = &refusal{status: 403, code: 50003, message: "Cannot execute action on a DM channel"}
	notTheAuthor       = &refusal{status: 403, code: 50005, message: "Cannot edit a message authored by another user"}
	emptyMessage       = &refusal{status: 400, code: 50006, message: "Cannot send an empty message"}
	noText             = &refusal{status: 400, code: 50008, message: "Cannot send messages in a non-text channel"}
	missingPermissions = &refusal{status: 403, code: 50013, message: "Missing Permissions"}
	wrongChannel       = &refusal{status: 400, code: 50024, message: "Cannot execute action on this channel type"}
	badWebhookToken    = &refusal{status: 401, code: 50027, message: "Invalid Webhook Token"}
	tooManyFollowUps   = &refusal{status: 400, code: 40094, message: "This interaction reached the maximum number of follow-up messages"}
	threadArchived     = &refusal{status: 400, code: 50083, message: "Thread is archived"}
	badJSON            = &refusal{status: 400, code: 50109, message: "The request body contains invalid JSON."}
	noHistory          = &refusal{status: 400, code: 160002, message: "Cannot reply without permission to read message history"}
	threadExists       = &refusal{status: 400, code: 160004, message: "A thread has already been created for this message"}
	threadLocked       = &refusal{status: 400, code: 160005, message: "Thread is locked"}
	tooManyThreads     = &refusal{status: 400, code: 160006, message: "Maximum number of active threads reached"}
	titleBlocked       = &refusal{status: 400, code: 200001, message: "Title was blocked by automatic moderation"}
)

// invalid returns the refusal of a form with a fault, or nil.
func invalid(f *form.Fault) *refusal {
	if f == nil {
		return nil
	}
	return badForm(f.Field, f.Code, f.Message)
}

// badForm returns the refusal of a form with one wrong field.
func badForm(field, code, message string) *refusal {
	return &refusal{
		status: 400, code: 50035, message: "Invalid Form Body",
		fields: object{field: object{"_errors": []object{{"code": code, "message": message}}}},
	}
}
