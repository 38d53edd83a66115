package convert

import (
	"cmp"
	"encoding/json"
	"path"
	"strconv"
	"strings"
	"time"

	"github.com/bwmarrin/discordgo"

	"atelier/adapters"
)

// Name is the name of the adapter.
const Name = "discord"

type (
	// Object is any object of Discord. All have only the fields that are needed; the library's own
	// lack the descriptions of attachments and forwarded messages.
	Object struct {
		ID string `json:"id"`
	}
	// User is a person or a bot.
	User struct {
		ID      string  `json:"id"`
		Name    string  `json:"username"`
		Display string  `json:"global_name"`
		Bot     bool    `json:"bot"`
		System  bool    `json:"system"`
		Member  *Member `json:"member"` // of users mentioned in a server
	}
	// Member is a user in a server.
	Member struct {
		User        *User    `json:"user"`
		Nick        string   `json:"nick"`
		Roles       []string `json:"roles"`
		Permissions string   `json:"permissions"` // in the channel of an interaction
	}
	// Attachment is a file of a message.
	Attachment struct {
		ID          string `json:"id"`
		Filename    string `json:"filename"`
		Title       string `json:"title"` // name shown to people, if different
		Description string `json:"description"`
		Type        string `json:"content_type"`
		Size        int64  `json:"size"`
		URL         string `json:"url"`
	}
	// Message is a message of a channel.
	Message struct {
		ID          string                      `json:"id"`
		Channel     string                      `json:"channel_id"`
		Guild       string                      `json:"guild_id"`
		Type        discordgo.MessageType       `json:"type"`
		Flags       discordgo.MessageFlags      `json:"flags"`
		Content     string                      `json:"content"`
		At          time.Time                   `json:"timestamp"`
		EditedAt    time.Time                   `json:"edited_timestamp"`
		Author      User                        `json:"author"`
		Member      *Member                     `json:"member"`
		Webhook     string                      `json:"webhook_id"`
		Mentions    []User                      `json:"mentions"`
		Roles       []string                    `json:"mention_roles"`
		Attachments []Attachment                `json:"attachments"`
		Components  []Component                 `json:"components"`
		Reference   *discordgo.MessageReference `json:"message_reference"`
		Referenced  *Message                    `json:"referenced_message"`
		Snapshots   []struct {
			Message Message `json:"message"`
		} `json:"message_snapshots"`
		Reactions []struct {
			Me    bool            `json:"me"`
			Emoji discordgo.Emoji `json:"emoji"`
		} `json:"reactions"`
	}
	// Deletion is one deleted message, or several.
	Deletion struct {
		ID      string   `json:"id"`
		IDs     []string `json:"ids"`
		Channel string   `json:"channel_id"`
		Guild   string   `json:"guild_id"`
	}
	// Reaction is a reaction that was added or removed.
	Reaction struct {
		User    string          `json:"user_id"`
		Channel string          `json:"channel_id"`
		Message string          `json:"message_id"`
		Author  string          `json:"message_author_id"` // only if it was added
		Guild   string          `json:"guild_id"`
		Member  *Member         `json:"member"`
		Emoji   discordgo.Emoji `json:"emoji"`
	}
	// Guild is a server.
	Guild struct {
		ID          string    `json:"id"`
		Owner       string    `json:"owner_id"`
		Tier        int       `json:"premium_tier"` // of its boosts, from 0 to 3
		Roles       []Role    `json:"roles"`
		Unavailable bool      `json:"unavailable"`
		Channels    []Channel `json:"channels"`
		Threads     []Channel `json:"threads"`
	}
	// Role is a role of a server.
	Role struct {
		ID          string `json:"id"`
		Name        string `json:"name"`
		Permissions int64  `json:"permissions,string"`
		Tags        struct {
			Bot string `json:"bot_id"`
		} `json:"tags"`
	}
	// Channel is a channel or a thread.
	Channel struct {
		ID         string                           `json:"id"`
		Guild      string                           `json:"guild_id"`
		Parent     string                           `json:"parent_id"`
		Type       discordgo.ChannelType            `json:"type"`
		Name       string                           `json:"name"`
		Last       string                           `json:"last_message_id"`
		Overwrites []*discordgo.PermissionOverwrite `json:"permission_overwrites"`
		Thread     struct {
			Archived bool `json:"archived"`
			Locked   bool `json:"locked"`
		} `json:"thread_metadata"`
	}
	// Interaction is a command, a button or a form.
	Interaction struct {
		ID          string                    `json:"id"`
		Application string                    `json:"application_id"`
		Type        discordgo.InteractionType `json:"type"`
		Token       string                    `json:"token"`
		Guild       string                    `json:"guild_id"`
		Channel     string                    `json:"channel_id"`
		Place       *Channel                  `json:"channel"`
		Locale      string                    `json:"locale"`
		MaxFile     int64                     `json:"attachment_size_limit"` // bytes
		Context     int                       `json:"context"`
		// Owners installed the bot, by the kind of installation.
		Owners  map[string]string `json:"authorizing_integration_owners"`
		Member  *Member           `json:"member"`
		User    *User             `json:"user"`
		Message *Message          `json:"message"`
		Data    struct {
			Name     string                           `json:"name"`
			Type     discordgo.ApplicationCommandType `json:"type"`
			ID       string                           `json:"custom_id"`
			Target   string                           `json:"target_id"`
			Options  []Value                          `json:"options"`
			Resolved struct {
				Attachments map[string]Attachment `json:"attachments"`
				Messages    map[string]Message    `json:"messages"`
				Users       map[string]User       `json:"users"`
				Members     map[string]*Member    `json:"members"`
			} `json:"resolved"`
			Components []Input `json:"components"`
		} `json:"data"`
	}
	// Value is the value of a command's option, or a subcommand with its options.
	Value struct {
		Name    string  `json:"name"`
		Value   any     `json:"value"`
		Options []Value `json:"options"`
	}
	// Input is a field of a form, or a row of fields.
	Input struct {
		ID         string   `json:"custom_id"`
		Value      string   `json:"value"`
		Values     []string `json:"values"`
		Components []Input  `json:"components"`
		Component  *Input   `json:"component"`
	}
	// Dispatch is an event of the gateway.
	Dispatch struct {
		Session  string
		Sequence int64
		Name     string
		Data     []byte
	}
)

