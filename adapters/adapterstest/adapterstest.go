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
// implementation's TestMain ([Main]), or of a bubble ([Make.Bubble]).
package adapterstest

import (
	"context"
	"flag"
	"io"
	"maps"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

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

// Main runs the tests of a package. They mostly wait, so more of them run at once than there are cores. They must leave
// no goroutine behind.
func Main(m *testing.M) {
	if err := flag.Set("test.parallel", "8"); err != nil { // the command line may set it again
		panic(err)
	}
	goleak.VerifyTestMain(m)
}

// check is the test of one guarantee.
type check struct {
	needs []Feature // it is skipped unless the platform has all of them
	try   func(s *scene)
}

// Run checks the guarantees of package adapters. For each missing feature there is a subtest with its name, which
// logs the skipped checks and the reason.
func Run(t *testing.T, m Make) {
	t.Helper()
	if m.Patience == 0 {
		m.Patience = 30 * time.Second
	}
	left := map[Feature][]string{}
	for name, c := range checks() {
		if i := slices.IndexFunc(c.needs, m.lacks); i >= 0 {
			left[c.needs[i]] = append(left[c.needs[i]], name)
			continue
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if m.Bubble {
				synctest.Test(t, func(t *testing.T) { c.try(newScene(t, m)) })
			} else {
				c.try(newScene(t, m))
			}
		})
	}
	t.Run("features", func(t *testing.T) { features(t, m) })
	for f, reason := range m.Without {
		t.Run("without "+string(f), func(t *testing.T) {
			slices.Sort(left[f])
			t.Logf("skipped %q: %s", left[f], reason)
		})
	}
}

// checks returns all checks by name.
func checks() map[string]check {
	all := map[string]check{}
	for _, group := range []map[string]check{
		listening(), hearing(), choosing(), breaking(), sending(), showing(), attaching(), repeating(), refusing(), extras(), keeping(),
	} {
		maps.Copy(all, group)
	}
	return all
}

func (m Make) lacks(f Feature) bool {
	_, without := m.Without[f]
	return without
}

// Feature is an ability that not every platform or adapter has.
type Feature string

// The features of platforms without an interface.
const (
	// Company: several people read and write in threads that are not private.
	Company Feature = "company"
	// Private: there are threads that only one person reads.
	Private Feature = "private threads"
	// Mentions: people can mention the bot ([Post.Mention]).
	Mentions Feature = "mentions"
	// Overhearing: messages in a thread that are not meant for the bot are received. Without it, all received
	// messages are meant for the bot.
	Overhearing Feature = "overhearing"
	// Replies: people can reply to a message ([Post.ReplyTo]).
	Replies Feature = "replies"
	// Alts: people can describe their files ([Upload.Alt]).
	Alts Feature = "alternative texts"
	// Voices: people can send voice messages ([Upload.Voice]).
	Voices Feature = "voice messages"
	// Marks: people can mark pictures ([Post.Marks]).
	Marks Feature = "marks"
	// Styles: [Shown.Blocks] include the style of the text.
	Styles Feature = "styles"
	// Answers: people see which message a reply answers ([Shown.AnswerTo]).
	Answers Feature = "answers"
	// MarkLinks: people see [adapters.Attachment.MarkLink].
	MarkLinks Feature = "links to mark by"
	// Uploads: attachments are opened when they are sent. This is not so if people get them directly from where
	// they are stored.
	Uploads Feature = "uploads"
	// Processes: several processes may be the bot; a second adapter knows what the first has sent, once its Send
	// has returned.
	Processes Feature = "several processes"
	// Races: several processes may send under one key at the same time. This is not so if the platform only tells
	// afterwards what was posted under a key, and accepts the same post twice at the same time.
	Races Feature = "races of processes"
	// Placed: a command is received in its thread. Without it, it is received in the thread's channel.
	Placed Feature = "commands in threads"
	// Later: what people write while no adapter listens is delivered to the next one that does.
	Later Feature = "messages for later"
)

// The features of adapters, each an optional interface of package adapters.
const (
	Statuses Feature = "statuses"   // [adapters.Acknowledger]
	Progress Feature = "progress"   // [adapters.Reporter]
	Typing   Feature = "typing"     // [adapters.Typer]
	Numbers  Feature = "numbers"    // [adapters.Offerer]
	Deletes  Feature = "deletes"    // [adapters.Deleter]
	History  Feature = "history"    // [adapters.Historian]
	Limits   Feature = "limits"     // [adapters.Limiter]
	Checks   Feature = "checks"     // [adapters.Checker]
	Forgets  Feature = "forgetting" // [adapters.Keeper]
)

