package page

import (
	"html/template"
	"time"

	"atelier/adapters"
)

// The data of the templates. The templates escape all of it but template.HTML.

// View is a whole page. It shows the first of Missing, Thread, Gallery, Found, Operations, Fresh and Tool that is set, or the
// tools page.
type View struct {
	Language string // of the page's own words, a BCP 47 tag
	Title    string
	Me       adapters.Person
	CanLeave bool // there is a session to log out of
	Threads  []ThreadLine
	Thread   *Thread   // nil on the empty page
	Fresh    string    // the id of the thread that the first message on the empty page begins
	Missing  string    // why there is nothing, a sentence for people
	Examples []Example // on the empty page
	Tools    ToolList  // on the tools page
	Tool     *Tool     // only on a tool's page
	// Operations is only set on the operations page.
	Operations *Operations
	Gallery    *Gallery // only on the gallery
	Found      *Found   // only on the search page
	Wish       string   // initial text of the message on the empty page
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
	// Picture is the URL of a thumbnail, "" if there is none.
	Picture string
}

// Gallery is the results of a thread.
type Gallery struct {
	Thread, Title string
	Results       []Result // latest first
	More          bool     // there are earlier ones
	AllURL        string   // downloads all files at once, "" if there are not several
}

// Result is a file of an answer.
type Result struct {
	File

	Message string // URL of the answer
	At      time.Time
}

// Found is the result of a search.
type Found struct {
	Query   string
	Threads []FoundThread
	Tools   []Tool
}

// FoundThread is a thread in the result.
type FoundThread struct {
	ThreadLine

	Message string // id of the matching message, "" if the title matched
	Excerpt string // of the message
}

// Thread is a conversation.
type Thread struct {
	ID       string
	Title    string
	Position int64  // of the last entry; -1 for none
	From     int64  // the position from which it is shown; 0 for all
	Earlier  string // URL of a page that shows more; "" if everything is shown
	Messages []Message
	// CanForget reports whether the reader may delete the thread.
	CanForget bool
}

// Message is a person's message, an answer or a progress message.
type Message struct {
	ID      string // unique in the page, usable as an element's id
	Thread  string
	By      string // the person's name; "" is the bot
	Mine    bool   // the reader wrote it
	For     string // name of the person whom an answer mentions, "" is nobody
	ForMe   bool   // that is the reader
	At      time.Time
	Removed bool

	Language string        // of the text, "" if unknown
	Text     template.HTML // the bot's Markdown rendered, people's text escaped
	Files    []File
	Marks    []Mark
	Status   adapters.Status    // of a person's request
	Progress *adapters.Progress // nil unless it is a progress message
	Previews []string           // URLs of the previews of its running steps
	Shown    bool               // a progress message that is shown with its answer
	Run      *adapters.Progress // the progress of an answer
	ReplyTo  string             // id of the message that it answers, "" if that does not exist

	Choices []Choice
	Asks    bool // nothing is done until a choice is pressed
	Picks   bool // the choices are results to continue with

	Examples []Example // requests to try

	GoOn []adapters.Sign // buttons to continue from an answer

	CanAgain, CanStop, CanRemove, CanEdit bool // the buttons
	Edited                                bool // a person's message was edited
	Outdated                              bool // it answers an earlier version of its message

	HasWork bool   // it answers a request
	WorkURL string // loads how it was done
	ActURL  string // reactions are posted here
	AllURL  string // downloads several files at once, "" if there are not several
}

// Choice is an alternative, or a possible meaning of the request.
type Choice struct {
	Number  int
	Text    string
	Pressed int  // number of people
	Mine    bool // the reader too, who can undo it
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
	// Mark is the name for marks on this picture, "picture:NAME" or "file:ID"; "" if it cannot be marked.
	Mark string
	// Before is the URL of the picture that this one was made from, "" if unknown.
	Before string
	// Use is the reference for a message that works on this file; "" if there is none.
	Use string
}

// Mark is the marks on a picture.
type Mark struct {
	Name                 string // of the picture
	Points, Boxes, Masks int
	Drawn                *Marked // nil if the picture no longer exists
}

// Marked is a picture with its marks, in pixels of the picture.
type Marked struct {
	ID            string // unique in the page
	Picture, Mask string // URLs; Mask is "" if nothing is painted
	Width, Height int
	Points        []adapters.Point
	Boxes         []Box
}

// Box is a marked box.
type Box struct{ X, Y, W, H int }

// The maximum size of a marked picture and its points, in CSS pixels, as in message.css.
const (
	markedWidth, markedHeight = 240, 160
	pointRadius               = 5
)

// Radius returns the radius of a point.
func (m Marked) Radius() int {
	return max(1, pointRadius*m.Width/markedWidth, pointRadius*m.Height/markedHeight)
}

// ToolList is the tools that match a query, or all tools.
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
	By                        string // what runs it, if live
	Why                       string // why it is not live, and how to enable it
	Try                       *Example
}

// Example is a request that can be sent as it is.
type Example struct {
	Wish  string
	Needs string // type of the file to attach, "" for none
}
