package slacktest

import (
	"cmp"
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"time"
)

// Message is what people see of a message, whoever wrote it.
type Message struct {
	Channel  string
	TS       string
	ThreadTS string // "" outside of threads; a root with replies names itself
	User     string // the author
	BotID    string
	Subtype  string
	Text     string
	Blocks   json.RawMessage // as they were sent; nil for none
	Files    []SharedFile
	// Reactions in the order in which each name was first added.
	Reactions []Reaction
	// Notified are the people whom the message mentions: by <@U…>, by <!channel>,
	// <!here> or <!everyone>. An edit notifies nobody.
	Notified []string
	Edited   int // how often
	// Streaming tells that it is a stream that has not ended.
	Streaming bool
}

// SharedFile is a file of a message.
type SharedFile struct {
	ID, Name, Title, AltTxt string
	Data                    []byte // not a copy: do not change
}

// Reaction is a reaction on a message and whose it is.
type Reaction struct {
	Name  string
	Users []string
	At    time.Time // when it was first added
}

// Ephemeral is a message that only one person saw. An answer at a response URL has that, and its blocks.
type Ephemeral struct {
	User, Text, ResponseURL string
	Blocks                  json.RawMessage
}

// messageState is a message as it is now.
type messageState struct {
	ts, threadTS, user, botID, subtype, text string
	blocks, metadata, attachments            json.RawMessage
	fromText                                 bool // the blocks are made from the text, and follow it
	files                                    []*fileState
	reactions                                []Reaction
	notified                                 []string
	edited                                   int
	editedTS, editedBy                       string
	tombstone                                bool
	stream                                   *streamState // nil unless it is streaming
	sent                                     []*delivery  // its first events
}

// inChannel reports whether the message is outside of threads, or the root of one.
func (m *messageState) inChannel() bool { return m.threadTS == "" || m.threadTS == m.ts }

// object returns the message as the Web API shows it.
func (m *messageState) object(c *channelState, withMetadata bool) object {
	o := m.bare()
	if withMetadata && m.metadata != nil {
		o["metadata"] = m.metadata
	}
	if len(m.reactions) > 0 {
		reactions := make([]object, 0, len(m.reactions))
		for _, r := range m.reactions {
			reactions = append(reactions, object{"name": r.Name, "count": len(r.Users), "users": slices.Clone(r.Users)})
		}
		o["reactions"] = reactions
	}
	if m.threadTS == m.ts && m.ts != "" {
		replies := c.replies(m.ts)
		if o["reply_count"] = len(replies); len(replies) > 0 {
			o["latest_reply"] = replies[len(replies)-1].ts
		}
	}
	return o
}

// bare returns the message as events show it, without reactions and counts.
func (m *messageState) bare() object {
	if m.tombstone {
		return object{
			"type": "message", "subtype": "tombstone", "text": "This message was deleted.", "user": "USLACKBOT",
			"hidden": true, "ts": m.ts, "thread_ts": m.ts,
		}
	}
	o := object{"type": "message", "text": m.text, "ts": m.ts, "team": teamID}
	for key, value := range map[string]string{"user": m.user, "subtype": m.subtype, "thread_ts": m.threadTS, "bot_id": m.botID} {
		if value != "" {
			o[key] = value
		}
	}
	if m.botID == "" {
		o["client_msg_id"] = "c" + strings.ReplaceAll(m.ts, ".", "-")
	}
	if m.blocks != nil {
		o["blocks"] = m.blocks
	}
	if m.attachments != nil {
		o["attachments"] = m.attachments
	}
	if len(m.files) > 0 {
		files := make([]object, 0, len(m.files))
		for _, f := range m.files {
			files = append(files, f.inMessage())
		}
		o["files"], o["upload"] = files, false
	}
	if m.editedTS != "" {
		o["edited"] = object{"user": m.editedBy, "ts": m.editedTS}
	}
	return o
}

// show returns the message as tests see it.
func (m *messageState) show(c *channelState) Message {
	shown := Message{
		Channel: c.id, TS: m.ts, ThreadTS: m.threadTS, User: m.user, BotID: m.botID, Subtype: m.subtype, Text: m.text, Blocks: m.blocks,
		Notified: slices.Clone(m.notified), Edited: m.edited, Streaming: m.stream != nil,
	}
	if m.tombstone {
		shown.Subtype = "tombstone"
	}
	for _, f := range m.files {
		shown.Files = append(shown.Files, SharedFile{f.ID, f.Name, f.title, f.AltTxt, f.Data})
	}
	for _, r := range m.reactions {
		shown.Reactions = append(shown.Reactions, Reaction{Name: r.Name, Users: slices.Clone(r.Users), At: r.At})
	}
	return shown
}

