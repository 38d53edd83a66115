package web

import (
	"time"

	"atelier/adapters"
)

// entry is one that a thread's list holds. One of its fields is set; one of which none is
// known is passed over, as a later version may have written it.
type entry struct {
	At time.Time `json:"at"`

	Wrote    *wrote    `json:"wrote,omitempty"`
	Taken    *taken    `json:"taken,omitempty"`
	Said     *said     `json:"said,omitempty"`
	Reported *reported `json:"reported,omitempty"`
	Shown    *shown    `json:"shown,omitempty"`
	Offered  *offered  `json:"offered,omitempty"`
	Reacted  *reacted  `json:"reacted,omitempty"`
	Removed  *removed  `json:"removed,omitempty"`
}

// wrote is a person's message. The first one with an id counts.
type wrote struct {
	ID    string          `json:"id"` // made by the browser
	By    adapters.Person `json:"by"`
	Text  string          `json:"text,omitempty"`
	Files []upload        `json:"files,omitempty"`
	Marks []adapters.Mark `json:"marks,omitempty"`
	// ReplyTo is the id of the message that it replies to.
	ReplyTo string `json:"reply_to,omitempty"`
}

// upload is a file that somebody sent.
type upload struct {
	ID     string `json:"id"`
	Name   string `json:"name"`
	Size   int64  `json:"size"`
	Type   string `json:"type"` // as it was found out, not as it was told
	Width  int    `json:"width,omitempty"`
	Height int    `json:"height,omitempty"`
	Voice  bool   `json:"voice,omitempty"` // somebody spoke it, and did not choose it as a file
	Key    string `json:"key"`             // in Media
}

// taken tells that a message, or reaction, was handed over: the handler has it.
type taken struct {
	ID string `json:"id"`
}

// said is an answer. The first one with a key counts; the message's id is made of the key.
type said struct {
	Key   string         `json:"key"`
	Reply adapters.Reply `json:"reply"`
}

// reported is the state of a progress message.
type reported struct {
	Key      string            `json:"key"`
	Progress adapters.Progress `json:"progress"`
}

// shown is how a person's message stands.
type shown struct {
	ID     string          `json:"id"`
	Status adapters.Status `json:"status"`
}

// offered tells that the choices below an answer can be pressed now.
type offered struct {
	ID string `json:"id"`
	N  int    `json:"n,omitempty"` // the first so many of them
}

// reacted is what a person pressed below a message.
type reacted struct {
	ID     string          `json:"id"` // made by the browser
	By     adapters.Person `json:"by"`
	On     string          `json:"on"`
	Sign   adapters.Sign   `json:"sign,omitempty"` // "" is stop
	Number int             `json:"number,omitempty"`
	Choice string          `json:"choice,omitempty"` // the id of the choice
	Back   bool            `json:"back,omitempty"`   // it is taken back
}

// removed tells that a message is gone.
type removed struct {
	ID string `json:"id"`
}
