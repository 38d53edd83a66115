package adapters

import (
	"cmp"
	"log/slog"
	"slices"
	"strings"
	"time"
)

// Thread is a conversation. Its parts are the platform's ids, "" if the platform has none.
type Thread struct {
	Adapter   string `json:"adapter"`             // name of the adapter that writes there
	Workspace string `json:"workspace,omitempty"` // a Discord server or a Slack workspace
	Channel   string `json:"channel"`
	// ID tells the threads of a channel apart. It is the id of the message that begins the thread, or will begin
	// it when the bot answers. "" is the whole channel, as in direct messages.
	ID string `json:"id,omitempty"`
	// Direct means that nobody else reads it. It is not part of the thread's identity.
	Direct bool `json:"direct,omitempty"`
}

// Key identifies the thread across adapters. It is one part of a storage key.
func (t Thread) Key() string { return key(t.Adapter, t.Workspace, t.Channel, t.ID) }

// MessageRef is the address of a message. Channel is where the platform keeps it, so that a reaction leads to its
// message: on Discord a thread is a channel of its own.
type MessageRef struct {
	Adapter   string `json:"adapter"`
	Workspace string `json:"workspace,omitempty"`
	Channel   string `json:"channel"`
	ID        string `json:"id"`
	// Parts are the ids of further messages, in the same channel, that were sent with this one, as for a long
	// reply. Reactions to any of them count.
	Parts []string `json:"parts,omitempty"`
}

// Key identifies the message across adapters. It is one part of a storage key.
func (m MessageRef) Key() string { return key(m.Adapter, m.Workspace, m.Channel, m.ID) }

// Keys returns the keys of the message and of its parts.
func (m MessageRef) Keys() []string {
	keys := []string{m.Key()}
	for _, id := range m.Parts {
		keys = append(keys, key(m.Adapter, m.Workspace, m.Channel, id))
	}
	return keys
}

// Last returns the same messages, in the order in which they were posted, with the last one first: it has the choices and
// gets the reactions. Adapters return it once, from Send.
func (m MessageRef) Last() MessageRef {
	if n := len(m.Parts); n > 0 {
		ids := append([]string{m.ID}, m.Parts...)
		m.ID, m.Parts = ids[n], ids[:n:n]
	}
	return m
}

// IsZero reports whether m is empty.
func (m MessageRef) IsZero() bool {
	return m.Adapter == "" && m.Workspace == "" && m.Channel == "" && m.ID == "" && len(m.Parts) == 0
}

// Message is a message that somebody wrote.
type Message struct {
	Ref MessageRef `json:"ref"`
	// Order is larger for later messages of a thread. It is derived from the platform's ids.
	Order int64 `json:"order"`
	// For says how the message is addressed to the bot.
	For Address `json:"for"`
	// Text is as people see it, without the mention of the bot, and with others' mentions as
	// "@name". It may be empty if there are files or a message that is replied to.
	Text  string `json:"text,omitempty"`
	Files []File `json:"files,omitempty"`
	// Marks are what the sender marked with this message.
	Marks []Mark `json:"marks,omitempty"`
	// ReplyTo is the message to which this one replies, if known.
	ReplyTo *Earlier `json:"reply_to,omitempty"`
	// Edited is set for an edit of the message, and nil for the message as it was sent.
	Edited *Edited `json:"edited,omitempty"`
}

// Editable is how long after a message was sent its edits count.
const Editable = 24 * time.Hour

// AsksSame reports whether two versions of a message ask for the same: they have the same words, files and marks,
// and reply to the same message. An edit that asks for the same is ignored.
func (m *Message) AsksSame(other *Message) bool {
	return slices.Equal(strings.Fields(m.Text), strings.Fields(other.Text)) &&
		slices.EqualFunc(m.Files, other.Files, File.same) && slices.EqualFunc(m.Marks, other.Marks, Mark.same) &&
		cmp.Or(m.ReplyTo, &Earlier{}).Ref.Key() == cmp.Or(other.ReplyTo, &Earlier{}).Ref.Key()
}

// Edited describes the original of an edited message.
type Edited struct {
	// Event is the ID of the original's event. It may not have been delivered.
	Event string    `json:"event"`
	At    time.Time `json:"at"` // when it was sent
}

// Address is how a message is addressed to the bot.
type Address string

// The kinds of address. A mention takes precedence over the others, a reply over a direct
// message.
const (
	Mentioned Address = "mention"
	Replied   Address = "reply" // to something that the bot wrote
	Direct    Address = "direct"
	// Overheard is a message in a thread that is not clearly meant for the bot. It is delivered because it may
	// answer the bot's question, or the thread may be one person's talk with it. The handler decides, and does not
	// keep what is not meant for the bot (see [Historian] for what was written before the bot was asked). Messages
	// outside of threads are delivered this way only after an edit.
	Overheard Address = "overheard"
)

// Earlier is an earlier message.
type Earlier struct {
	Ref MessageRef `json:"ref"`
	By  Person     `json:"by"`
	// Own means that the bot wrote it.
	Own   bool      `json:"own,omitempty"`
	At    time.Time `json:"at"`
	Text  string    `json:"text,omitempty"`
	Files []File    `json:"files,omitempty"`
}

// File is a file that somebody sent. All fields but the ids are claims of the platform or the sender, and not
// reliable.
type File struct {
	ID   string `json:"id"`             // the platform's id
	Name string `json:"name,omitempty"` // as the sender named it: not a path
	Size int64  `json:"size,omitempty"` // in bytes, 0 if unknown
	Type string `json:"type,omitempty"` // a media type, "" if unknown
	Alt  string `json:"alt,omitempty"`  // the sender's description
	// Voice marks a voice message, recorded in the chat rather than attached as a file.
	Voice bool `json:"voice,omitempty"`
	// Handle is what Fetch needs; only its adapter understands it. It may hold a signed URL, so it stays out of
	// logs and errors.
	Handle string `json:"handle"`
}

// LogValue returns what may be logged of a file: nothing that somebody wrote, and not the handle.
func (f File) LogValue() slog.Value {
	return slog.GroupValue(slog.String("id", f.ID), slog.Int64("size", f.Size), slog.String("type", f.Type))
}

func (f File) same(other File) bool { return f.ID == other.ID }
