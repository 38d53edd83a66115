// Package adapterstest is the contract test suite for implementations of [adapters.Adapter].
//
// An implementation's test provides a [Platform], which does what people do there and reports what they see. The
// suite checks both directions, as package adapters promises: what people do is received as events, and what the
// bot sends is shown. It covers every testable promise.
//
// It is for platforms on which people write. The terminal is not one: its Listen receives nothing, since each call
// is a separate request, and its output goes unchanged to its caller.
//
// Platforms differ in their abilities. What one lacks is declared, with the reason ([Make.Without]); everything
// else is tested, so that nothing is forgotten. Leaked goroutines are the business of goleak in the
// implementation's TestMain, or of a bubble ([Make.Bubble]).
package adapterstest

import (
	"testing"
	"time"

	"atelier/adapters"
)

// Make is an implementation of [adapters.Adapter] under test.
type Make struct {
	// Open returns a new, empty platform, which t.Cleanup closes.
	Open func(t *testing.T) Platform
	// Without are the features that the platform or its adapter lacks, with the reasons. Their absence is checked;
	// all other features are tested.
	Without map[Feature]string
	// Bubble runs each check in a testing/synctest bubble. It is for in-memory platforms: none of their goroutines
	// may wait for the network or for anything outside of the check. Waiting then takes no real time.
	Bubble bool
	// Patience is the timeout for expected events; 0 is 30 seconds.
	Patience time.Duration
}

// Platform is a chat platform, or a double of one, as people use it. Its methods end the test on errors. They are
// called only from the test's goroutine.
//
// Further abilities are optional interfaces, from [Spelling] to [Breaking].
type Platform interface {
	// Adapter returns a connection of the bot that does not listen yet. All adapters of a platform are the same
	// bot, like several processes or a restarted one; at most one listens at a time. The opener opens the
	// attachments of replies.
	Adapter(t *testing.T, open adapters.Opener) adapters.Adapter
	// Connected returns when the listening adapter receives everything that people do from now on.
	Connected(t *testing.T)
	// Person returns somebody who may write in all threads. Without [Company] the suite asks for only one person.
	Person(t *testing.T, name string) adapters.Person
	// Thread returns a new conversation in which people and the bot may write. It is empty except for the message
	// with which it begins, if it needs one. If it is private, only one person and the bot read it
	// ([adapters.Thread.Direct]).
	Thread(t *testing.T, private bool) adapters.Thread
	// Gone returns a thread that no longer exists.
	Gone(t *testing.T) adapters.Thread
	// Write lets somebody write. It returns the message's address when the platform has accepted the message.
	Write(t *testing.T, p Post) adapters.MessageRef
	// Shown returns the messages of a thread as people see them now, oldest first, without deleted ones. A deleted
	// thread has none.
	Shown(t *testing.T, thread adapters.Thread) []Shown
}

// Post is a message that somebody writes.
type Post struct {
	Thread adapters.Thread
	By     adapters.Person
	// Text is what is typed, without the mention of the bot.
	Text string
	// Mention means that the bot is mentioned before the text.
	Mention bool
	// ReplyTo is the message that it replies to, which may be one of the bot. It is zero if it is not a reply.
	ReplyTo adapters.MessageRef
	Files   []Upload
	// Marks are the marks sent with the message.
	Marks []Pointing
}

// Upload is a file that somebody sends.
type Upload struct {
	Name    string // may contain control characters and path elements
	Type    string // a media type
	Alt     string
	Content []byte
	Voice   bool // recorded: without text and other files it is a voice message
}

// Pointing is a mark on a picture that is sent with the message.
type Pointing struct {
	File   int // index of the message's file, from 0
	Width  int // of the picture
	Height int
	Points []adapters.Point
	Boxes  []adapters.Box
	Mask   []byte // a PNG of that size; nil is none
}

// Shown is a message as people see it.
type Shown struct {
	// ID is the id of an [adapters.MessageRef], or of one of its parts.
	ID string
	// Own means that the bot wrote it.
	Own bool
	// Blocks are the content, parsed back by the platform's rules: styles and lists as such, everything else as
	// literal text, however it was escaped. A number before a line may be a list marker or text, and invisible
	// characters may be added or missing. The mention of the notified person is left out if it is on the first
	// line or at its beginning. Additions of the adapter, such as a link or a number's text, may follow below the
	// text. Without [Styles] only the characters count.
	Blocks []adapters.Block
	Files  []ShownFile
	// Links are the URLs that people can open: in the text, on a file, or on a button.
	Links []string
	// Choices are the texts of the choices, in order.
	Choices []string
	// Numbers are the bot's reactions for choosing a number.
	Numbers []int
	// Notified are the ids of the people whom it notifies, or [Everybody].
	Notified []string
	// AnswerTo is the id of the message that it is shown to answer, or "".
	AnswerTo string
	// Statuses are what the bot shows on it.
	Statuses []adapters.Status
}

// Everybody stands for notifying more than the named people.
const Everybody = "everybody"

// ShownFile is a file of a message as people see it.
type ShownFile struct {
	Name, Alt string
	Note      string // if it is not in the text
	Content   []byte
}
