package adapters

import (
	"log/slog"
	"time"
)

// Event is something that happened on a platform and that the bot has to know.
type Event struct {
	// Kind tells which one of the fields from Message on is set.
	Kind Kind `json:"kind"`
	// ID names what happened, within its adapter: it is the same each time that the
	// platform tells of it, by whatever channel. Slack tells of one mention under two
	// event ids, so that there it is made of the message's own address.
	ID string `json:"id"`
	// Adapter is the name of the one that heard of it; its Fetch opens the files. That is
	// another one than the thread's for a mark made on the web in a thread of elsewhere.
	Adapter string `json:"adapter"`
	// Thread is where it happened. For a reaction, and a cancel that names a message, it
	// may be zero, where the platform does not tell: then it is the thread in which that
	// message is.
	Thread Thread `json:"thread,omitzero"`
	// By is who did it; zero only for a deleted message of which the platform does not
	// tell who deleted it.
	By Person `json:"by,omitzero"`
	// At is when it happened, by the platform's clock.
	At time.Time `json:"at"`

	Message  *Message  `json:"message,omitempty"`
	Reaction *Reaction `json:"reaction,omitempty"`
	Cancel   *Cancel   `json:"cancel,omitempty"`
	Command  *Command  `json:"command,omitempty"`
	Mark     *Mark     `json:"mark,omitempty"`
}

// Kind is what happened.
type Kind string

// The kinds of events.
const (
	MessageSent Kind = "message"
	// MessageEdited is a message as it is after an edit ([Message.Edited]). It comes for every
	// message that may have been handed over before, and for one that the edit makes one for the
	// bot. Without a mention it may be one that is for nobody: then it is Overheard, in a channel too.
	MessageEdited   Kind = "message_edited"
	ReactionAdded   Kind = "reaction_added"
	ReactionRemoved Kind = "reaction_removed"
	CancelAsked     Kind = "cancel"
	CommandGiven    Kind = "command"
	PictureMarked   Kind = "mark"
)

// Key names the event among those of all adapters. It is one part of a storage's key.
func (e Event) Key() string { return key(e.Adapter, e.ID) }

// LogValue is what a log may hold of an event: nothing that people wrote.
func (e Event) LogValue() slog.Value {
	return slog.GroupValue(slog.String("kind", string(e.Kind)), slog.String("key", e.Key()), slog.String("thread", e.Thread.Key()))
}

// Person is someone who uses the platform.
type Person struct {
	ID   string `json:"id"`
	Name string `json:"name,omitempty"` // as others see it
	// Admin tells that the platform lets the person remove what others wrote there.
	Admin bool `json:"admin,omitempty"`
	// Roles are the ids of what the person is there, as far as the platform tells: the roles
	// of a server of Discord.
	Roles []string `json:"roles,omitempty"`
}

// Reaction is a sign that somebody put on a message, or took away, or a button below it
// that somebody pressed.
type Reaction struct {
	On   MessageRef `json:"on"`
	Sign Sign       `json:"sign"`
	// Number is which one was chosen, from 1, and Choice its id where the platform hands
	// it back, as a button does. At least one is set for [Choose]. For [Try], Choice is the
	// example's key. None is set for other signs.
	Number int    `json:"number,omitempty"`
	Choice string `json:"choice,omitempty"`
}

// Cancel is the wish that work ends: a sign on the request or its answer, the request's
// deletion, a button or a command.
type Cancel struct {
	// On is the request, or what the bot wrote about it. Zero is what the person last
	// asked for in the thread.
	On MessageRef `json:"on,omitzero"`
	// Deleted tells that the message is gone, and with it the wish, or the answer.
	Deleted bool `json:"deleted,omitempty"`
}

// Command is a command of the platform, such as "/tools". A command by which people wish
// for something is a [Message] instead, and one that cancels a [Cancel].
type Command struct {
	Name string `json:"name"` // without the slash, in lower case
	Text string `json:"text,omitempty"`
}

// Commands that a platform gives itself.
const (
	// HomeCommand is given when somebody opens the bot's own page there.
	HomeCommand = "home"
	// PromptsCommand is given when somebody opens the conversation with the bot. The items of the answer are requests that
	// the platform suggests.
	PromptsCommand = "prompts"
)

// Mark is what somebody pointed at on a picture. Coordinates are pixels of the picture as
// people see it, after its EXIF orientation, and lie within it. An event of its own is for
// the next message in the thread; what is pointed at with a message stands in it.
type Mark struct {
	// Picture is the name that the picture has as a resource of the thread.
	Picture string `json:"picture,omitempty"`
	// File, in a message's mark, is in the place of Picture the id of one of its Files. One
	// that the thread has already may be sent with the message again for that.
	File   string `json:"file,omitempty"`
	Width  int    `json:"width"`
	Height int    `json:"height"`

	Points []Point `json:"points,omitempty"`
	Boxes  []Box   `json:"boxes,omitempty"`
	// Mask is a file whose picture has the same size: black is not meant.
	Mask *File `json:"mask,omitempty"`
}

// Point is a marked place.
type Point struct {
	X       int  `json:"x"`
	Y       int  `json:"y"`
	Exclude bool `json:"exclude,omitempty"` // what lies here is not meant
}

// Box is a marked rectangle, the maxima exclusive.
type Box struct {
	XMin int `json:"xmin"`
	YMin int `json:"ymin"`
	XMax int `json:"xmax"`
	YMax int `json:"ymax"`
}
