package adapters

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"time"
)

// Event is something that happened on a platform and that concerns the bot.
type Event struct {
	// Kind says which of the fields from Message on is set.
	Kind Kind `json:"kind"`
	// ID identifies the event within its adapter: it is the same each time the platform reports
	// it, by whatever channel. Slack reports one mention under two event ids, so
	// there it is built from the message's own address.
	ID string `json:"id"`
	// Adapter is the name of the adapter that received the event; its Fetch opens the files. It differs from the
	// thread's adapter for a mark made on the web in a thread of another platform.
	Adapter string `json:"adapter"`
	// Thread is where it happened. For a reaction, and a cancel that names a message, it may be zero if the
	// platform does not tell: then it is the thread of that message.
	Thread Thread `json:"thread,omitzero"`
	// By is who did it; zero only for a deleted message if the platform does not tell who deleted it.
	By Person `json:"by,omitzero"`
	// At is when it happened, by the platform's clock.
	At time.Time `json:"at"`

	Message  *Message  `json:"message,omitempty"`
	Reaction *Reaction `json:"reaction,omitempty"`
	Cancel   *Cancel   `json:"cancel,omitempty"`
	Command  *Command  `json:"command,omitempty"`
	Mark     *Mark     `json:"mark,omitempty"`
}

// Kind is the kind of an event.
type Kind string

// The kinds of events.
const (
	MessageSent Kind = "message"
	// MessageEdited is a message as it is after an edit ([Message.Edited]). It is sent for every message that may
	// have been delivered before, and for one that the edit makes one for the bot. A message that no longer
	// mentions the bot is Overheard, in a channel too.
	MessageEdited   Kind = "message_edited"
	ReactionAdded   Kind = "reaction_added"
	ReactionRemoved Kind = "reaction_removed"
	CancelAsked     Kind = "cancel"
	CommandGiven    Kind = "command"
	PictureMarked   Kind = "mark"
)

// Key identifies the event across adapters. It is one part of a storage key.
func (e Event) Key() string { return key(e.Adapter, e.ID) }

// MessageRef returns the event's message, zero if it has none.
func (e Event) MessageRef() MessageRef {
	if e.Message == nil {
		return MessageRef{}
	}
	return e.Message.Ref
}

// LogValue returns what may be logged of an event: nothing that people wrote.
func (e Event) LogValue() slog.Value {
	return slog.GroupValue(slog.String("kind", string(e.Kind)), slog.String("key", e.Key()), slog.String("thread", e.Thread.Key()))
}

// Person is a user of the platform.
type Person struct {
	ID   string `json:"id"`
	Name string `json:"name,omitempty"` // as others see it
	// Admin means that the person may delete other people's messages there.
	Admin bool `json:"admin,omitempty"`
	// Roles are the ids of the person's roles on a Discord server, if known.
	Roles []string `json:"roles,omitempty"`
}

// Reaction is a sign that somebody added to a message or removed from it, or a button below it that somebody
// pressed.
type Reaction struct {
	On   MessageRef `json:"on"`
	Sign Sign       `json:"sign"`
	// Number is which one was chosen, from 1; Choice is its id if the platform returns it, as a button does. For
	// [Choose] at least one is set. For [Try], Choice is the example's key. Neither is set for other signs.
	Number int    `json:"number,omitempty"`
	Choice string `json:"choice,omitempty"`
}

// Cancel asks to stop work: a sign on the request or its answer, the request's deletion, a button or a command.
type Cancel struct {
	// On is the request, or a message of the bot about it. Zero is the person's latest request in the thread.
	On MessageRef `json:"on,omitzero"`
	// Deleted means that the message, a request or an answer, was deleted.
	Deleted bool `json:"deleted,omitempty"`
}

// Command is a command of the platform, such as "/tools". Commands that make a request are a [Message] instead,
// and those that stop one a [Cancel].
type Command struct {
	Name string `json:"name"` // without the slash, in lower case
	Text string `json:"text,omitempty"`
}

// Commands of people: the words after the name of the bot's command.
const (
	// AskCommand makes a request, which is a [Message].
	AskCommand = "ask"
	// CancelCommand stops the person's latest request: a [Cancel].
	CancelCommand = "cancel"
	StatusCommand = "status"
	ToolsCommand  = "tools"
	HelpCommand   = "help"
)

// AnsweredCommands are the commands of people that are a [Command], which is answered with a text.
func AnsweredCommands() []string { return []string{StatusCommand, ToolsCommand, HelpCommand} }

// Commands that a platform sends by itself.
const (
	// HomeCommand is sent when somebody opens the bot's own page there.
	HomeCommand = "home"
	// PromptsCommand is sent when somebody opens the conversation with the bot. The examples of the answer are
	// the requests that the platform suggests.
	PromptsCommand = "prompts"
)

// Mark is what somebody marked on a picture. Coordinates are pixels of the picture as people see it, after its
// EXIF orientation, and lie within it. A mark in an event of its own applies to the next message in the thread;
// marks made with a message are in the message.
type Mark struct {
	// Picture is the picture's name as a resource of the thread.
	Picture string `json:"picture,omitempty"`
	// File, in a message's mark, replaces Picture by the id of one of the message's Files. A file that is already
	// in the thread may be sent again for that.
	File   string `json:"file,omitempty"`
	Width  int    `json:"width"`
	Height int    `json:"height"`

	Points []Point `json:"points,omitempty"`
	Boxes  []Box   `json:"boxes,omitempty"`
	// Mask is a file with a picture of the same size: black is not marked.
	Mask *File `json:"mask,omitempty"`
}

func (m Mark) same(other Mark) bool {
	return m.Picture == other.Picture && m.File == other.File && slices.Equal(m.Points, other.Points) &&
		slices.Equal(m.Boxes, other.Boxes) && cmp.Or(m.Mask, &File{}).same(*cmp.Or(other.Mask, &File{}))
}

// Point is a marked place.
type Point struct {
	X       int  `json:"x"`
	Y       int  `json:"y"`
	Exclude bool `json:"exclude,omitempty"` // this place is not meant
}

// Box is a marked rectangle; the maxima are exclusive.
type Box struct {
	XMin int `json:"xmin"`
	YMin int `json:"ymin"`
	XMax int `json:"xmax"`
	YMax int `json:"ymax"`
}

// longestKey is the maximum length in bytes of a key part that every storage accepts.
const longestKey = 160

// key joins platform ids to one word, without collisions. It holds only ASCII letters, digits and "._-~=". A key
// that would be too long is replaced by its hash.
func key(name string, ids ...string) string {
	var b strings.Builder
	escape(&b, name)
	for _, id := range ids {
		b.WriteByte('~')
		escape(&b, id)
	}
	if b.Len() <= longestKey {
		return b.String()
	}
	sum := sha256.Sum256([]byte(b.String()))
	return "==" + hex.EncodeToString(sum[:]) // nothing above writes "=="
}

func escape(b *strings.Builder, id string) {
	for i := range len(id) {
		switch c := id[i]; {
		case isWord(c), c == '_', c == '-', c == '.' && b.Len() > 0: // no key begins with a dot
			b.WriteByte(c)
		default:
			fmt.Fprintf(b, "=%02X", c)
		}
	}
}

func isWord(c byte) bool {
	return '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
}
