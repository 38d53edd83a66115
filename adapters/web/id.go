package web

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"regexp"
	"strings"

	"atelier/adapters"
)

var (
	// madeUp is an id that a browser or this channel made up: of a thread, a person's
	// message, a reaction or an upload.
	madeUp = regexp.MustCompile(`^[a-z0-9]{16,32}$`)
	// messageID is the id of a person's message, or of one of the bot's.
	messageID = regexp.MustCompile(`^(?:[a-z0-9]{16,32}|bot-[0-9a-f]{32})$`)
)

// newID makes up an id.
func newID() string { return strings.ToLower(rand.Text()) }

// answerID is the id of what was sent under the key, and progressID that of the progress
// message. No browser can make them up.
func answerID(key string) string   { return botID("answer " + key) }
func progressID(key string) string { return botID("progress " + key) }

func botID(of string) string {
	sum := sha256.Sum256([]byte(of))
	return "bot-" + hex.EncodeToString(sum[:16])
}

// threadOf is the thread of that id.
func threadOf(id string) adapters.Thread { return adapters.Thread{Adapter: Name, Channel: id} }

// refOf is the address of a message.
func refOf(thread, id string) adapters.MessageRef {
	return adapters.MessageRef{Adapter: Name, Channel: thread, ID: id}
}

// group is the group of all lists of a thread.
func group(thread string) string { return "web-" + thread }

func logKey(thread string) string     { return group(thread) + "/log" }
func uploadsKey(thread string) string { return group(thread) + "/uploads" }
