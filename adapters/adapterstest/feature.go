package adapterstest

import (
	"context"
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	"atelier/adapters"
)

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

// Halting is a platform with a button that stops the work on a request.
type Halting interface {
	// Halt lets somebody press it. The bot has accepted the request, and has not answered.
	Halt(t *testing.T, by adapters.Person, request adapters.MessageRef)
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
