package adapters

import (
	"context"
	"fmt"
	"net/url"
	"time"
)

// Acknowledger is an adapter that can show the status of a request on its message, as by a reaction of the bot: 👀,
// ✅, ⚠️, ❓, 🚫 or ⛔.
type Acknowledger interface {
	// Acknowledge shows the status, replacing an earlier one. Showing the same status again is no error.
	Acknowledge(ctx context.Context, request MessageRef, s Status) error
}

// Status is the status of a request.
type Status string

// The statuses of a request.
const (
	Seen   Status = "seen"   // it was accepted
	Asking Status = "asking" // the bot waits for an answer to its question
	Done   Status = "done"
	Failed Status = "failed"
	// Cancelled means that somebody stopped it.
	Cancelled Status = "cancelled"
	// Refused means that it was not accepted: the person may not ask, or has reached a limit. The person was told
	// why, and what the sign means.
	Refused Status = "refused"
)

// Reporter is an adapter that can show progress in a message that it edits.
type Reporter interface {
	// Report posts the progress under the key, as Send does, if at is zero, and otherwise edits that message. The
	// caller waits for Pace between two reports about a message, and makes no report after the one with Ended.
	Report(ctx context.Context, key string, at MessageRef, p Progress) (MessageRef, error)
	// Pace is the minimum time between two edits that the platform sustains.
	Pace() time.Duration
}

// Progress is the progress of a request.
type Progress struct {
	Thread Thread `json:"thread"`
	// Request is the id of the request's message, "" if it has none. To stop the work, a [Cancel] names the message that
	// shows the progress.
	Request string `json:"request,omitempty"`
	// Asker is the id of the person for whom the work is done, or "". A platform may show the running steps to
	// this person only, and to others only the start and the end.
	Asker string `json:"asker,omitempty"`
	// Language is the BCP 47 tag of the language of the labels, "" for the default.
	Language string `json:"language,omitempty"`
	// Title summarizes the work in a few words of plain text.
	Title string         `json:"title,omitempty"`
	Steps []ProgressStep `json:"steps,omitempty"`
	// Ended means that this is the final report: the message then stays as it is.
	Ended bool `json:"ended,omitempty"`
}

// ProgressStep is a step that runs, ran or will run. Its key stays the same from report to report.
type ProgressStep struct {
	Key   string    `json:"key"`
	Text  string    `json:"text"` // plain text, a few words
	State StepState `json:"state"`
	// Took is how long it ran, in nanoseconds; 0 before it ends.
	Took time.Duration `json:"took,omitempty"`
	// Preview shows what a running step has made so far; the zero value if that is unknown. It is gone when the step ends.
	Preview Preview `json:"preview,omitzero"`
}

// Preview is a small stored picture. Each version has another content.
type Preview struct {
	Handle  string `json:"handle"`
	Type    string `json:"type"` // its media type
	Size    int64  `json:"size"` // in bytes
	Version int    `json:"version"`
}

// IsZero reports whether the step has no preview.
func (p Preview) IsZero() bool { return p.Handle == "" }

// FormatDuration formats a duration for people.
func FormatDuration(d time.Duration) string {
	switch {
	case d < 0:
		return ""
	case d < 10*time.Second:
		return fmt.Sprintf("%.1f s", d.Seconds())
	case d < time.Minute:
		return fmt.Sprintf("%.0f s", d.Seconds())
	}
	d = d.Round(time.Second)
	return fmt.Sprintf("%d:%02d min", int(d.Minutes()), int(d.Seconds())%60)
}

// StepState is the state of a step.
type StepState string

// The states of a step.
const (
	StepWaiting StepState = "waiting"
	StepRunning StepState = "running"
	StepDone    StepState = "done"
	StepFailed  StepState = "failed"
	StepSkipped StepState = "skipped" // it will not run
)

// Whisperer is an adapter that can tell something to the one person who pressed a button.
type Whisperer interface {
	// Whisper shows a plain text to the person of a reaction or cancel that the adapter delivered a moment ago, and to nobody
	// else. It fails with [ErrGone] if the platform cannot, as after a reaction with an emoji.
	Whisper(ctx context.Context, pressed Event, in Thread, text string) error
}

// Beginner is an adapter that can begin a thread for work that no message asks for.
type Beginner interface {
	// Begin posts a text in a channel under the key, as Send does, and returns the message, whose id is the thread's. The
	// message is zero where the bot cannot begin threads.
	Begin(ctx context.Context, key string, in Thread, text string) (MessageRef, error)
}

