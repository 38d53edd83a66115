// Package terminal is the adapter for the command line, where each call of the program is one request. A conversation
// that is kept between calls is a thread, and its name is the channel. Everybody who can read its folder is the same
// person.
//
// Guarantees beyond those of package adapters:
//   - Listen receives nothing: each call makes the [Message] of its request and passes it on itself.
//   - Send returns the reply of a key only once in a process. A later process does not know the key, but has nobody to
//     reply to.
//   - Fetch opens only regular files, so it never waits for a writer.
//   - Files have no size limit, and nothing is uploaded: the reply names the results, and the call copies them.
package terminal

import (
	"context"
	"crypto/rand"
	"fmt"
	"io"
	"strconv"
	"sync"
	"time"

	"atelier/adapters"
)

// Name is the adapter's name.
const Name = "terminal"

// Config has the callbacks. Each may be nil.
type Config struct {
	// Reply is called once with each reply.
	Reply func(r adapters.Reply)
	// Progress is called with the progress of the work.
	Progress func(p adapters.Progress)
	// Open opens the files of [Handed]. If it is set, no other file is opened, since events of other processes may
	// name anything.
	Open func(ctx context.Context, handle string) (io.ReadCloser, error)
}

// Terminal implements the adapter. It is safe for concurrent use.
type Terminal struct {
	config Config

	mu   sync.Mutex
	sent map[string]adapters.MessageRef // by key
}

var (
	_ adapters.Adapter  = (*Terminal)(nil)
	_ adapters.Reporter = (*Terminal)(nil)
)

// New returns the adapter.
func New(c Config) *Terminal {
	if c.Reply == nil {
		c.Reply = func(adapters.Reply) {}
	}
	if c.Progress == nil {
		c.Progress = func(adapters.Progress) {}
	}
	return &Terminal{config: c, sent: map[string]adapters.MessageRef{}}
}

// Name returns the adapter's name.
func (*Terminal) Name() string { return Name }

// Listen returns when its context ends.
func (*Terminal) Listen(ctx context.Context, _ adapters.Handler) error {
	<-ctx.Done()
	return nil
}

// Fetch opens a file of a [Message].
func (t *Terminal) Fetch(ctx context.Context, f adapters.File) (io.ReadCloser, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if t.config.Open != nil {
		if !handed(f.Handle) {
			return nil, fmt.Errorf("%w: unknown file", adapters.ErrInvalid)
		}
		return t.config.Open(ctx, f.Handle)
	}
	path, err := strconv.Unquote(f.Handle)
	if err != nil {
		return nil, fmt.Errorf("%w: the file belongs to another adapter", adapters.ErrInvalid)
	}
	return open(path)
}

// Send passes a reply to Config.Reply.
func (t *Terminal) Send(ctx context.Context, key string, r adapters.Reply) (adapters.MessageRef, error) {
	if err := ctx.Err(); err != nil {
		return adapters.MessageRef{}, err
	}
	if err := adapters.CheckKey(key); err != nil {
		return adapters.MessageRef{}, err
	}
	if err := r.Validate(); err != nil {
		return adapters.MessageRef{}, err
	}
	if err := own(r.Thread); err != nil {
		return adapters.MessageRef{}, err
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if ref, ok := t.sent[key]; ok {
		return ref, nil
	}
	t.config.Reply(r)
	t.sent[key] = newRef(r.Thread.Channel)
	return t.sent[key], nil
}

// Report passes progress to Config.Progress.
func (t *Terminal) Report(ctx context.Context, key string, at adapters.MessageRef, p adapters.Progress) (adapters.MessageRef, error) {
	if err := ctx.Err(); err != nil {
		return adapters.MessageRef{}, err
	}
	if err := adapters.CheckKey(key); err != nil {
		return adapters.MessageRef{}, err
	}
	if err := own(p.Thread); err != nil {
		return adapters.MessageRef{}, err
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if at.IsZero() {
		if t.sent[key].IsZero() {
			t.sent[key] = newRef(p.Thread.Channel)
		}
		at = t.sent[key]
	}
	t.config.Progress(p)
	return at, nil
}

// Pace is short, since a terminal redraws a line at once.
func (*Terminal) Pace() time.Duration { return 20 * time.Millisecond }

// own rejects threads of other adapters.
func own(t adapters.Thread) error {
	if t.Adapter != Name {
		return fmt.Errorf("%w: the thread belongs to another adapter", adapters.ErrInvalid)
	}
	return nil
}

// newRef returns the reference of a new message.
func newRef(channel string) adapters.MessageRef {
	return adapters.MessageRef{Adapter: Name, Channel: channel, ID: rand.Text()}
}