// IsThread reports whether a channel is a thread.
func (c *Channel) IsThread() bool {
	return c.Type >= discordgo.ChannelTypeGuildNewsThread && c.Type <= discordgo.ChannelTypeGuildPrivateThread
}

// By returns the user who interacted, or nil.
func (i *Interaction) By() *User {
	if i.Member != nil && i.Member.User != nil {
		return i.Member.User
	}
	return i.User
}

// inDirect is the context of an interaction in the direct channel of the bot.
const inDirect = 1

// IsGuest reports whether the bot is not a member of the place of an interaction: only a person has installed it.
func (i *Interaction) IsGuest() bool {
	_, here := i.Owners["0"]
	return len(i.Owners) > 0 && !here && i.Context != inDirect
}

// Webhook returns the path for answering an interaction. It holds a token.
func (i *Interaction) Webhook() string { return "webhooks/" + i.Application + "/" + i.Token }

// IsWritten reports whether somebody wrote a message, or replied.
func (m *Message) IsWritten() bool {
	return m.Type == discordgo.MessageTypeDefault || m.Type == discordgo.MessageTypeReply
}

// IsWhole reports whether an update of a message is complete.
func IsWhole(data []byte) bool {
	var told map[string]json.RawMessage
	if err := json.Unmarshal(data, &told); err != nil {
		return false
	}
	for _, field := range []string{"author", "content", "type", "timestamp"} {
		if value := told[field]; len(value) == 0 || string(value) == "null" {
			return false
		}
	}
	return true
}

// Shows reports whether the bot put an emoji on a message.
func (m *Message) Shows(emoji string) bool {
	for _, r := range m.Reactions {
		if r.Me && strings.TrimSuffix(r.Emoji.Name, "\ufe0f") == strings.TrimSuffix(emoji, "\ufe0f") {
			return true
		}
	}
	return false
}

// UserName returns the name of somebody whom a message mentions, or "".
func (m *Message) UserName(id string) string {
	for _, u := range m.Mentions {
		if u.ID == id {
			return DisplayName(u, nil)
		}
	}
	return ""
}

// Files returns the files of a message and of those that it forwards.
func (m *Message) Files() []adapters.File {
	var all []adapters.File
	for _, a := range m.attachments() {
		f := a.File()
		f.Voice = m.Flags&discordgo.MessageFlagsIsVoiceMessage != 0
		all = append(all, f)
	}
	for _, s := range m.Snapshots {
		all = append(all, s.Message.Files()...)
	}
	return all[:min(len(all), adapters.MaxFiles)]
}

// HandlePrefix begins the handle of a file; its signed address follows.
const HandlePrefix = Name + " "

// File converts an attachment.
func (a Attachment) File() adapters.File {
	name := a.Title
	if name == "" {
		name = a.Filename
	} else if kind := path.Ext(a.Filename); !strings.EqualFold(path.Ext(name), kind) { // titles may lack it
		name += kind
	}
	return adapters.File{
		ID: a.ID, Name: cmp.Or(OneLine(name), "file"), Size: max(a.Size, 0), Type: OneLine(a.Type), Alt: adapters.Cut(a.Description, 4<<10),
		Handle: HandlePrefix + a.URL,
	}
}

// DisplayName returns a user's name as shown in a server.
func DisplayName(u User, m *Member) string {
	names := []string{u.Display, u.Name}
	for _, as := range []*Member{u.Member, m} {
		if as != nil {
			names = append([]string{as.Nick}, names...)
		}
	}
	for _, name := range names {
		if name = OneLine(name); name != "" {
			return name
		}
	}
	return ""
}

// Ref returns the address of a message.
func Ref(guild, channel, id string) adapters.MessageRef {
	return adapters.MessageRef{Adapter: Name, Workspace: guild, Channel: channel, ID: id}
}

// IsID reports whether a text is a Discord id, which is safe in a path.
func IsID(s string) bool {
	return s != "" && len(s) <= 20 && strings.Trim(s, "0123456789") == ""
}

// Order returns an id as a number; ids grow with time.
func Order(id string) int64 {
	n, err := strconv.ParseInt(id, 10, 64)
	if err != nil {
		return 0
	}
	return n
}

// epoch is the start of the timestamps in Discord's ids, in Unix milliseconds.
const epoch = 1420070400000

// CreatedAt returns the time at which an id was created.
func CreatedAt(id string) time.Time {
	if n := Order(id); n>>22 > 0 {
		return time.UnixMilli(n>>22 + epoch).UTC()
	}
	return time.Time{}
}
