package discordtest

import "time"

// Post is what somebody writes.
type Post struct {
	Channel string // or a thread, or a direct channel
	By      User
	Content string
	ReplyTo string // the id of a message of the same channel, or ""
	Files   []File
	Voice   bool   // makes it a voice message of its one file
	Forward string // the id of a message that is forwarded, or ""
}

// File is one that somebody attaches.
type File struct {
	Name        string // whatever people call files
	Type        string // a media type; "" is application/octet-stream
	Description string // the alternative text
	Content     []byte
}

// Message is one as it stands in its channel.
type Message struct {
	ID, Channel, Guild string // no guild where it is direct
	Author             User
	Content            string
	Attachments        []Attachment
	Reactions          []Reaction // in the order in which they came
	Buttons            []Button   // of all rows, in order
	ReplyTo            string     // the id of the message, or ""
	// Notified are the ids of those whom it notified when it was posted, for the members of
	// a role the members', [Everybody] for all. That a direct message notifies by itself does
	// not count.
	Notified  []string
	Flags     int
	Edits     int  // how often it was edited
	Ephemeral bool // only who interacted sees it
	Thinking  bool // of a deferred response that has not come
}

// Attachment is a file of a message.
type Attachment struct {
	ID          string
	Name        string // as people see it
	Filename    string // as it stands in the link
	Description string
	Type        string
	Content     []byte
	URL         string // taken for a day by the server's clock
}

// Reaction is an emoji on a message.
type Reaction struct {
	Emoji string
	Users []string  // their ids, in the order in which they came
	At    time.Time // when it was first put there, by the machine's clock
}

// Button is one below a message.
type Button struct {
	CustomID, Label, Emoji string
	Style                  int
	Disabled               bool
}

// SlashCommand is one that somebody types.
type SlashCommand struct {
	By      User
	Channel string
	Name    string            // without the slash
	Sub     string            // the subcommand, or ""
	Options map[string]string // texts, numbers and "true" as they are typed, by name
	Files   map[string]File   // options that are attachments, by name
}

// Modal is a form that somebody is asked to fill in.
type Modal struct {
	CustomID, Title string
	Inputs          []Input
}

// Input is a line or paragraph of a form.
type Input struct {
	CustomID, Label string
	Required        bool
	Paragraph       bool
	Min, Max        int
}
