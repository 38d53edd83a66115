// Package web is a chat platform of its own, in the browser: threads, messages, files,
// reactions and answers, and a way to point at pictures. It needs no token, so it is how a
// newcomer starts.
//
// What happens in a thread is a list of entries that only grows, kept in a [State] that
// all processes share: each of them folds the same conversation from it, and can serve any
// page, take any message and post any answer. A page is the conversation as it is at a
// position of that list; the page's stream of server-sent events tells what came after
// that position, each event under the position of its entry. So a page that was cut off,
// or whose server was started again, goes on where it was (Last-Event-ID), and nothing is
// shown twice or missed.
//
// # Promises, beyond those of every adapter
//
//   - A message that the browser was told is sent is in the list, and will be handed over:
//     at once, or by the next Listen of any process, where this one died in between. The
//     browser sends a message under an id of its own, so that trying again sends it once.
//   - What is written while no process listens is handed over to the next one that does, as
//     long as the thread is kept.
//   - Send under one key posts once, without a window: the first entry with a key counts.
//     It looks whether what is attached can be read; people read it from where it is.
//   - Of sending a file and taking it back, the first counts, whichever processes do it.
//   - An upload that is broken off leaves nothing that is shown.
//   - Nothing that people sent or a tool made is served with a type that runs in the
//     channel's origin: pages are shown in a frame without an origin, drawings are
//     offered to be saved.
//   - Everybody who is let in sees every thread, as in a channel.
package web

import (
	"context"
	"io"
	"log/slog"
	"net/http"
	"time"

	"atelier/adapters"
)

// Name is the adapter's.
const Name = "web"

// Config is what a channel is made of.
type Config struct {
	State    State
	Media    Media
	Workshop Workshop
	// Guard lets people in: every page but the static files is served behind it. Who is
	// let in is told by Who.
	Guard func(http.Handler) http.Handler
	Who   func(context.Context) adapters.Person
	// CanLeave tells that who asks has a session to log out of; nil is nobody.
	CanLeave func(context.Context) bool
	// Retention is how long a thread is kept after its last entry. Zero means 30 days.
	Retention time.Duration
	// MaxFile is the most bytes of one file. Zero means 100 MB.
	MaxFile int64
	// Now is the clock; nil is the system's.
	Now func() time.Time
	Log *slog.Logger // nil is none
}

// State keeps lists of entries, and tells of changes. A list's key is two words with a slash
// between them, of which the first is its group: what is deleted together.
type State interface {
	// Append adds an entry to the end of a list, and gives its position, from 0. The list
	// is kept for at least that expiry from now.
	Append(ctx context.Context, key string, entry []byte, expiry time.Duration) (position int64, err error)
	// Read gives the entries from that position on, none where there is no such list.
	Read(ctx context.Context, key string, from int64) ([][]byte, error)
	DeleteAll(ctx context.Context, group string) error
	// Publish hints to all who are subscribed to the topic.
	Publish(ctx context.Context, topic string, hint []byte) error
	// Subscribe gives the hints until ctx ends. A nil one says that some may be lost.
	Subscribe(ctx context.Context, topic string) (<-chan []byte, error)
}

// Media keeps files by key. What is not there is [adapters.ErrGone].
type Media interface {
	// Put keeps all that r gives, or nothing where it fails.
	Put(ctx context.Context, key string, r io.Reader) error
	// Get opens a file.
	Get(ctx context.Context, key string) (io.ReadCloser, error)
	// GetRange opens the n bytes from offset on, fewer where it ends before, all that
	// follow if n is negative.
	GetRange(ctx context.Context, key string, offset, n int64) (io.ReadCloser, error)
	// Delete removes a file; it is no fault if there is none.
	Delete(ctx context.Context, key string) error
	// Folder is the folder of keys below which the files of a thread lie, and with which
	// they go when the thread is forgotten.
	Folder(t adapters.Thread) string
	// Look finds out what a file of that key and name is, whatever its name says, and
	// refuses by an [adapters.Fault] in that language, a BCP 47 tag, what no tool may be given.
	Look(ctx context.Context, key, name, language string) (Found, error)
}

// Found is what was found out about a file.
type Found struct {
	Type string // its media type
	// Width and Height are those of a picture, in pixels, as people see it, after its EXIF
	// orientation; 0 where it is none.
	Width, Height int
}

// Workshop is what the pages show of how the bot works.
type Workshop interface {
	// Work tells how an answer came about. It is nil where that is not known (any more),
	// or nothing was done for it.
	Work(ctx context.Context, answer adapters.MessageRef) (*Work, error)
	// Tools are all that the catalogue has, in its order.
	Tools(ctx context.Context) ([]Tool, error)
	// Examples are wishes that the tools which are live can do, the best to begin with
	// first.
	Examples(ctx context.Context) ([]Example, error)
	// Forget deletes what the bot knows of a thread. It is no fault if that is nothing.
	Forget(ctx context.Context, t adapters.Thread) error
}

// Work is what was done for an answer, as a graph.
type Work struct {
	Steps []Step
}

// Step is an action that ran, or was to run.
type Step struct {
	Tool  string
	Model string // "" if the tool has none to choose
	State adapters.StepState
	Took  time.Duration
	Takes []Flow // what it was given
	Makes []Flow // what it made: of those only Name and Type are set
	// Problem is why it failed, for people.
	Problem string
	// Program is the source code of the step's program, or "" if the step has no program.
	Program string
}

// Flow is a thing that flows between steps.
type Flow struct {
	Name string // of the resource; "" where it was not made
	Type string // as the catalogue calls it: image, text …
	// From is the step that makes it, by its place in Work.Steps, -1 where it was given.
	From int
	// Argument is the one that it is bound to.
	Argument string
	// Text is its value, shortened, where that is text; "" otherwise.
	Text string
}

// Tool is a tool of the catalogue.
type Tool struct {
	Name, Description, Domain string
	Takes                     []string // types of its arguments
	Makes                     string   // its type
	Examples                  []string
	Live                      bool
	By                        string // what runs it, where it is live
	Why                       string // why it is not live, and how to get it
}

// Example is a wish that can be sent at once.
type Example struct {
	Wish string
	// Needs is the type of the file that is to be attached, "" if none is.
	Needs string
}
