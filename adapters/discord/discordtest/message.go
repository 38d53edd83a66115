package discordtest

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"time"
)

// The kinds of messages. https://discord.com/developers/docs/resources/message
const (
	kindDefault = 0
	kindReply   = 19
	kindSlash   = 20
	kindStarter = 21 // the message from which a thread was begun: written by Discord in the thread
	kindMenu    = 23
)

// The flags of messages.
const (
	flagCrossposted = 1 << 1
	flagNoEmbeds    = 1 << 2
	flagHasThread   = 1 << 5
	flagEphemeral   = 1 << 6
	flagLoading     = 1 << 7
	flagSilent      = 1 << 12
	flagVoice       = 1 << 13
)

// entry is a message as the server keeps it.
type entry struct {
	id          string
	channel     *channel
	author      User
	kind        int
	content     string
	flags       int
	created     time.Time
	edited      time.Time // zero where it was not
	edits       int
	attachments []*attachment
	embeds      []json.RawMessage
	rows        []component
	reference   *reference
	snapshot    *entry   // what is forwarded
	thread      *channel // that was begun from it
	nonce       string
	noncedAt    time.Time
	reactions   []*Reaction
	interaction *Interaction
	webhook     bool

	mentions      []string // users whom it notifies, in the order of the text
	mentionsRoles []string
	everyone      bool
	notified      []string
}

// reference is what a message is about.
type reference struct {
	Type            int    `json:"type"` // 1 where it is forwarded
	Message         string `json:"message_id,omitempty"`
	Channel         string `json:"channel_id,omitempty"`
	Guild           string `json:"guild_id,omitempty"`
	FailIfNotExists *bool  `json:"fail_if_not_exists,omitempty"`
}

const forwarded = 1

func (c *channel) find(id string) *entry {
	if i, ok := c.index(id); ok {
		return c.messages[i]
	}
	return nil
}

// index is where a message stands or would stand.
func (c *channel) index(id string) (int, bool) {
	return slices.BinarySearchFunc(c.messages, id, func(m *entry, id string) int { return compareIDs(m.id, id) })
}

// compareIDs compares two snowflakes.
func compareIDs(a, b string) int {
	if len(a) != len(b) {
		return len(a) - len(b)
	}
	return strings.Compare(a, b)
}

// replied is the message to which one is a reply, or nil.
func (s *Server) replied(m *entry) *entry {
	if m.reference == nil || m.reference.Type == forwarded {
		return nil
	}
	if c := s.channels[m.reference.Channel]; c != nil {
		return c.find(m.reference.Message)
	}
	return nil
}

// add puts a message into its channel, and tells of it.
func (s *Server) add(m *entry) { s.put(m, s.id()) }

// put puts a message with an id into its channel.
func (s *Server) put(m *entry, id string) {
	m.id, m.created = id, s.now()
	if m.flags&flagEphemeral != 0 {
		return
	}
	c := m.channel
	if c.archived {
		s.archive(c, false)
	}
	if m.author.ID == s.bot.ID {
		c.typing = time.Time{}
	}
	c.messages = append(c.messages, m)
	s.tellMessage("MESSAGE_CREATE", m)
}

// Everybody is who is notified by @everyone and @here.
const Everybody = "everybody"

// allowed is what a message may notify. https://discord.com/developers/docs/resources/message
type allowed struct {
	Parse   []string `json:"parse"`
	Users   []string `json:"users"`
	Roles   []string `json:"roles"`
	Replied bool     `json:"replied_user"`
}

// all is what is allowed where nothing is said.
func all() *allowed {
	return &allowed{Parse: []string{"users", "roles", "everyone"}, Replied: true}
}

func (a *allowed) check() *refusal {
	for _, kind := range a.Parse {
		switch {
		case kind == "users" && len(a.Users) > 0, kind == "roles" && len(a.Roles) > 0:
			return badForm("allowed_mentions", "MESSAGE_ALLOWED_MENTIONS_PARSE_EXCLUSIVE", "parse and "+kind+" are mutually exclusive.")
		case !slices.Contains([]string{"users", "roles", "everyone"}, kind):
			return badForm("allowed_mentions", "BASE_TYPE_CHOICES", "Value must be one of ('users', 'roles', 'everyone').")
		}
	}
	if len(a.Users) > 100 || len(a.Roles) > 100 {
		return badForm("allowed_mentions", "BASE_TYPE_MAX_LENGTH", "Must be 100 or fewer in length.")
	}
	return nil
}

func (a *allowed) user(id string) bool {
	return slices.Contains(a.Parse, "users") || slices.Contains(a.Users, id)
}

func (a *allowed) role(id string) bool {
	return slices.Contains(a.Parse, "roles") || slices.Contains(a.Roles, id)
}

var (
	codeText    = regexp.MustCompile("(?s)```.*?```|``.+?``|`[^`]+`")
	userMention = regexp.MustCompile(`<@!?(\d+)>`)
	roleMention = regexp.MustCompile(`<@&(\d+)>`)
	allMention  = regexp.MustCompile(`@(everyone|here)`)
)

// mention works out whom a message mentions and so notifies. What stands in code does not.
func (s *Server) mention(m *entry, a *allowed) {
	text := codeText.ReplaceAllString(m.content, " ")
	m.mentions, m.mentionsRoles, m.everyone = nil, nil, false
	if replied := s.replied(m); replied != nil && a.Replied {
		m.mentions = append(m.mentions, replied.author.ID)
	}
	for _, found := range userMention.FindAllStringSubmatch(text, -1) {
		if _, known := s.users[found[1]]; known && a.user(found[1]) && !slices.Contains(m.mentions, found[1]) {
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

// notify keeps who is told of a new message.
func (m *entry) notify() {
	if m.flags&flagSilent != 0 {
		return
	}
	m.notified = slices.Clone(m.mentions)
	for user, roles := range m.assigned() {
		if slices.ContainsFunc(roles, func(r string) bool { return slices.Contains(m.mentionsRoles, r) }) {
			m.notified = append(m.notified, user)
		}
	}
	if m.everyone {
		m.notified = append(m.notified, Everybody)
	}
	slices.Sort(m.notified)
	m.notified = slices.DeleteFunc(slices.Compact(m.notified), func(id string) bool { return id == m.author.ID })
}

func (m *entry) assigned() map[string][]string {
	if m.channel.guild == nil {
		return nil
	}
	return m.channel.guild.assigned
}
