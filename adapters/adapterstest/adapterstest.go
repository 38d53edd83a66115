// Package adapterstest holds the contract suite that every make of [adapters.Adapter]
// passes.
//
// A make's test stands on the other side: it gives a [Platform], which does what people do
// there and tells what they see. The suite goes between the two: what people do must be
// heard, and what the bot says be seen, as the package adapters promises. It holds every
// sentence of that promise that can be tried.
//
// It is for platforms on which people write. The terminal is none: its Listen hears nothing,
// since each call is a wish of its own, and what it is told is handed to its caller as it is.
//
// Not every platform can everything. What one cannot do is named, with the reason
// ([Make.Without]); all else is tried, so that nothing is forgotten. That goroutines end
// is for goleak in the make's TestMain, or for a bubble ([Make.Bubble]).
package adapterstest

import (
	"testing"
	"time"

	"atelier/adapters"
)

// Make is a make of [adapters.Adapter] under test.
type Make struct {
	// Open gives a platform of its own, on which nothing has happened. It is closed by
	// t.Cleanup.
	Open func(t *testing.T) Platform
	// Without are the features that the platform or its adapter lacks, and why. Each is
	// found not to be there; each other one is tried.
	Without map[Feature]string
	// Bubble runs each check in a bubble of testing/synctest. It is for platforms that live in
	// the memory of the test: no goroutine of theirs may wait for the network or for what
	// is outside of the check. What takes time costs none then.
	Bubble bool
	// Patience is how long to wait for what must come; 0 is half a minute.
	Patience time.Duration
}

// Platform is a chat platform, or what stands in for one, as people use it. Each of its
// functions ends the test where it fails. They are called from the test's goroutine alone.
//
// What else people may do there is told by the optional interfaces, from [Spelling] to
// [Breaking].
type Platform interface {
	// Adapter gives a connection of the bot, which does not listen yet. All that a
	// platform gives are the same bot, as of several processes or of one that was started
	// again; at most one listens at a time. The opener opens what is attached to replies.
	Adapter(t *testing.T, open adapters.Opener) adapters.Adapter
	// Connected returns when the adapter that was told to listen hears all that people do
	// from now on.
	Connected(t *testing.T)
	// Person gives somebody, who may write in all threads. Without [Company] the suite asks
	// for one person only.
	Person(t *testing.T, name string) adapters.Person
	// Thread gives a new conversation in which people and the bot may write. Nobody has
	// written in it but the message with which it begins, where there must be one.
	// Where it is private, nobody but one person and the bot reads it ([adapters.Thread.Direct]).
	Thread(t *testing.T, private bool) adapters.Thread
	// Gone gives a thread that was there once.
	Gone(t *testing.T) adapters.Thread
	// Write lets somebody write. It returns when the platform has taken the message, and
	// gives its address.
	Write(t *testing.T, p Post) adapters.MessageRef
	// Shown gives the messages of a thread as people see them now, the oldest first. A
	// message that was deleted is not among them; of a thread that is gone there are none.
	Shown(t *testing.T, thread adapters.Thread) []Shown
}

// Post is what somebody writes.
type Post struct {
	Thread adapters.Thread
	By     adapters.Person
	// Text is what is typed, but for the mention of the bot.
	Text string
	// Mention tells that the bot is mentioned, before the text.
	Mention bool
	// ReplyTo is the message that it is a reply to, or a part of what the bot sent; zero is
	// none.
	ReplyTo adapters.MessageRef
	Files   []Upload
	// Marks are what is pointed at with the message.
	Marks []Pointing
}

// Upload is a file that somebody sends.
type Upload struct {
	Name    string // whatever people call files, with control characters and path parts too
	Type    string // a media type
	Alt     string
	Content []byte
	Voice   bool // somebody spoke it: with no text and no other file it is a voice message
}

// Pointing is what somebody points at on a picture that is sent with the message.
type Pointing struct {
	File   int // which of the message's files, from 0
	Width  int // of the picture
	Height int
	Points []adapters.Point
	Boxes  []adapters.Box
	Mask   []byte // a PNG of that size; nil is none
}

// Shown is a message as people see it.
type Shown struct {
	// ID is that of [adapters.MessageRef], or one of its parts.
	ID string
	// Own tells that the bot wrote it.
	Own bool
	// Blocks are what is written there, read back from what the platform was given, by the
	// platform's own rules: what it takes as a style or shows as a list, as letters,
	// however it was escaped. A number before a line may be a list's marker or letters, and
	// what takes no room may be left out or added. The mention of who is notified is not among them where it
	// stands on the first line or at its beginning. What the adapter adds, such as a link
	// or a number's text, may be, below the text. Without [Styles] only the letters count.
	Blocks []adapters.Block
	Files  []ShownFile
	// Links are the addresses to which people are led, wherever they stand: in the text,
	// on a file, behind a button.
	Links []string
	// Choices are the texts of what is offered, in the order of their numbers.
	Choices []string
	// Numbers are those that stand on it to be chosen by, as reactions of the bot.
	Numbers []int
	// Notified are the ids of those whom it notifies, [Everybody] where it is all.
	Notified []string
	// AnswerTo is the id of the message that it is shown to answer, or "".
	AnswerTo string
	// Statuses are what the bot shows on it.
	Statuses []adapters.Status
}

// Everybody is who is notified where it is more than persons who were named.
const Everybody = "everybody"

// ShownFile is a file of a message as people see it.
type ShownFile struct {
	Name, Alt string
	Note      string // where it is not in the text
	Content   []byte
}