// The features of platforms, each an interface below.
const (
	Spellings Feature = "spellings"       // [Spelling]
	Channels  Feature = "channels"        // [Channel]
	Reactions Feature = "reactions"       // [Reacting]
	Removals  Feature = "removals"        // [Removing]
	Edits     Feature = "edits"           // [Editing]
	Buttons   Feature = "buttons"         // [Pressing]
	Halts     Feature = "buttons to stop" // [Halting]
	Commands  Feature = "commands"        // [Commanding]
	Bots      Feature = "other bots"      // [WithBots]
	Admins    Feature = "admins"          // [WithAdmins]
	Pictures  Feature = "marked pictures" // [Marking]
	LostFiles Feature = "files that go"   // [LosingFiles]
	LostPosts Feature = "lost answers"    // [Losing]
	Pauses    Feature = "pauses"          // [Pausing]
	Rights    Feature = "rights"          // [Forbidding]
	Tokens    Feature = "refused tokens"  // [Refusing]
	Breaks    Feature = "broken lines"    // [Breaking]
	Echoes    Feature = "echoes"          // [Echoing]
	Stillness Feature = "stillness"       // [Stalling]
	Forms     Feature = "forms"           // [Fussy]
)

// Spelling is a platform with special syntax in texts.
type Spelling interface {
	// Spell returns the syntax that mentions a person. People see "@" and the name.
	Spell(t *testing.T, p adapters.Person) string
	// Shouts returns texts that would notify many people if the platform interpreted them.
	Shouts() []string
}

// Channel is a platform with places outside of threads.
type Channel interface {
	// Channel returns a place in which people write and threads begin.
	Channel(t *testing.T) adapters.Thread
}

// Reacting is a platform on which people react to messages.
type Reacting interface {
	// React adds a person's reaction to a message, or removes it. The emoji is in Unicode. Of the bot's messages, on is
	// the id of one part.
	React(t *testing.T, by adapters.Person, on adapters.MessageRef, emoji string, added bool)
}

// Removing is a platform on which people delete what they wrote.
type Removing interface {
	Remove(t *testing.T, by adapters.Person, message adapters.MessageRef)
}

// Editing is a platform on which people edit what they wrote.
type Editing interface {
	// Edit lets the author of a message change its text, and whether it mentions the bot.
	Edit(t *testing.T, message adapters.MessageRef, text string, mention bool)
}

// Pressing is a platform with buttons below an answer.
type Pressing interface {
	// Press lets somebody press the button of a sign, or undo that. For [adapters.Choose] it is the button of a
	// choice, from 1, which was offered if the adapter is an [adapters.Offerer].
	Press(t *testing.T, by adapters.Person, on adapters.MessageRef, sign adapters.Sign, choice int, pressed bool)
	// Signs returns the signs with buttons, and whether each can be undone.
	Signs() map[adapters.Sign]bool
}

// Halting is a platform with a button that stops work.
type Halting interface {
	// Halt lets somebody press the button of a request that the bot has accepted and not answered. It returns the
	// message with the button: the request, or its progress.
	Halt(t *testing.T, by adapters.Person, request adapters.MessageRef) (on adapters.MessageRef)
}

// Commanding is a platform with commands.
type Commanding interface {
	// Command lets somebody give a command, by its name without the slash.
	Command(t *testing.T, by adapters.Person, in adapters.Thread, name, text string)
	// Known returns commands that the adapter reports as such, and the one by which people cancel, or "".
	Known() (names []string, cancel string)
}

// WithBots is a platform on which there are other bots.
type WithBots interface {
	// Bot returns another bot, which writes and reacts as people do.
	Bot(t *testing.T) adapters.Person
}

// WithAdmins is a platform that lets some people delete what others wrote.
type WithAdmins interface {
	// Admin returns an admin ([adapters.Person.Admin]).
	Admin(t *testing.T) adapters.Person
}

// Marking is a platform on which people mark the pictures of a thread without a message
// ([adapters.PictureMarked]).
type Marking interface {
	// Mark lets somebody mark a picture that the bot sent, by its name. [Pointing.File] is ignored.
	Mark(t *testing.T, by adapters.Person, in adapters.Thread, picture string, p Pointing)
}

// LosingFiles is a platform that does not keep files forever.
type LosingFiles interface {
	// LoseFiles makes the files of a message unavailable.
	LoseFiles(t *testing.T, message adapters.MessageRef)
}

