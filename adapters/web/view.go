package web

import (
	"html/template"
	"time"

	"atelier/adapters"
)

// What the templates are given. They hold plain data: everything in them is text that the
// templates escape, but for what is template.HTML.

// pageView is a whole page: that of Thread, or the empty page, or the tools page, or one
// that says that there is nothing (Missing), whichever is set first in this order: Missing,
// Thread, Fresh, and otherwise the tools page.
type pageView struct {
	Language string // of the page's own words, a BCP 47 tag
	Title    string
	Me       adapters.Person
	CanLeave bool // there is a session to log out of
	Threads  []threadLine
	Thread   *threadView // nil on the empty page
	Fresh    string      // the id of the thread that the first message on the empty page begins
	Missing  string      // a sentence for people: there is nothing here
	Examples []Example   // on the empty page
	Tools    []Tool      // on the tools page
	Static   string      // the folder of the static files; "" is that of this process
	MaxFile  int64       // in bytes
	MaxFiles int
}

// threadLine is a thread in the list.
type threadLine struct {
	ID    string
	Title string
	At    time.Time
	Open  bool // it is the one that is shown
	Busy  bool // something of it still runs
}

// threadView is a conversation.
type threadView struct {
	ID       string
	Title    string
	Position int64  // of the last entry that is in it; -1 for none
	From     int64  // the position from which on the messages are that are shown; 0 for all
	Earlier  string // the address of a page that shows more of them; "" if all are shown
	Messages []messageView
	// CanForget tells that who reads the page may delete the thread.
	CanForget bool
}

// messageView is a message, a person's or the bot's, or the progress of a request.
type messageView struct {
	ID      string // unique in the page, fit for an element's id
	Thread  string
	By      string // the person's name; "" is the bot
	Mine    bool   // it is by who reads the page
	For     string // the name of the person for whom an answer is, "" is nobody
	ForMe   bool   // that is who reads the page
	At      time.Time
	Removed bool

	// Language is that of the text, "" where it is not known.
	Language string

	Text  template.HTML // rendered of Markdown for the bot, escaped for people
	Files []fileView
	Marks []markView
	// Status is how a person's request stands.
	Status adapters.Status
	// Progress is set for a progress message only.
	Progress *adapters.Progress
	// ReplyTo is the id of the message that it answers, "" if that is not in the thread.
	ReplyTo string

	Choices []choiceView
	Asks    bool // nothing is done until a choice is pressed
	// CanAgain, CanStop and CanRemove tell which buttons there are.
	CanAgain, CanStop, CanRemove bool
	// HasWork tells that the answer is one to a request: what was done for it, if anything,
	// is loaded from WorkURL.
	HasWork bool
	WorkURL string
	ActURL  string // where reactions are posted
}

// choiceView is another way that can be chosen, or a guess at what is meant.
type choiceView struct {
	Number  int
	Text    string
	Pressed int  // by how many
	Mine    bool // also by who reads the page, who takes it back by pressing it again, with back=true
	Ready   bool
}

// fileView is a file of a message.
type fileView struct {
	Name, Alt, Note string
	Size            int64
	Kind            string // image, video, audio, page, text or other
	Type            string // the media type
	URL             string // shown in its place; for pages to be framed
	Download        string // offered to be saved
	// Width and Height of a picture where they are known, else 0.
	Width, Height int
	// Mark is what a mark on this picture is on: "picture:NAME" or "file:ID"; "" where it
	// cannot be pointed at.
	Mark string
}

// markView tells what was pointed at.
type markView struct {
	Name                 string // of the picture
	Points, Boxes, Masks int
	Drawn                *markedView // nil where the picture is not there any more
}
