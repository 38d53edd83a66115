package discordtest

import (
	"encoding/json"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"atelier/adapters/discord/discordtest/form"
)

// Limits of messages.
const (
	mostText        = 2000 // characters
	mostFiles       = 10
	mostNonce       = 25
	mostDescription = 1024
)

// messageBody is the body of a call that posts or edits a message.
type messageBody struct {
	Content     *string           `json:"content"`
	Nonce       string            `json:"nonce"`
	Enforce     bool              `json:"enforce_nonce"`
	Allowed     *allowed          `json:"allowed_mentions"`
	Reference   *reference        `json:"message_reference"`
	Components  *[]form.Component `json:"components"`
	Attachments *[]attachmentBody `json:"attachments"`
	Flags       *int              `json:"flags"`
}

// attachmentBody describes a sent file.
type attachmentBody struct {
	ID          int     `json:"id"`
	Filename    string  `json:"filename"`
	Title       *string `json:"title"`
	Description *string `json:"description"`
	Seconds     float64 `json:"duration_secs"`
	Waveform    []byte  `json:"waveform"`
}

// text returns the content as Discord stores it.
func (b *messageBody) text() string {
	if b.Content == nil {
		return ""
	}
	return strings.TrimSpace(*b.Content)
}

// rich reports whether a message must consist of components.
func (b *messageBody) rich() bool { return b.Flags != nil && *b.Flags&flagComponents != 0 }

// check checks the form itself.
func (b *messageBody) check(files map[string]File) *refusal {
	faults := []*form.Fault{form.Length("content", b.text(), 0, mostText), form.Length("nonce", b.Nonce, 0, mostNonce)}
	if b.rich() {
		if b.text() != "" {
			return badForm("content", "MESSAGE_CANNOT_USE_LEGACY_FIELDS_WITH_COMPONENTS_V2", "The 'content' field cannot be used.")
		}
		var names []string
		for field, f := range files {
			names = append(names, fileName(f.Name))
			if told := b.about(fieldNumber(field)); told != nil {
				names = append(names, fileName(told.Filename))
			}
		}
		faults = append(faults, form.Rich(*or(b.Components, &[]form.Component{}), names))
	} else if b.Components != nil {
		faults = append(faults, form.Rows(*b.Components))
	}
	about := or(b.Attachments, &[]attachmentBody{})
	if b.Flags != nil && *b.Flags&flagVoice != 0 {
		if no := b.checkVoice(files, *about); no != nil {
			return no
		}
	}
	for _, a := range *about {
		if a.Description != nil {
			faults = append(faults, form.Length("attachments", *a.Description, 0, mostDescription))
		}
	}
	if f := form.First(faults...); f != nil {
		return invalid(f)
	}
	if len(files) > mostFiles || len(*about) > mostFiles {
		return badForm("attachments", "BASE_TYPE_MAX_LENGTH", "Must be 10 or fewer in length.")
	}
	return or(b.Allowed, all()).check()
}

// mostWaveform is the most bytes of a waveform.
const mostWaveform = 256

// checkVoice checks the form of a voice message, which has one sound and nothing else.
func (b *messageBody) checkVoice(files map[string]File, about []attachmentBody) *refusal {
	switch {
	case b.text() != "" || b.Components != nil && len(*b.Components) > 0:
		return voiceContent
	case len(files) != 1 || len(about) != 1:
		return voiceFiles
	case about[0].Seconds <= 0 || len(about[0].Waveform) == 0 || len(about[0].Waveform) > mostWaveform:
		return voiceMetadata
	}
	for _, f := range files {
		if !strings.HasPrefix(f.Type, "audio/") {
			return voiceFiles
		}
	}
	return nil
}

// fieldNumber is n of files[n], or -1.
func fieldNumber(field string) int {
	n, err := strconv.Atoi(strings.TrimSuffix(strings.TrimPrefix(field, "files["), "]"))
	if err != nil {
		return -1
	}
	return n
}

// about returns the description of the nth file.
func (b *messageBody) about(n int) *attachmentBody {
	if b.Attachments == nil || n < 0 {
		return nil
	}
	for i, a := range *b.Attachments {
		if a.ID == n {
			return &(*b.Attachments)[i]
		}
	}
	return nil
}

func (m *entry) empty() bool {
	return m.content == "" && len(m.attachments) == 0 && len(m.embeds) == 0 && (!m.rich() || len(m.rows) == 0)
}

// rich reports whether a message consists of components.
func (m *entry) rich() bool { return m.flags&flagComponents != 0 }

// text returns what people read.
func (m *entry) text() string {
	if !m.rich() {
		return m.content
	}
	var all []string
	form.Walk(m.rows, func(c *form.Component) {
		if c.Type == form.TextDisplay {
			all = append(all, c.Content)
		}
	})
	return strings.Join(all, "\n")
}

// uploads resolves the files in the components of a message, as Discord reports them, and returns the files' ids.
func (m *entry) uploads(link func(*attachment) string) (ids []string) {
	refer := func(to *form.Media) *attachment {
		for _, a := range m.attachments {
			if to.URL == "attachment://"+a.name || to.ID == a.id {
				to.URL, to.ID, to.Type = link(a), a.id, a.kind
				ids = append(ids, a.id)
				return a
			}
		}
		return nil
	}
	form.Walk(m.rows, func(c *form.Component) {
		for i := range c.Items {
			refer(&c.Items[i].Media)
		}
		if c.File != nil {
			if a := refer(c.File); a != nil {
				c.Name, c.Size = a.name, len(a.content)
			}
		}
	})
	return ids
}

// The kinds of messages. https://discord.com/developers/docs/resources/message
const (
	kindReply   = 19
	kindSlash   = 20
	kindStarter = 21 // Discord's own first message of a thread
	kindMenu    = 23
)

// The flags of messages.
const (
	flagNoEmbeds   = 1 << 2
	flagHasThread  = 1 << 5
	flagEphemeral  = 1 << 6
	flagLoading    = 1 << 7
	flagSilent     = 1 << 12
	flagVoice      = 1 << 13
	flagComponents = 1 << 15
)

// entry is a message as the server stores it.
type entry struct {
	id          string
	channel     *channel
	author      User
	kind        int
	content     string
	flags       int
	created     time.Time
	edited      time.Time // zero if never
	attachments []*attachment
	embeds      []json.RawMessage
	rows        []form.Component
	reference   *reference
	snapshot    *entry   // the forwarded message
	thread      *channel // started from it
	nonce       string
	noncedAt    time.Time
	reactions   []*Reaction
	interaction *Interaction
	webhook     bool

	mentions      []string // users, in the order of the text
	mentionsRoles []string
	everyone      bool
	notified      []string
}

// reference names another message.
type reference struct {
	Type            int    `json:"type"` // 1 for a forwarded one
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

// index returns the index of a message, or where it would be.
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

// Everybody is notified by @everyone and @here.
const Everybody = "everybody"

// allowed is what a message may notify. https://discord.com/developers/docs/resources/message
type allowed struct {
	Parse   []string `json:"parse"`
	Users   []string `json:"users"`
	Roles   []string `json:"roles"`
	Replied bool     `json:"replied_user"`
}

// all allows all mentions, as Discord does by default.
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

// notify records who is notified of a new message.
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
