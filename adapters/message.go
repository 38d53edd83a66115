package adapters

import (
	"log/slog"
	"time"
)

// Thread is a conversation. Its parts are the platform's ids, "" where it has none.
type Thread struct {
	Adapter   string `json:"adapter"`             // the name of the one that writes there
	Workspace string `json:"workspace,omitempty"` // a server of Discord, a workspace of Slack
	Channel   string `json:"channel"`
	// ID tells the threads of a channel apart; it is that of the message with which the
	// thread begins, or will begin when the bot answers. "" is the whole channel, as where
	// people write to the bot directly.
	ID string `json:"id,omitempty"`
	// Direct tells that nobody else reads it. It is no part of what the thread is.
	Direct bool `json:"direct,omitempty"`
}

// Key names the thread among those of all adapters. It is one part of a storage's key.
func (t Thread) Key() string { return key(t.Adapter, t.Workspace, t.Channel, t.ID) }

// MessageRef is the address of a message. Channel is where the platform keeps it, so that
// a reaction's message is known by it: on Discord a thread is a channel of its own.
type MessageRef struct {
	Adapter   string `json:"adapter"`
	Workspace string `json:"workspace,omitempty"`
	Channel   string `json:"channel"`
	ID        string `json:"id"`
	// Parts are the ids of the other messages, in the same channel, that were sent with
	// this one, as a long reply takes several. A reaction to any of them is to be heard.
	Parts []string `json:"parts,omitempty"`
}

// Key names the message among those of all adapters. It is one part of a storage's key.
func (m MessageRef) Key() string { return key(m.Adapter, m.Workspace, m.Channel, m.ID) }

// Keys are the keys of the message and of its parts.
func (m MessageRef) Keys() []string {
	keys := []string{m.Key()}
	for _, id := range m.Parts {
		keys = append(keys, key(m.Adapter, m.Workspace, m.Channel, id))
	}
	return keys
}

// Last is the same messages by the last one, which has the choices and is reacted to.
func (m MessageRef) Last() MessageRef {
	if n := len(m.Parts); n > 0 {
		ids := append([]string{m.ID}, m.Parts...)
		m.ID, m.Parts = ids[n], ids[:n:n]
	}
	return m
}

// IsZero tells whether it is the address of nothing.
func (m MessageRef) IsZero() bool {
	return m.Adapter == "" && m.Workspace == "" && m.Channel == "" && m.ID == "" && len(m.Parts) == 0
}

// Message is what somebody wrote.
type Message struct {
	Ref MessageRef `json:"ref"`
	// Order tells the messages of one thread apart by when they were written: the later,
	// the larger. It is made of the platform's own ids.
	Order int64 `json:"order"`
	// For tells how it is meant for the bot.
	For Address `json:"for"`
	// Text is as people see it, without the mention of the bot, others' mentions as
	// "@name". It may be empty if there are files or a message that is replied to.
	Text  string `json:"text,omitempty"`
	Files []File `json:"files,omitempty"`
	// Marks are what the sender pointed at with this message.
	Marks []Mark `json:"marks,omitempty"`
	// ReplyTo is the message to which this one replies, where it is known.
	ReplyTo *Earlier `json:"reply_to,omitempty"`
	// Edited is set for an edit of the message, and nil for the message as it was sent.
	Edited *Edited `json:"edited,omitempty"`
}

// Edited is the message that was edited, as it was sent.
type Edited struct {
	// Event is the id that its own event has. It may not have been handed over.
	Event string    `json:"event"`
	At    time.Time `json:"at"` // when it was sent
}

// Address is how a message is meant for the bot.
type Address string

// How a message may be meant. A mention goes before the others, a reply before a direct
// message.
const (
	Mentioned Address = "mention"
	Replied   Address = "reply" // to something that the bot wrote
	Direct    Address = "direct"
	// Overheard is a message in a thread which is not plainly meant for the bot. It is
	// handed over because it may answer the bot's question, or the thread be one person's
	// talk with it: that is for the handler to know, and what is not meant for the bot is
	// not kept (see [Historian] for what was written before the bot was asked). Messages in a
	// channel outside of threads are not handed over so.
	Overheard Address = "overheard"
)

// Earlier is a message that was written before.
type Earlier struct {
	Ref MessageRef `json:"ref"`
	By  Person     `json:"by"`
	// Own tells that the bot wrote it.
	Own   bool      `json:"own,omitempty"`
	At    time.Time `json:"at"`
	Text  string    `json:"text,omitempty"`
	Files []File    `json:"files,omitempty"`
}

// File is a file that somebody sent. All but the ids is as the platform or the sender says
// and proves nothing.
type File struct {
	ID   string `json:"id"`             // the platform's
	Name string `json:"name,omitempty"` // whatever somebody called it: no path
	Size int64  `json:"size,omitempty"` // in bytes, 0 if not told
	Type string `json:"type,omitempty"` // a media type, "" if not told
	Alt  string `json:"alt,omitempty"`  // what the sender says it shows
	// Voice marks a voice message: what somebody spoke, and did not choose as a file.
	Voice bool `json:"voice,omitempty"`
	// Handle is what Fetch needs, understood by its adapter alone. It may hold a signed
	// address, and so stays out of logs and errors.
	Handle string `json:"handle"`
}

// LogValue is what a log may hold of a file: nothing that somebody wrote, and not the
// handle.
func (f File) LogValue() slog.Value {
	return slog.GroupValue(slog.String("id", f.ID), slog.Int64("size", f.Size), slog.String("type", f.Type))
}