// react changes the reactions of a message, and reports whether it did.
func (m *messageState) react(user, name string, added bool) bool {
	base, _, _ := strings.Cut(name, "::")
	i := slices.IndexFunc(m.reactions, func(r Reaction) bool { return r.Name == base })
	if i < 0 {
		if added {
			m.reactions = append(m.reactions, Reaction{Name: base, Users: []string{user}, At: time.Now()})
		}
		return added
	}
	r := &m.reactions[i]
	at := slices.Index(r.Users, user)
	switch {
	case added && at < 0:
		r.Users = append(r.Users, user)
	case !added && at >= 0:
		r.Users = slices.Delete(r.Users, at, at+1)
		if len(r.Users) == 0 {
			m.reactions = slices.Delete(m.reactions, i, i+1)
		}
	default:
		return false
	}
	return true
}

var (
	mentionForm = regexp.MustCompile(`<@([UW][A-Z0-9]+)(?:\|[^>]*)?>`)
	toAllForm   = regexp.MustCompile(`<!(?:channel|here|everyone|group)(?:\|[^>]*)?>`)
)

// mentions finds the members of a channel whom a message mentions.
type mentions struct {
	*channelState
	users map[string]*userState
}

// notified returns the people whom a message mentions. If it has blocks, only they count: the
// text is only what a notification shows.
func (in mentions) notified(m *messageState) []string {
	var ids []string
	var all any
	if m.blocks == nil || json.Unmarshal(m.blocks, &all) != nil {
		ids = in.byText(m.text)
	}
	eachObject(all, func(o object) {
		if id, ok := o["user_id"].(string); ok && o["type"] == "user" {
			ids = append(ids, id)
		} else if o["type"] == "broadcast" {
			ids = append(ids, in.all()...)
		}
	})
	slices.Sort(ids)
	ids = slices.Compact(ids)
	return slices.DeleteFunc(ids, func(id string) bool { return in.users[id] == nil || id == m.user || !in.members[id] })
}

// byText returns the people whom a text mentions, by <@U…> and <!channel>.
func (in mentions) byText(text string) []string {
	var ids []string
	for _, found := range mentionForm.FindAllStringSubmatch(text, -1) {
		ids = append(ids, found[1])
	}
	if toAllForm.MatchString(text) {
		ids = append(ids, in.all()...)
	}
	return ids
}

// all returns the members who are not bots.
func (in mentions) all() []string {
	var ids []string
	for id := range in.members {
		if u := in.users[id]; u != nil && u.botID == "" {
			ids = append(ids, id)
		}
	}
	return ids
}

var (
	entityForm = regexp.MustCompile(`<(@?)([^>|]*)(?:\|([^>]*))?>`)
	unescape   = strings.NewReplacer("&lt;", "<", "&gt;", ">", "&amp;", "&")
)

// richText returns the block into which Slack turns the text of a person.
func richText(text string) json.RawMessage {
	elements := []object{}
	plain := func(t string) {
		if t != "" {
			elements = append(elements, object{"type": "text", "text": unescape.Replace(t)})
		}
	}
	last := 0
	for _, at := range entityForm.FindAllStringSubmatchIndex(text, -1) {
		plain(text[last:at[0]])
		last = at[1]
		if target := text[at[4]:at[5]]; at[2] < at[3] {
			elements = append(elements, object{"type": "user", "user_id": target})
		} else {
			elements = append(elements, object{"type": "link", "url": target})
		}
	}
	plain(text[last:])
	return encode([]object{{
		"type": "rich_text", "block_id": "rt", "elements": []object{{"type": "rich_text_section", "elements": elements}},
	}})
}

var escape = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;")

// textOf returns the text that Slack makes of rich text if a message comes without one.
func textOf(blocks json.RawMessage) string {
	var all []object
	if json.Unmarshal(blocks, &all) != nil {
		return ""
	}
	var lines []string
	for _, b := range all {
		if b["type"] == "rich_text" {
			lines = append(lines, wordsOf(b))
		}
	}
	return strings.Join(lines, "\n")
}

// wordsOf returns the words of an element of rich text.
func wordsOf(e object) string {
	word := func(key string) string {
		text, _ := e[key].(string) //nolint:errcheck // another type is no text
		return text
	}
	switch e["type"] {
	case "user":
		return "<@" + word("user_id") + ">"
	case "text", "link":
		return escape.Replace(cmp.Or(word("text"), word("url")))
	}
	var all strings.Builder
	inner, _ := e["elements"].([]any) //nolint:errcheck // it has none
	for n, i := range inner {
		if i, ok := i.(object); ok {
			if n > 0 && e["type"] == "rich_text_list" {
				all.WriteByte('\n')
			}
			all.WriteString(wordsOf(i))
		}
	}
	return all.String()
}
