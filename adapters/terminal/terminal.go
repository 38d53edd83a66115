// Package terminal is the adapter of a person who calls the program from a shell, once for
// each wish. A conversation that is kept between calls is a thread, and its name is the
// channel; all who may read its folder are the same person.
//
// Promises beyond those of the adapters package:
//   - Listen hears nothing: a call makes the [Message] of its wish and hands it over itself,
//     with what else the command line says.
//   - Send under one key hands the reply out once as long as the process lives. A later one
//     does not know the key, but it has nobody left to tell either.
//   - Fetch opens regular files alone, so that it never waits for a writer.
//   - No file is refused for its size here, and nothing is uploaded: the reply names what
//     was made, and the call copies it.
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

// Name is the adapter's.
const Name = "terminal"

// Config says who is told what. Each may be nil.
type Config struct {
	// Reply hears each reply once.
	Reply func(r adapters.Reply)
	// Progress hears how far the work has come.
	Progress func(p adapters.Progress)
	// Open opens files that were handed over ([Handed]). Where it is set no other file is
	// opened: events come from elsewhere, and may name anything.
	Open func(ctx context.Context, handle string) (io.ReadCloser, error)
}

// Terminal is the connection to the person. It is safe for concurrent use.
type Terminal struct {
	config Config

	mu   sync.Mutex
	sent map[string]adapters.MessageRef // by key
}

var (
	_ adapters.Adapter  = (*Terminal)(nil)
	_ adapters.Reporter = (*Terminal)(nil)
)

// New makes the adapter.
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

// Send hands a reply out.
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

// Report tells how far the work has come.
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

// Pace is short: a line of a terminal is drawn again at once.
func (*Terminal) Pace() time.Duration { return 20 * time.Millisecond }

// own refuses threads of another adapter.
func own(t adapters.Thread) error {
	if t.Adapter != Name {
		return fmt.Errorf("%w: the thread belongs to another adapter", adapters.ErrInvalid)
	}
	return nil
}

// newRef returns the address of a new message.
func newRef(channel string) adapters.MessageRef {
	return adapters.MessageRef{Adapter: Name, Channel: channel, ID: rand.Text()}
}
