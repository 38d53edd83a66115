package web

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"regexp"
	"sync"
	"time"

	"atelier/adapters"
)

// Channel is the channel in the browser. It is safe for concurrent use, and several of them,
// in several processes, may serve the same State.
type Channel struct {
	config  Config
	log     *slog.Logger
	pages   *pages
	hub     *hub
	threads *shelf
	index   *index
	uploads *gate
	streams *gate

	rendered *renderings

	mu        sync.Mutex
	listening *listener // nil while nobody listens

	closed chan struct{}
	close  sync.Once
}

var (
	_ adapters.Adapter      = (*Channel)(nil)
	_ adapters.Acknowledger = (*Channel)(nil)
	_ adapters.Reporter     = (*Channel)(nil)
	_ adapters.Offerer      = (*Channel)(nil)
	_ adapters.Deleter      = (*Channel)(nil)
	_ adapters.Historian    = (*Channel)(nil)
	_ adapters.Keeper       = (*Channel)(nil)
	_ adapters.Checker      = (*Channel)(nil)
)

const (
	day              = 24 * time.Hour
	defaultRetention = 30 * day
	defaultMaxFile   = 100_000_000
)

// New makes a channel. It serves nothing and hears nothing yet.
func New(c Config) (*Channel, error) {
	switch {
	case c.State == nil || c.Media == nil || c.Workshop == nil:
		return nil, errors.New("the web channel needs State, Media and a Workshop")
	case c.Guard == nil || c.Who == nil:
		return nil, errors.New("the web channel needs a guard that tells who is let in")
	case c.Retention < 0 || c.MaxFile < 0:
		return nil, errors.New("the web channel's retention and largest file are not below nothing")
	}
	if c.Retention == 0 {
		c.Retention = defaultRetention
	}
	if c.MaxFile == 0 {
		c.MaxFile = defaultMaxFile
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	pages, err := newPages()
	if err != nil {
		return nil, err
	}
	h := newHub(c.State)
	return &Channel{
		config: c, log: c.Log, pages: pages, hub: h, closed: make(chan struct{}),
		threads: newShelf(c.State, h.hints), index: newIndex(c.State, h.hints, c.Retention),
		rendered: newRenderings(),
		uploads:  newGate(uploadsAtOnce, uploadsOfOne), streams: newGate(streamsAtOnce, streamsOfOne),
	}, nil
}

// Close ends the open streams of events, so that a server which shuts down need not wait for
// them. Browsers connect again, to whoever serves then.
func (c *Channel) Close() { c.close.Do(func() { close(c.closed) }) }

// Name is the adapter's name.
func (*Channel) Name() string { return Name }

// mediaKey is what the handle of a file looks like.
var mediaKey = regexp.MustCompile(`^[A-Za-z0-9_~=-][A-Za-z0-9_.~=-]*(?:/[A-Za-z0-9_~=-][A-Za-z0-9_.~=-]*)+$`)

// Fetch opens a file of an event.
func (c *Channel) Fetch(ctx context.Context, f adapters.File) (io.ReadCloser, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if !mediaKey.MatchString(f.Handle) {
		return nil, fmt.Errorf("%w: no event had such a file", adapters.ErrInvalid)
	}
	return c.config.Media.Get(ctx, f.Handle)
}

// Send posts a reply. The first one with a key stands.
func (c *Channel) Send(ctx context.Context, key string, r adapters.Reply) (adapters.MessageRef, error) {
	if err := errors.Join(adapters.CheckKey(key), r.Validate(), own(r.Thread)); err != nil {
		return adapters.MessageRef{}, err
	}
	thread := r.Thread.Channel
	ref := refOf(thread, answerID(key))
	t, err := c.threads.read(ctx, thread, now)
	if err != nil {
		return adapters.MessageRef{}, err
	}
	if t.message(ref.ID) != nil {
		return ref, nil
	}
	for _, f := range r.Files {
		if err := c.look(ctx, f); err != nil {
			return adapters.MessageRef{}, err
		}
	}
	if err := c.tell(ctx, thread, entry{Said: &said{Key: key, Reply: r}}); err != nil {
		return adapters.MessageRef{}, err
	}
	return ref, nil
}

// Report shows progress.
func (c *Channel) Report(ctx context.Context, key string, at adapters.MessageRef, p adapters.Progress) (adapters.MessageRef, error) {
	if err := errors.Join(adapters.CheckKey(key), own(p.Thread)); err != nil {
		return adapters.MessageRef{}, err
	}
	thread := p.Thread.Channel
	t, err := c.threads.read(ctx, thread, now)
	if err != nil {
		return adapters.MessageRef{}, err
	}
	ref := refOf(thread, progressID(key))
	if !at.IsZero() {
		ref = at
	}
	m := t.message(ref.ID)
	switch {
	case m == nil && at.IsZero():
	case m == nil || m.progress == nil || m.removed:
		return adapters.MessageRef{}, fmt.Errorf("%w: the progress message", adapters.ErrGone)
	case m.progress.Progress.Ended || same(m.progress.Progress, p):
		return ref, nil
	default:
		key = m.progress.Key
	}
	if err := c.tell(ctx, thread, entry{Reported: &reported{Key: key, Progress: p}}); err != nil {
		return adapters.MessageRef{}, err
	}
	return ref, nil
}

// Pace is short: an edit costs an entry.
func (*Channel) Pace() time.Duration { return 250 * time.Millisecond }

// Acknowledge shows how a request stands.
func (c *Channel) Acknowledge(ctx context.Context, request adapters.MessageRef, s adapters.Status) error {
	m, err := c.find(ctx, request)
	if err != nil {
		return err
	}
	if m.status == s {
		return nil
	}
	return c.tell(ctx, request.Channel, entry{Shown: &shown{ID: request.ID, Status: s}})
}

// Offer lets people press the first n choices.
func (c *Channel) Offer(ctx context.Context, answer adapters.MessageRef, n int) error {
	m, err := c.find(ctx, answer)
	if err != nil {
		return err
	}
	if m.said == nil || n > len(m.said.Reply.Choices) {
		return fmt.Errorf("%w: the message has no such choices", adapters.ErrInvalid)
	}
	if m.offered >= n {
		return nil
	}
	return c.tell(ctx, answer.Channel, entry{Offered: &offered{ID: answer.ID, N: n}})
}

// Delete takes back what was sent.
func (c *Channel) Delete(ctx context.Context, sent adapters.MessageRef) error {
	switch _, err := c.find(ctx, sent); {
	case errors.Is(err, adapters.ErrGone):
		return nil
	case err != nil:
		return err
	}
	return c.tell(ctx, sent.Channel, entry{Removed: &removed{ID: sent.ID}})
}

// Check tells whether events come in, and State lets itself be read.
func (c *Channel) Check(ctx context.Context) error {
	c.mu.Lock()
	listening := c.listening != nil
	c.mu.Unlock()
	if !listening {
		return &adapters.Fault{Sentence: "The web channel hears nothing yet: it is being started or ended."}
	}
	if err := c.index.refresh(ctx, c.config.Now(), now); err != nil {
		return &adapters.Fault{Sentence: "The web channel cannot read what it keeps. See whether the storage runs.", Err: err}
	}
	return nil
}

// forOperator is what a log may hold of an error: nothing that people wrote.
func forOperator(err error) string {
	if f, ok := errors.AsType[*adapters.Fault](err); ok {
		return errors.Join(f.Unwrap()...).Error()
	}
	return err.Error()
}
