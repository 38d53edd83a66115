package discordtest

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"net/http"
	"net/url"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"atelier/adapters/discord/discordtest/form"
)

// renderer shows the state to the bot, as JSON, and to tests.
type renderer struct{ *state }

// downloads serves the files of messages.
type downloads struct{ *renderer }

// linkLife is how long a link to a file is valid.
const linkLife = 24 * time.Hour

// attachment is a stored file.
type attachment struct {
	id, channel    string
	title          string // its original name
	name           string // in links
	kind           string // its media type
	description    string
	content        []byte
	width, height  int
	gone           bool // its link has expired
	voice          bool
	onlyForOneSelf bool
}

// fileName returns the name of a file in links: without folders, spaces and special characters.
func fileName(name string) string {
	name = path.Base(strings.ReplaceAll(name, `\`, "/"))
	name = strings.Map(func(r rune) rune {
		switch {
		case r == ' ':
			return '_'
		case unicode.IsLetter(r), unicode.IsDigit(r), strings.ContainsRune("_-.", r):
			return r
		}
		return -1
	}, name)
	if strings.Trim(name, ".") == "" {
		return "unknown"
	}
	return name
}

const page = "<!DOCTYPE html><html><head><title>Sorry</title></head><body>This is a page.</body></html>\n"

// write reports whether somebody still reads.
func write(w http.ResponseWriter, b []byte) bool {
	_, err := w.Write(b)
	return err == nil
}

// typingLasts is how long somebody is shown as typing.
const typingLasts = 10 * time.Second

// Message is a message as people see it.
type Message struct {
	ID, Channel string
	Author      User
	Content     string
	Attachments []Attachment
	Reactions   []Reaction // in order
	Buttons     []Button   // of all rows, in order
	Components  []form.Component
	ReplyTo     string // the id of the message, or ""
	// Notified are the ids of the users whom it notified when it was posted by mentioning them
	// or their role, and [Everybody].
	Notified  []string
	Flags     int
	Ephemeral bool // only one person sees it
	Thinking  bool // a deferred response, not yet sent
}

// Attachment is a file of a message.
type Attachment struct {
	ID          string
	Name        string // as people see it
	Filename    string // in the link
	Description string
	Content     []byte
	URL         string // valid for a day by the server's clock
}

// Reaction is an emoji on a message.
type Reaction struct {
	Emoji string
	Users []string  // their ids, in order
	At    time.Time // when it was first added, by the machine's clock
}

// Button is a button of a message.
type Button struct {
	CustomID, Label, Emoji string
	Disabled               bool
}

// buttons returns those of all rows.
func buttons(rows []form.Component) (all []Button) {
	form.Walk(rows, func(c *form.Component) {
		if c.Type != form.Button {
			return
		}
		b := Button{CustomID: c.CustomID, Label: c.Label, Disabled: c.Disabled}
		if c.Emoji != nil {
			b.Emoji = c.Emoji.Name
		}
		all = append(all, b)
	})
	return all
}

// stamp returns a time as Discord writes it.
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

// String returns the number that Discord writes.
func (p Permission) String() string { return strconv.FormatUint(uint64(p), 10) }

func (rd *renderer) attachmentJSON(a *attachment) object {
	link := rd.link(a)
	o := object{
		"id": a.id, "filename": a.name, "size": len(a.content), "url": link, "proxy_url": link, "content_type": a.kind, "flags": 0,
	}
	if a.title != a.name {
		o["title"] = a.title
	}
	if a.description != "" {
		o["description"] = a.description
	}
	if a.width > 0 {
		o["width"], o["height"] = a.width, a.height
	}
	if a.onlyForOneSelf {
		o["ephemeral"] = true
	}
	if a.voice {
		o["duration_secs"], o["waveform"] = 1, base64.StdEncoding.EncodeToString(make([]byte, 64))
	}
	return o
}

// link returns a signed address, valid for a day.
func (rd *renderer) link(a *attachment) string {
	at := "/attachments/" + a.channel + "/" + a.id + "/" + url.PathEscape(a.name)
	now := rd.now()
	issued, expires := strconv.FormatInt(now.Unix(), 16), strconv.FormatInt(now.Add(linkLife).Unix(), 16)
	q := url.Values{"ex": {expires}, "is": {issued}, "hm": {rd.sign(a.id, expires, issued)}}
	return rd.address + at + "?" + q.Encode()
}

func (rd *renderer) sign(parts ...string) string {
	mac := hmac.New(sha256.New, rd.secret)
	for _, p := range parts {
		_, _ = mac.Write([]byte(p + "\n")) // never fails
	}
	return hex.EncodeToString(mac.Sum(nil))
}

// linked returns the file of a link, or nil if the link is not valid.
func (dl *downloads) linked(r *http.Request) *attachment {
	dl.mu.Lock()
	defer dl.mu.Unlock()
	a := dl.attachments[r.PathValue("attachment")]
	q := r.URL.Query()
	expires, err := strconv.ParseInt(q.Get("ex"), 16, 64)
	if a == nil || err != nil || a.channel != r.PathValue("channel") || dl.now().Unix() >= expires {
		return nil
	}
	if !hmac.Equal([]byte(q.Get("hm")), []byte(dl.sign(a.id, q.Get("ex"), q.Get("is")))) {
		return nil
	}
	kept := *a
	return &kept
}

func (dl *downloads) serve(w http.ResponseWriter, r *http.Request) {
	a := dl.linked(r)
	if a == nil || a.gone {
		http.Error(w, "This content is no longer available.", http.StatusNotFound)
		return
	}
	w.Header().Set("Content-Type", a.kind)
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(a.content))
}

// show returns a message as people see it.
func (rd *renderer) show(m *entry) Message {
	shown := Message{
		ID: m.id, Channel: m.channel.id, Author: m.author, Content: m.text(), Components: m.rows,
		Buttons: buttons(m.rows), Notified: slices.Clone(m.notified), Flags: m.flags,
		Ephemeral: m.flags&flagEphemeral != 0, Thinking: m.flags&flagLoading != 0,
	}
	listed := m.uploads(rd.link)
	for _, a := range m.attachments {
		if m.rich() && !slices.Contains(listed, a.id) {
			continue // nobody sees it
		}
		shown.Attachments = append(shown.Attachments, Attachment{
			ID: a.id, Name: a.title, Filename: a.name, Description: a.description, Content: slices.Clone(a.content), URL: rd.link(a),
		})
	}
	for _, r := range m.reactions {
		shown.Reactions = append(shown.Reactions, Reaction{Emoji: r.Emoji, Users: slices.Clone(r.Users), At: r.At})
	}
	if m.reference != nil && m.reference.Type != forwarded {
		shown.ReplyTo = m.reference.Message
	}
	return shown
}

// memberJSON returns somebody in a guild.
func (rd *renderer) memberJSON(g *guild, u User, whole bool) object {
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

func (rd *renderer) guildJSON(g *guild) object {
	everyone := &role{id: g.id, name: "@everyone", permits: ordinary}
	roles := []object{everyone.json()}
	for _, r := range g.roles {
		roles = append(roles, r.json())
	}
	channels, threads := []object{}, []object{}
	for _, c := range g.channels {
		switch {
		case rd.may(c)&View == 0, c.archived:
		case c.isThread():
			threads = append(threads, rd.channelJSON(c))
		default:
			channels = append(channels, rd.channelJSON(c))
		}
	}
	return object{
		"id": g.id, "name": g.name, "owner_id": g.owner, "premium_tier": g.tier, "roles": roles, "channels": channels, "threads": threads,
		"members": []object{rd.memberJSON(g, rd.bot, true)}, "member_count": len(rd.users), "joined_at": stamp(g.joined),
		"unavailable": false, "large": false, "emojis": []object{}, "features": []string{}, "preferred_locale": "en-US",
		"voice_states": []object{}, "presences": []object{},
	}
}

func (rd *renderer) channelJSON(c *channel) object {
	o := object{"id": c.id, "type": c.kind, "flags": 0, "last_message_id": nil}
	if n := len(c.messages); n > 0 {
		o["last_message_id"] = c.messages[n-1].id
	}
	switch c.kind {
	case groupChannel:
		o["recipients"] = []object{}
		return o
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
			overwrites = append(overwrites, object{"id": rd.bot.ID, "type": 1, "allow": "0", "deny": c.forbidden.String()})
		}
		o["permission_overwrites"], o["position"], o["parent_id"], o["topic"], o["nsfw"] = overwrites, 0, nil, nil, false
	}
	o["guild_id"], o["name"], o["rate_limit_per_user"] = c.guild.id, c.name, 0
	return o
}

func (rd *renderer) usersJSON(ids []string) []object {
	users := []object{}
	for _, id := range ids {
		users = append(users, rd.users[id].json())
	}
	return users
}

// readable reports whether the bot may read a message without the privileged intent: its own,
// a direct one, or one that mentions it.
func (rd *renderer) readable(m *entry) bool {
	return m.author.ID == rd.bot.ID || m.channel.guild == nil || slices.Contains(m.mentions, rd.bot.ID)
}

// messageJSON returns a message, with its content if intent is set or the bot may read it anyway.
func (rd *renderer) messageJSON(m *entry, intent bool) object {
	o := rd.bareJSON(m, intent)
	switch replied := rd.replied(m); {
	case replied != nil:
		o["referenced_message"] = rd.bareJSON(replied, intent)
	case m.kind == kindReply:
		o["referenced_message"] = nil
	}
	if m.snapshot != nil {
		o["message_snapshots"] = []object{{"message": rd.contentJSON(m.snapshot, intent || rd.readable(m))}}
	}
	return o
}

// bareJSON returns a message without the one that it replies to.
func (rd *renderer) bareJSON(m *entry, intent bool) object {
	o := rd.contentJSON(m, intent || rd.readable(m))
	o["id"], o["channel_id"], o["author"] = m.id, m.channel.id, m.author.json()
	o["tts"], o["pinned"], o["mention_everyone"] = false, false, m.everyone
	if m.nonce != "" {
		o["nonce"] = m.nonce
	}
	if m.reference != nil {
		o["message_reference"] = m.reference
	}
	if m.webhook {
		o["webhook_id"], o["application_id"] = rd.app, rd.app
	}
	if i := m.interaction; i != nil {
		o["interaction_metadata"] = object{"id": i.ID, "type": i.asked, "user": i.By.json(), "authorizing_integration_owners": object{}}
	}
	if m.thread != nil {
		o["thread"] = rd.channelJSON(m.thread)
	}
	if len(m.reactions) > 0 {
		o["reactions"] = rd.reactionsJSON(m)
	}
	return o
}

// contentJSON returns the part of a message that is forwarded, and that takes the privileged intent.
func (rd *renderer) contentJSON(m *entry, readable bool) object {
	o := object{
		"type": m.kind, "flags": m.flags, "timestamp": stamp(m.created), "edited_timestamp": nil,
		"mentions": rd.usersJSON(m.mentions), "mention_roles": append([]string{}, m.mentionsRoles...),
		"content": "", "attachments": []object{}, "embeds": []object{}, "components": []object{},
	}
	if !m.edited.IsZero() {
		o["edited_timestamp"] = stamp(m.edited)
	}
	if !readable {
		return o
	}
	attachments := []object{}
	inComponents := m.uploads(rd.link)
	for _, a := range m.attachments {
		if slices.Contains(inComponents, a.id) {
			continue // Discord lists only those that no component shows
		}
		attachments = append(attachments, rd.attachmentJSON(a))
	}
	o["content"], o["attachments"] = m.content, attachments
	o["embeds"] = append([]json.RawMessage{}, m.embeds...)
	o["components"] = append([]form.Component{}, m.rows...)
	return o
}

func (rd *renderer) reactionsJSON(m *entry) []object {
	reactions := []object{}
	for _, r := range m.reactions {
		reactions = append(reactions, object{
			"emoji": object{"id": nil, "name": r.Emoji}, "count": len(r.Users), "me": slices.Contains(r.Users, rd.bot.ID),
			"burst_colors": []string{}, "count_details": object{"normal": len(r.Users), "burst": 0}, "me_burst": false,
		})
	}
	return reactions
}

func (rd *renderer) appFlags() int {
	if rd.content {
		return appContentLimited
	}
	return 0
}
