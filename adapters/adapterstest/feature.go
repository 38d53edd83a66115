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

// Feature is something that not every platform can do, or not every adapter.
type Feature string

// The features of platforms that no interface tells.
const (
	// Company is that several people read and write in a thread, of those that are not
	// private.
	Company Feature = "company"
	// Private is that there are threads that one person alone reads.
	Private Feature = "private threads"
	// Mentions is that people can mention the bot ([Post.Mention]).
	Mentions Feature = "mentions"
	// Overhearing is that messages in a thread which are not meant for the bot are heard.
	// Without it all that is heard is meant for the bot.
	Overhearing Feature = "overhearing"
	// Replies is that people can reply to a message ([Post.ReplyTo]).
	Replies Feature = "replies"
	// Alts is that people can say what their files show ([Upload.Alt]).
	Alts Feature = "alternative texts"
	// Voices is that people can send what they speak ([Upload.Voice]).
	Voices Feature = "voice messages"
	// Marks is that people can point at pictures ([Post.Marks]).
	Marks Feature = "marks"
	// Styles is that [Shown.Blocks] tell how the text is styled.
	Styles Feature = "styles"
	// Answers is that it is shown to which message a reply belongs ([Shown.AnswerTo]).
	Answers Feature = "answers"
	// MarkLinks is that [adapters.Attachment.MarkLink] is shown to people.
	MarkLinks Feature = "links to mark by"
	// Uploads is that what is attached is opened when it is sent. It is not where people are
	// shown it from where it is kept.
	Uploads Feature = "uploads"
	// Processes is that several processes may be the bot: that a second adapter knows what
	// the first has sent, once that has returned.
	Processes Feature = "several processes"
	// Races is that several processes may send under one key at the same time. It is not
	// where the platform tells what was posted under a key to who asks, and takes the same
	// twice from those who ask at once.
	Races Feature = "races of processes"
	// Placed is that a command is heard in the thread in which it is given. Without it, it
	// is heard in the channel in which that thread is.
	Placed Feature = "commands in threads"
	// Later is that what people write while no adapter listens is handed over to the next
	// that does.
	Later Feature = "messages for later"
)

// The features of adapters, each told by an optional interface of the package adapters.
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

// The features of platforms, each told by an interface below.
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

// Spelling is a platform on which a text can hold what means something to the platform.
type Spelling interface {
	// Spell gives what stands in a text to mention a person. People see "@" and the name.
	Spell(t *testing.T, p adapters.Person) string
	// Shouts are texts that would notify many people if the platform took them from the bot.
	Shouts() []string
}

// Channel is a platform with places outside of threads.
type Channel interface {
	// Channel gives a place in which people write, and threads begin.
	Channel(t *testing.T) adapters.Thread
}

// Reacting is a platform on which people react to messages.
type Reacting interface {
	// React lets somebody put an emoji, in Unicode, on a message or one of the parts of
	// what the bot sent, which is then given by its own id; or take it away.
	React(t *testing.T, by adapters.Person, on adapters.MessageRef, emoji string, added bool)
}

// Removing is a platform on which people delete what they wrote.
type Removing interface {
	Remove(t *testing.T, by adapters.Person, message adapters.MessageRef)
}

// Editing is a platform on which people edit what they wrote.
type Editing interface {
	// Edit lets who wrote a message change its text, and whether it mentions the bot.
	Edit(t *testing.T, message adapters.MessageRef, text string, mention bool)
}

// Pressing is a platform with buttons below an answer.
type Pressing interface {
	// Press lets somebody press the button for a sign, or take that back; for
	// [adapters.Choose] it is that of a choice, from 1, which was offered if the adapter can
	// do that.
	Press(t *testing.T, by adapters.Person, on adapters.MessageRef, sign adapters.Sign, choice int, pressed bool)
	// Signs are those for which there are buttons, and whether they can be taken back.
	Signs() map[adapters.Sign]bool
}

// Halting is a platform with a button that ends the work on a request.
type Halting interface {
	// Halt lets somebody press it. The bot has taken the request, and has not answered.
	Halt(t *testing.T, by adapters.Person, request adapters.MessageRef)
}