// Losing is a platform whose responses can be lost.
type Losing interface {
	// LoseAnswers makes the platform accept the next posts but lose its responses.
	LoseAnswers(t *testing.T, posts int)
}

// Pausing is a platform that asks for pauses.
type Pausing interface {
	// Pause makes the platform reject the next post, and ask for a pause of that length.
	Pause(t *testing.T, wanted time.Duration)
	// Short is a pause that the adapter waits for; Long is one that it does not.
	Short() time.Duration
	Long() time.Duration
}

// Forbidding is a platform that can forbid the bot to write somewhere.
type Forbidding interface {
	// Forbid forbids the bot to write in the thread.
	Forbid(t *testing.T, thread adapters.Thread)
}

// Refusing is a platform that checks tokens.
type Refusing interface {
	// Refuse makes the platform reject the bot's token from now on, and break the connection.
	Refuse(t *testing.T)
}

// Breaking is a platform whose connection can break.
type Breaking interface {
	// Break breaks the connection of the listening adapter, which may reconnect.
	Break(t *testing.T)
}

// Echoing is a platform that may report the same thing more than once.
type Echoing interface {
	// Echo makes the platform report a message again, by every channel that it has.
	Echo(t *testing.T, message adapters.MessageRef)
}

// Stalling is a platform that may not answer.
type Stalling interface {
	// Stall makes the platform answer no call of the bot until the test ends. It returns at once; the channel
	// reports each unanswered call.
	Stall(t *testing.T) <-chan struct{}
}

// Fussy is a platform that may reject the form of a message.
type Fussy interface {
	// RefuseForm makes the platform reject the next message that is more than a text with files.
	RefuseForm(t *testing.T)
}

// has reports whether the platform and its adapter have a feature that is an interface.
var has = map[Feature]func(Platform, adapters.Adapter) bool{
	Statuses: adapterIs[adapters.Acknowledger], Progress: adapterIs[adapters.Reporter], Typing: adapterIs[adapters.Typer],
	Numbers: adapterIs[adapters.Offerer], Deletes: adapterIs[adapters.Deleter], History: adapterIs[adapters.Historian],
	Limits: adapterIs[adapters.Limiter], Checks: adapterIs[adapters.Checker], Forgets: adapterIs[adapters.Keeper],
	Spellings: platformIs[Spelling], Channels: platformIs[Channel], Reactions: platformIs[Reacting], Removals: platformIs[Removing],
	Edits:   platformIs[Editing],
	Buttons: platformIs[Pressing], Halts: platformIs[Halting], Commands: platformIs[Commanding], Bots: platformIs[WithBots], Admins: platformIs[WithAdmins],
	Pictures:  platformIs[Marking],
	LostFiles: platformIs[LosingFiles], LostPosts: platformIs[Losing], Pauses: platformIs[Pausing], Rights: platformIs[Forbidding],
	Tokens: platformIs[Refusing], Breaks: platformIs[Breaking], Echoes: platformIs[Echoing], Stillness: platformIs[Stalling],
	Forms: platformIs[Fussy],
}

func adapterIs[I any](_ Platform, a adapters.Adapter) bool {
	_, ok := a.(I)
	return ok
}

func platformIs[I any](p Platform, _ adapters.Adapter) bool {
	_, ok := p.(I)
	return ok
}

// untold are the features without an interface.
var untold = []Feature{
	Company, Private, Mentions, Overhearing, Replies, Alts, Voices, Marks, Styles, Answers, MarkLinks, Uploads, Processes, Races, Placed, Later,
}

// features checks that the platform lacks exactly what it declares.
func features(t *testing.T, m Make) {
	t.Helper()
	p := m.Open(t)
	a := p.Adapter(t, nothing)
	for f, is := range has {
		reason, without := m.Without[f]
		switch there := is(p, a); {
		case there && without:
			t.Errorf("%s: declared as missing (%s), but present", f, reason)
		case !there && !without:
			t.Errorf("%s: missing; implement it, or give the reason in Without", f)
		}
	}
	for f, reason := range m.Without {
		if strings.TrimSpace(reason) == "" {
			t.Errorf("%s: no reason in Without", f)
		}
		if has[f] == nil && !slices.Contains(untold, f) {
			t.Errorf("%s: unknown feature", f)
		}
	}
}

func nothing(context.Context, string) (io.ReadCloser, error) { return nil, adapters.ErrGone }