// Typer is an adapter that can show that the bot is at work, for some seconds or until it posts something.
type Typer interface {
	// Typing shows it, in a language if it is shown in words, and returns after how long it must be shown again if the work
	// continues; 0 is never.
	Typing(ctx context.Context, t Thread, language string) (again time.Duration, err error)
}

// TypingEnder is a [Typer] that shows that the bot is at work until it posts something, however long that takes.
type TypingEnder interface {
	// EndTyping shows that the bot is no longer at work. It does nothing if that is not shown.
	EndTyping(ctx context.Context, t Thread) error
}

// Offerer is an adapter on which people choose by reactions that the bot puts there first.
type Offerer interface {
	// Offer adds the first n numbers to an answer, in order. It is called after the meaning of the numbers has
	// been stored, and may be called again.
	Offer(ctx context.Context, answer MessageRef, n int) error
}

// Deleter is an adapter that can delete what the bot sent.
type Deleter interface {
	// Delete removes all messages of a reply. It is no error if one is gone.
	Delete(ctx context.Context, sent MessageRef) error
}

// Keeper is an adapter that stores its threads itself, because the platform is the program's own.
type Keeper interface {
	// Forget deletes a thread with everything written in it. It is no error if it does not exist.
	Forget(ctx context.Context, t Thread) error
}

// Historian is an adapter that can read earlier messages.
type Historian interface {
	// Before returns the messages of the thread, people's and the bot's own, that were written before message and
	// after the one with the id after ("" for no bound): the latest n, oldest first. For a message that begins a
	// thread, the messages that it replies to, directly or indirectly, are included; nothing else of a channel is
	// read.
	Before(ctx context.Context, t Thread, message MessageRef, after string, n int) ([]Earlier, error)
}

// Linker is an adapter that resolves links to messages and files of its platform.
type Linker interface {
	// Linked returns the message, or the files without a message, that a link in a thread points to. It returns
	// false if the link is not the platform's or points to something else. A link that leads out of the thread's
	// channel is a [Fault], unless everybody who reads the channel may follow it.
	Linked(ctx context.Context, in Thread, link *url.URL) (Earlier, bool, error)
}

// Locator is an adapter whose threads have URLs.
type Locator interface {
	// Locate returns the URL at which people open a thread, or "" if unknown.
	Locate(ctx context.Context, t Thread) (string, error)
}

// Dater is an adapter whose message ids tell when the messages were posted.
type Dater interface {
	// PostedAt is false for an id that does not tell.
	PostedAt(m MessageRef) (time.Time, bool)
}

// Limiter is an adapter whose platform limits files. Send rejects a reply over the limits ([Limits.Check]).
type Limiter interface {
	Limits(t Thread) Limits
}

// Limits are what a platform accepts with one reply. 0 is no limit.
type Limits struct {
	File  int64 // bytes of one file
	Files int   // files uploaded with one reply, over all its messages
	// Text is how many characters of a result read well in a message. A longer result is sent as a file, and the
	// message has its beginning. Send accepts any text.
	Text int
	// Voice means that an answer that is read aloud is shown as a voice message.
	Voice bool
	// Verbatim means that results that are text files are shown as they are, and not as Markdown.
	Verbatim bool
}

// Check fails with a [Fault] that names the reply's files that are too large, or else those over the maximum
// number.
func (l Limits) Check(r Reply) error {
	var large, uploads []int
	for i, f := range r.Files {
		switch {
		case f.Link != "":
		case l.File > 0 && f.Size > l.File:
			large = append(large, i)
		default:
			uploads = append(uploads, i)
		}
	}
	switch {
	case len(large) > 0:
		return &Fault{Sentence: "The files are larger than the chat platform allows.", Kind: ErrTooLarge, Files: large, Limit: l.File}
	case l.Files > 0 && len(uploads) > l.Files:
		return &Fault{
			Sentence: "At most %d files are sent with one answer.", Args: []any{l.Files}, Kind: ErrTooMany, Files: uploads[l.Files:], Limit: int64(l.Files),
		}
	}
	return nil
}

// Checker is an adapter that can tell whether it is connected.
type Checker interface {
	// Check fails with a [*Fault] unless events are received and replies can be sent now: the connection that
	// Listen holds is alive, and the platform accepts the token.
	Check(ctx context.Context) error
}
