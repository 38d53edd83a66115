// Package adapters is the contract of the chat platforms: each adapter connects one platform and converts what
// happens there into an [Event], and a [Reply] into messages. Adapters know nothing of agents, queues or storage.
//
// # In: what the handler may rely on
//
//   - An event is delivered at least once. It may be delivered again, also after a restart, under
//     the same [Event.Key]; the handler must deduplicate.
//   - The messages of one thread are delivered one after another in the order in which the
//     platform sends them. After a lost connection this may differ from the order in which they
//     were written, which [Message.Order] tells. Events of different threads are delivered
//     concurrently.
//   - Once the handler has returned nil, it is responsible for the event. If it fails, the event is
//     not confirmed to the platform, which sends it again, or the adapter retries with backoff
//     until the handler accepts it or Listen ends.
//   - Messages and reactions of the bot itself and of other bots are never delivered. The deletion
//     of a message of the bot may be, whoever deleted it.
//   - Every event is valid ([Event.Validate]). Its texts, names and files are untrusted.
//   - What is written while no process listens is delivered later only as far as the platform
//     keeps it for the bot; each adapter documents how far that is.
//
// # Out: what callers of Send may rely on
//
//   - Send posts once per key, as far as the platform can detect a repetition: a second Send under
//     the key, by any process, returns what the first one posted. Each adapter documents the
//     window that remains, as when the confirmation of a post is lost.
//   - If there are more files than one message can hold, they are sent in several, in order and
//     before the text, up to [Limits.Files].
//   - A Send that fails with a [Fault] that names files has posted neither these nor the text. Call
//     it again under the same key without the files, or with links in their place, to continue.
//     After any other failure, everything or a part may have been posted; calling it again under
//     the same key continues from there.
//   - A message whose form the platform rejects is posted again as plain text, with its files; the
//     log says what was rejected.
//   - Nobody is notified but the one person of [Reply.Mention], whatever the text contains.
//   - No text is lost: a text that is too long for one message continues in the next ([Split]).
//   - [Parse] defines the meaning of [Reply.Text]; the platform does not interpret anything else.
//   - Everything ends with its context. Adapters respect the platform's limits: they wait if the
//     wait is short, and otherwise fail with [ErrRateLimited].
//
// Events and replies are plain data: they are stored as JSON and read by other processes, including later versions
// of the program. Unknown fields must be ignored.
package adapters

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"
)

// Adapter is the connection to a platform. Its methods are safe for concurrent use; Fetch and Send also work while
// Listen does not run. Callers tell their errors apart by [ErrGone] and its neighbours. Further abilities are
// optional interfaces, from [Acknowledger] to [Checker].
type Adapter interface {
	// Name identifies the platform: lower-case ASCII letters, digits and "-", beginning with a letter. It is part
	// of queue names and keys, so it must never change.
	Name() string
	// Listen connects, passes every event to the handler, and reconnects as needed. It returns nil when its
	// context ends, after the last handler has returned, and an error only if retrying cannot help, as for a
	// rejected token.
	Listen(ctx context.Context, handle Handler) error
	// Fetch opens a file of an event that this adapter delivered ([Event.Adapter]). The content may be longer than
	// the file's Size: the reader must count for itself.
	Fetch(ctx context.Context, f File) (io.ReadCloser, error)
	// Send posts a reply in its thread, with its files, and returns the message on which people react. The key has
	// at most [MaxKey] printable ASCII characters, without spaces.
	Send(ctx context.Context, key string, r Reply) (MessageRef, error)
}

// Handler accepts an event. If it returns nil, it has recorded the event and is responsible for it. It returns
// within milliseconds and does the work later.
type Handler func(ctx context.Context, e Event) error

// Opener opens the content of an [Attachment] by its Handle. An adapter is given one, and opens the content again
// to send it again. It fails with [ErrGone] if the content does not exist.
type Opener func(ctx context.Context, handle string) (io.ReadCloser, error)

// MaxKey is the maximum length of a key for Send: that of a nonce on Discord.
const MaxKey = 25

// The kinds of errors that adapters return, for callers to decide by. Any other error is
// temporary: retry with backoff.
var (
	// ErrRateLimited means that the platform limits the rate of calls: retry after [Wait].
	ErrRateLimited = errors.New("rate limited by the platform")
	// ErrGone means that the channel, thread, message or file no longer exists: give up.
	ErrGone = errors.New("no longer exists")
	// ErrForbidden means that the bot lacks a permission there: give up. The workspace's admins must act.
	ErrForbidden = errors.New("not permitted there")
	// ErrTooLarge means that the content is larger than the platform accepts: give up.
	ErrTooLarge = errors.New("too large")
	// ErrTooMany means that one reply has more files than the platform accepts: give up.
	ErrTooMany = errors.New("too many")
	// ErrInvalid means that the event or reply breaks the rules of this package, or that the platform rejects its
	// content: give up, it is a bug.
	ErrInvalid = errors.New("not valid")
	// ErrRefused means that the platform rejects the token, or that the token lacks a scope. The operator must
	// act.
	ErrRefused = errors.New("the platform rejected the token")
)

// Fault is an error with two faces: a sentence for people, and the detail for the log.
type Fault struct { //nolint:errname // it is also what people are told
	// Sentence says what was wrong and what to do. It is a fmt format for Args and a key of the catalogue of
	// messages. It holds no secret. If Kind is ErrForbidden or ErrRefused, it is also logged for the operator, and
	// then holds nothing that people wrote.
	Sentence string
	Args     []any
	// Kind is one of the errors above, or nil for a temporary fault.
	Kind error
	// After is how long to wait, if known.
	After time.Duration
	// Files are the indexes of the reply's files that the platform rejects for this reason. The rest of the reply
	// can still be sent: leave these files out, or replace them with links, and send again under the same key.
	Files []int
	// Limit is the accepted number of bytes per file, or of files; 0 if unknown.
	Limit int64
	// Err is the detail, without tokens, signed URLs or anything that people wrote; it may be nil.
	Err error
}

// Text returns the sentence in English.
func (f *Fault) Text() string { return fmt.Sprintf(f.Sentence, f.Args...) }

func (f *Fault) Error() string {
	if f.Err != nil {
		return f.Text() + ": " + f.Err.Error()
	}
	return f.Text()
}

// Unwrap returns the kind and the cause.
func (f *Fault) Unwrap() []error {
	var all []error
	for _, err := range []error{f.Kind, f.Err} {
		if err != nil {
			all = append(all, err)
		}
	}
	return all
}

// Wait returns how long an error asks to wait; 0 if it does not say.
func Wait(err error) time.Duration {
	if f, ok := errors.AsType[*Fault](err); ok {
		return f.After
	}
	return 0
}

// Final reports whether retrying cannot help.
func Final(err error) bool {
	for _, kind := range []error{ErrGone, ErrForbidden, ErrTooLarge, ErrTooMany, ErrInvalid, ErrRefused} {
		if errors.Is(err, kind) {
			return true
		}
	}
	return false
}

// ForOperator returns the part of an error that may be logged: nothing that people wrote.
func ForOperator(err error) string {
	if f, ok := errors.AsType[*Fault](err); ok {
		err = errors.Join(f.Unwrap()...)
	}
	if err == nil {
		return ""
	}
	return err.Error()
}
