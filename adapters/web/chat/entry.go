// Package chat folds the entries of threads into conversations, and converts both to the types of adapters. It
// stores nothing.
package chat

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"regexp"
	"strings"
	"time"

	"atelier/adapters"
)

// Name is the name of the adapter.
const Name = "web"

// Entry is an entry of a thread. One field besides At is set, or none if a later version wrote it.
type Entry struct {
	At time.Time `json:"at"`

	Wrote    *Wrote    `json:"wrote,omitempty"`
	Taken    *Taken    `json:"taken,omitempty"`
	Said     *Said     `json:"said,omitempty"`
	Reported *Reported `json:"reported,omitempty"`
	Shown    *Shown    `json:"shown,omitempty"`
	Offered  *Offered  `json:"offered,omitempty"`
	Reacted  *Reacted  `json:"reacted,omitempty"`
	Removed  *Removed  `json:"removed,omitempty"`
	Renamed  *Renamed  `json:"renamed,omitempty"`
}

// Wrote is a person's message. The first one with an id counts.
type Wrote struct {
	ID    string          `json:"id"` // made by the browser
	By    adapters.Person `json:"by"`
	Text  string          `json:"text,omitempty"`
	Files []Upload        `json:"files,omitempty"`
	Marks []adapters.Mark `json:"marks,omitempty"`
	// ReplyTo is the id of the message that it replies to.
	ReplyTo string `json:"reply_to,omitempty"`
	// Edits is the id of the person's message that this one replaces; "" for a new message.
	Edits string `json:"edits,omitempty"`
}

// Upload is a file that a person sent.
type Upload struct {
	ID     string `json:"id"`
	Name   string `json:"name"`
	Size   int64  `json:"size"`
	Type   string `json:"type"` // as detected
	Width  int    `json:"width,omitempty"`
	Height int    `json:"height,omitempty"`
	Voice  bool   `json:"voice,omitempty"` // it was recorded on the page
	Key    string `json:"key"`             // of the stored file
	Made   bool   `json:"made,omitempty"`  // a file of an answer that is used again
}

// File returns the upload as a file of an event.
func (u Upload) File() adapters.File {
	return adapters.File{ID: u.ID, Name: u.Name, Size: u.Size, Type: u.Type, Voice: u.Voice, Handle: u.Key}
}

// Taken says that the handler accepted a message or reaction.
type Taken struct {
	ID string `json:"id"`
}

// Said is an answer. The first one with a key counts; the message's id is derived from the key.
type Said struct {
	Key   string         `json:"key"`
	Reply adapters.Reply `json:"reply"`
}

// Reported is the state of a progress message.
type Reported struct {
	Key      string            `json:"key"`
	Progress adapters.Progress `json:"progress"`
}

// Shown is the status of a person's message.
type Shown struct {
	ID     string          `json:"id"`
	Status adapters.Status `json:"status"`
}

// Offered enables the first N choices of an answer.
type Offered struct {
	ID string `json:"id"`
	N  int    `json:"n,omitempty"`
}

// Reacted is a button that a person pressed.
type Reacted struct {
	ID     string          `json:"id"` // made by the browser
	By     adapters.Person `json:"by"`
	On     string          `json:"on"`
	Sign   adapters.Sign   `json:"sign,omitempty"` // "" is stop
	Number int             `json:"number,omitempty"`
	Choice string          `json:"choice,omitempty"` // the id of the choice
	Back   bool            `json:"back,omitempty"`   // the press is undone
}

// Removed says that a message was deleted.
type Removed struct {
	ID string `json:"id"`
}

// Renamed gives the thread another title.
type Renamed struct {
	By    string `json:"by"` // id of the person who renamed it
	Title string `json:"title"`
}

var (
	// ValidID matches ids made by browsers or by NewID.
	ValidID = regexp.MustCompile(`^[a-z0-9]{16,32}$`)
	// ValidMessageID matches ids of messages, including the bot's.
	ValidMessageID = regexp.MustCompile(`^(?:[a-z0-9]{16,32}|bot-[0-9a-f]{32})$`)
)

// NewID returns a random id.
func NewID() string { return strings.ToLower(rand.Text()) }

// AnswerID returns the id of the answer sent under a key. Browsers cannot forge it.
func AnswerID(key string) string { return botID("answer " + key) }

// ProgressID returns the id of the progress message with that key.
func ProgressID(key string) string { return botID("progress " + key) }

func botID(of string) string {
	sum := sha256.Sum256([]byte(of))
	return "bot-" + hex.EncodeToString(sum[:16])
}

// ThreadOf returns the thread with the id.
func ThreadOf(id string) adapters.Thread { return adapters.Thread{Adapter: Name, Channel: id} }

// RefOf returns the address of a message.
func RefOf(thread, id string) adapters.MessageRef {
	return adapters.MessageRef{Adapter: Name, Channel: thread, ID: id}
}

// CheckThread rejects threads of other adapters, with [adapters.ErrInvalid].
func CheckThread(t adapters.Thread) error {
	if t.Adapter != Name || !ValidID.MatchString(t.Channel) {
		return fmt.Errorf("%w: the thread belongs to another adapter", adapters.ErrInvalid)
	}
	return nil
}