// Commanding is a platform with commands.
type Commanding interface {
	// Command lets somebody give a command, by its name without the slash.
	Command(t *testing.T, by adapters.Person, in adapters.Thread, name, text string)
	// Known are commands that the adapter hears as such, and the one by which people
	// cancel, or "".
	Known() (names []string, cancel string)
}

// WithBots is a platform on which there are other bots.
type WithBots interface {
	// Bot gives a bot that is not the one under test. It writes and reacts as people do.
	Bot(t *testing.T) adapters.Person
}

// WithAdmins is a platform that lets some people remove what others wrote.
type WithAdmins interface {
	// Admin gives somebody who is one ([adapters.Person.Admin]).
	Admin(t *testing.T) adapters.Person
}

// Marking is a platform on which people point at the pictures of a thread, apart from a
// message ([adapters.PictureMarked]).
type Marking interface {
	// Mark lets somebody point at a picture that the bot sent, by its name. What is pointed
	// at is no file of a message: [Pointing.File] means nothing.
	Mark(t *testing.T, by adapters.Person, in adapters.Thread, picture string, p Pointing)
}

// LosingFiles is a platform that does not keep files for ever.
type LosingFiles interface {
	// LoseFiles lets the files of a message be gone.
	LoseFiles(t *testing.T, message adapters.MessageRef)
}

// Losing is a platform whose answers can be lost.
type Losing interface {
	// LoseAnswers lets the platform take the next posts, as many as it says, and the bot
	// not hear that it did.
	LoseAnswers(t *testing.T, posts int)
}

// Pausing is a platform that asks for pauses.
type Pausing interface {
	// Pause lets the platform refuse the next post, and ask for a pause of so long.
	Pause(t *testing.T, wanted time.Duration)
	// Short is a pause that the adapter waits for, Long one that it does not.
	Short() time.Duration
	Long() time.Duration
}

// Forbidding is a platform that can refuse the bot a place.
type Forbidding interface {
	// Forbid lets the bot not write in the thread any more.
	Forbid(t *testing.T, thread adapters.Thread)
}

// Refusing is a platform that takes tokens.
type Refusing interface {
	// Refuse lets the platform take the bot's token no longer, and break the connection.
	Refuse(t *testing.T)
}

// Breaking is a platform whose connection can break.
type Breaking interface {
	// Break breaks the connection of the adapter that listens; it may connect again.
	Break(t *testing.T)
}

// Echoing is a platform that may tell of one thing more than once.
type Echoing interface {
	// Echo lets the platform tell of a message again, by each channel by which it does.
	Echo(t *testing.T, message adapters.MessageRef)
}

// Stalling is a platform that may not answer.
type Stalling interface {
	// Stall lets the platform answer no call of the bot until the test ends. It returns at
	// once; the channel tells of each call that is not answered.
	Stall(t *testing.T) <-chan struct{}
}

// Fussy is a platform that may refuse what a message is made of.
type Fussy interface {
	// RefuseForm lets the platform refuse the next message that is more than a text with files.
	RefuseForm(t *testing.T)
}

// has tells whether the platform and its adapter have a feature, where an interface tells.
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

// untold are the features that no interface tells.
var untold = []Feature{
	Company, Private, Mentions, Overhearing, Replies, Alts, Voices, Marks, Styles, Answers, MarkLinks, Uploads, Processes, Races, Placed, Later,
}

// features checks that what the platform lacks is just what it is said to lack.
func features(t *testing.T, m Make) {
	t.Helper()
	p := m.Open(t)
	a := p.Adapter(t, nothing)
	for f, is := range has {
		reason, without := m.Without[f]
		switch there := is(p, a); {
		case there && without:
			t.Errorf("%s: they are said not to be there (%s), but are", f, reason)
		case !there && !without:
			t.Errorf("%s: they are not there; implement them, or say in Without why not", f)
		}
	}
	for f, reason := range m.Without {
		if strings.TrimSpace(reason) == "" {
			t.Errorf("%s: no reason is given", f)
		}
		if has[f] == nil && !slices.Contains(untold, f) {
			t.Errorf("%s: no such feature", f)
		}
	}
}

func nothing(context.Context, string) (io.ReadCloser, error) { return nil, adapters.ErrGone }
