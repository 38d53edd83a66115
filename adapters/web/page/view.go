package page

import (
	"html/template"
	"time"

	"atelier/adapters"
)

// The data of the templates. The templates escape all of it but template.HTML.

// View is a whole page: the first of Missing, Thread, Gallery, Found, Operations, Fresh and Tool that is set, or the
// tools page.
type View struct {
	Language string // of the page's own words, a BCP 47 tag
	Title    string
	Me       adapters.Person
	CanLeave bool // there is a session to log out of
	Threads  []ThreadLine
	Thread   *Thread   // nil on the empty page
	Fresh    string    // the id of the thread that the first message on the empty page begins
	Missing  string    // a sentence for people: why there is nothing
	Examples []Example // on the empty page
	Tools    ToolList  // on the tools page
	Tool     *Tool     // nil on other pages than a tool's
	// Operations is nil on other pages than the operators'.
	Operations *Operations
	Gallery    *Gallery // nil on other pages than the gallery
	Found      *Found   // nil on other pages than what was found
	Wish       string   // what the message on the empty page is to begin with
	Static     string   // the path of the static files; "" is this process's
	MaxFile    int64    // in bytes
	MaxFiles   int
}

// ThreadLine is a thread in the list of threads.
type ThreadLine struct {
	ID    string
	Title string
	At    time.Time
	Open  bool // the page shows it
	Busy  bool // something runs in it
	// Picture is the address of a small picture of it, "" if it has none.
	Picture string
}

// Gallery is the results of a thread.
type Gallery struct {
	Thread, Title string
	Results       []Result // latest first
	More          bool     // there are earlier ones
}

// Result is a file of an answer.
type Result struct {
	File

	Message string // the address of the answer
	At      time.Time
}

// Found is what was found by a query.
type Found struct {
	Query   string
	Threads []FoundThread
	Tools   []Tool
}

// FoundThread is a thread that was found.
type FoundThread struct {
	ThreadLine

	Message string // the id of the message that was found, "" where the title was
	Excerpt string // of the message
}

// Thread is a conversation.
type Thread struct {
	ID       string
	Title    string
	Position int64  // of the last entry; -1 for none
	From     int64  // the position from which it is shown; 0 for all
	Earlier  string // the address of a page that shows more; "" if all is shown
	Messages []Message
	// CanForget reports whether the reader may delete the thread.
	CanForget bool
}

// Message is a person's message, an answer or a progress message.
type Message struct {
	ID      string // unique in the page, fit for an element's id
	Thread  string
	By      string // the person's name; "" is the bot
	Mine    bool   // the reader wrote it
	For     string // the name of the person whom an answer mentions, "" is nobody
	ForMe   bool   // that is the reader
	At      time.Time
	Removed bool

	Language string        // of the text, "" if unknown
	Text     template.HTML // the bot's Markdown rendered, people's text escaped
	Files    []File
	Marks    []Mark
	Status   adapters.Status    // of a person's request
	Progress *adapters.Progress // nil unless it is a progress message
	Shown    bool               // a progress message that its answer shows
	Run      *adapters.Progress // of an answer: how it went
	ReplyTo  string             // the id of the message that it answers, "" if that does not exist

	Choices []Choice
	Asks    bool // nothing is done until a choice is pressed
	Picks   bool // the choices are results to go on with

	Examples []Example // that can be tried

	GoOn []adapters.Sign // the buttons by which it is gone on from an answer

	CanAgain, CanStop, CanRemove, CanEdit bool // the buttons
	Edited                                bool // it is not as it was sent

	HasWork bool   // it answers a request
	WorkURL string // what was done for it, if anything, is loaded from there
	ActURL  string // where reactions are posted
	AllURL  string // where all of several files can be saved at once, "" where there is no such place
}

// Choice is an alternative, or a guess at what is meant.
type Choice struct {
	Number  int
	Text    string
	Pressed int  // by how many
	Mine    bool // the reader too, who can take it back
	Ready   bool
}

// File is a file of a message.
type File struct {
	Name, Alt, Note string
	Size            int64
	Kind            string // image, video, audio, page, text or other
	Type            string // the media type
	URL             string // to show it; pages are framed
	Download        string
	Width, Height   int // of a picture, 0 if unknown
	// Mark is what marks on this picture name, "picture:NAME" or "file:ID"; "" if it has none.
	Mark string
	// Before is the address of the picture that this one was made of, "" if that is not known.
	Before string
	// Use is what a message that works on this file names; "" if none can.
	Use string
}

// Mark is what was marked on a picture.
type Mark struct {
	Name                 string // of the picture
	Points, Boxes, Masks int
	Drawn                *Marked // nil if the picture does not exist any more
}

// Marked is a picture with its marks, in pixels of the picture.
type Marked struct {
	ID            string // unique in the page
	Picture, Mask string // addresses; Mask is "" if nothing is painted
	Width, Height int
	Points        []adapters.Point
	Boxes         []Box
}

// Box is a marked box.
type Box struct{ X, Y, W, H int }

// The largest size of a marked picture and its points, in CSS pixels, as in message.css.
const (
	markedWidth, markedHeight = 240, 160
	pointRadius               = 5
)

// Radius is the radius of a point.
func (m Marked) Radius() int {
	return max(1, pointRadius*m.Width/markedWidth, pointRadius*m.Height/markedHeight)
}

// ToolList is the tools that a query finds, or all without one.
type ToolList struct {
	Query     string
	Tools     []Tool
	Live, All int // how many tools can run, and how many there are
}

// Tool is a tool of the catalogue.
type Tool struct {
	Name, Description, Domain string
	Takes                     []string // types of its arguments
	Makes                     string   // its type
	Examples                  []string
	Live                      bool
	By                        string // what runs it, if it is live
	Why                       string // why it is not live, and how to get it
	Try                       *Example
}

// Example is a request that can be sent at once.
type Example struct {
	Wish  string
	Needs string // the type of the file to attach, "" for none
}
