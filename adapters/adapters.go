// Package adapters is the promise of the chat platforms: each make connects one and
// turns what happens there into an [Event], and a [Reply] into messages. Makes know
// nothing of agents, queues or storage.
//
// # In: what the handler may rely on
//
//   - An event is handed over at least once. It may come again, also after a restart,
//     then under the same [Event.Key]; it is for the handler to take it once.
//   - The messages of one thread are handed over one after another in the order in which
//     the platform gives them. Where a connection broke, that may not be the order in
//     which they were written: [Message.Order] tells that one. Events of different
//     threads come at once.
//   - An event for which the handler has returned nil is the handler's. One for which it
//     failed is not confirmed to the platform, so that it comes again, or is handed over
//     again by the adapter, at growing intervals, until it is taken or Listen ends.
//   - Messages of the bot itself and of other bots, and their reactions, are never
//     handed over. That one of its own was deleted may be, whoever did it.
//   - Every event that is handed over is valid ([Event.Validate]). The texts, names and
//     files in it are as strangers wrote them.
//   - What is written while no process listens is handed over later only as far as the
//     platform keeps it for the bot; the make says how far that is.
//
// # Out: what who sends may rely on
//
//   - Send under one key posts once as far as the platform can tell a repetition: a
//     second Send under the key, by any process, gives what the first one posted. What
//     window remains, as between a post and its confirmation that was lost, is said by
//     the make.
//   - More files than one message holds go in several, in their order and before the text,
//     up to [Limits.Files].
//   - A Send that fails with a [Fault] that names files has posted neither these nor the
//     text. It goes on when it is called again under the same key without them, or with links
//     in their place. One that fails otherwise may have posted all or a part, and goes on
//     from there when it is called again under the same key.
//   - A message that the platform refuses for its form is posted once more as plain text,
//     with its files; the log says what was refused.
//   - Nobody is notified but the one person of [Reply.Mention], whatever the text holds.
//   - No text is lost: what is too long for one message goes on in the next ([Split]).
//   - What [Reply.Text] means is told by [Parse]; nothing in it means more to a platform.
//   - Everything ends with its context. Limits of the platform are kept by the make: it
//     waits where the wait is short, and fails with [ErrRateLimited] where it is not.
//
// Events and replies are plain data: they are stored as JSON and read by other processes,
// later versions of the program among them. An unknown field is to be ignored.
package adapters

import (
	"context"
	"io"
)

// Adapter is the connection to a platform. Its methods may be called at once and from
// several goroutines, Fetch and Send also where Listen does not run. Their errors are told
// apart as [ErrGone] and its neighbours say. What an adapter can do besides is told by the
// optional interfaces, from [Acknowledger] to [Checker].
type Adapter interface {
	// Name tells the platform: lower-case ASCII letters, digits and "-", beginning with a
	// letter. It is part of queue names and keys, so it stays the same for ever.
	Name() string
	// Listen connects, hands every event to the handler, and connects again as often as
	// it must. It returns nil when its context ends, after the last handler has returned,
	// and otherwise only where trying again cannot help, as for a token that is refused.
	Listen(ctx context.Context, handle Handler) error
	// Fetch opens a file of an event that this adapter handed over ([Event.Adapter]).
	// What is read may be more than the file's Size said: the reader counts for itself.
	Fetch(ctx context.Context, f File) (io.ReadCloser, error)
	// Send posts a reply in its thread, the files with it, and gives the message on which
	// people react. The key is at most [MaxKey] printable ASCII characters, without space.
	Send(ctx context.Context, key string, r Reply) (MessageRef, error)
}

// Handler takes an event. Once it returns nil, the event is recorded and is its own; it
// returns within milliseconds and leaves the work for later.
type Handler func(ctx context.Context, e Event) error

// Opener opens what an [Attachment] is about, by its Handle. A make is given one, and opens
// again where it must send again. It fails with [ErrGone] where there is no such content.
type Opener func(ctx context.Context, handle string) (io.ReadCloser, error)

// MaxKey is the most characters of a key to send under: what Discord takes as a nonce.
const MaxKey = 25
