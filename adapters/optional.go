package adapters

import (
	"context"
	"fmt"
	"net/url"
	"time"
)

// Acknowledger is an adapter that can show on a request how it stands, as by a reaction
// of its own: 👀, ✅, ⚠️, ❓, 🚫 or ⛔.
type Acknowledger interface {
	// Acknowledge shows the status in the place of an earlier one. To show the same one
	// again is no fault.
	Acknowledge(ctx context.Context, request MessageRef, s Status) error
}

// Status is how a request stands.
type Status string

// The statuses of a request.
const (
	Seen   Status = "seen"   // it was taken
	Asking Status = "asking" // the bot waits for an answer to its question
	Done   Status = "done"
	Failed Status = "failed"
	// Cancelled is one that was stopped, as somebody wished.
	Cancelled Status = "cancelled"
	// Refused is one that was not taken: its asker may not ask, or has reached a limit. The person
	// was told why, and what the sign means.
	Refused Status = "refused"
)

// Reporter is an adapter that can show progress in one message, which it edits.
type Reporter interface {
	// Report posts the progress under the key, as Send does, where at is zero, and edits
	// that message otherwise. The caller lets Pace pass between two reports about a
	// message, and makes none after the one with Ended.
	Report(ctx context.Context, key string, at MessageRef, p Progress) (MessageRef, error)
	// Pace is the least time between two edits that the platform bears for long.
	Pace() time.Duration
}

// Progress is how far the work on a request has come.
type Progress struct {
	Thread Thread `json:"thread"`
	// Request is the id of the message that is worked on.
	Request string `json:"request,omitempty"`
	// Asker is the id of the person for whom the work is done, or "". A platform may show the steps
	// as they run to this person only, and to others where they begin and end.
	Asker string `json:"asker,omitempty"`
	// Title says in a few words what is done as a whole. It is plain text.
	Title string         `json:"title,omitempty"`
	Steps []ProgressStep `json:"steps,omitempty"`
	// Ended tells that this is the last word: the message stays as it is then.
	Ended bool `json:"ended,omitempty"`
}

// ProgressStep is an action that runs, ran or will run. Its key stays the same from one
// report to the next.
type ProgressStep struct {
	Key   string    `json:"key"`
	Text  string    `json:"text"` // plain text, a few words
	State StepState `json:"state"`
	// Took is how long it has run, in nanoseconds; 0 before it ends.
	Took time.Duration `json:"took,omitempty"`
}

// Took is a time that something took, as people read it.
func Took(d time.Duration) string {
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

// StepState is how a step stands.
type StepState string

// The states of a step.
const (
	StepWaiting StepState = "waiting"
	StepRunning StepState = "running"
	StepDone    StepState = "done"
	StepFailed  StepState = "failed"
	StepSkipped StepState = "skipped" // it will not run
)

// Typer is an adapter that can show that the bot is at work, for some seconds or until it
// posts something.
type Typer interface {
	// Typing shows it, and returns after how long it is to be shown again if the work still goes on; 0
	// is never.
	Typing(ctx context.Context, t Thread) (again time.Duration, err error)
}

// Offerer is an adapter on which people choose by reactions that already stand there.
type Offerer interface {
	// Offer puts the first n numbers on an answer, in their order. It is called when
	// what the numbers mean has been stored, and may be called again.
	Offer(ctx context.Context, answer MessageRef, n int) error
}

// Deleter is an adapter that can take back what the bot sent.
type Deleter interface {
	// Delete removes every message of what was sent. It is no fault if one is gone.
	Delete(ctx context.Context, sent MessageRef) error
}

// Keeper is an adapter that keeps itself what was written in its threads, as the platform
// is the program's own.
type Keeper interface {
	// Forget deletes a thread with all that was written in it. It is no fault if there is
	// none.
	Forget(ctx context.Context, t Thread) error
}

// Historian is an adapter that can look back.
type Historian interface {
	// Before gives the messages of the thread that were written before one of them and after
	// another, whose id is after, "" for none: people's and the bot's own, at most n, the
	// latest, oldest first. To a message that begins a thread belongs what it replies to, and
	// what that does in turn; nothing else of a channel is read.
	Before(ctx context.Context, t Thread, message MessageRef, after string, n int) ([]Earlier, error)
}

// Linker is an adapter that knows the links to what is on its platform.
type Linker interface {
	// Linked gives the message, or the files without a message, that a link in a thread points
	// to. It is false for a link that is none of the platform's, or points to something else.
	// A link that leads out of the thread's channel is a [Fault], unless all who read the channel
	// may follow it.
	Linked(ctx context.Context, in Thread, link *url.URL) (Earlier, bool, error)
}

// Locator is an adapter whose threads have addresses.
type Locator interface {
	// Locate gives the address at which people open a thread, or "" if it is not known.
	Locate(ctx context.Context, t Thread) (string, error)
}

// Limiter is an adapter whose platform takes files up to a limit only. Send refuses what does
// not fit ([Limits.Check]).
type Limiter interface {
	Limits(t Thread) Limits
}

// Limits are what a platform takes with one reply. 0 is no limit.
type Limits struct {
	File  int64 // bytes of one file
	Files int   // files uploaded with one reply, in however many messages
	// Text is how many characters of a result are read well in a message. A longer one is sent as a
	// file, and the message begins it. Send takes any text.
	Text int
	// Voice tells that an answer that is read aloud is shown as a voice message.
	Voice bool
}

// Check fails with a [Fault] that names the files of a reply that are too large, or else those
// that are too many.
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
	// Check fails with a [*Fault] unless events come in and replies can go out now: the
	// connection that Listen holds is alive, and the platform takes the token.
	Check(ctx context.Context) error
}
