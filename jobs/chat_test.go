package jobs_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"slices"
	"sync"
	"testing"
	"time"

	"atelier/adapters"
)

// chat is a fake platform that records posts, and fails as configured.
type chat struct {
	mu      sync.Mutex
	changed chan struct{} // closed and replaced with each change
	posts   []posted      // one per key
	sends   int           // number of calls of Send
	signs   map[string][]adapters.Status
	offered map[string]int
	deleted []string
	private []string          // "PERSON: text"
	open    bool              // nothing can be told in private
	gone    []string          // forgotten threads
	files   map[string]string // by handle

	onSend  func(n int, r adapters.Reply) error // called before posting; n counts from 1
	onSent  func(n int) error                   // called after posting
	onFetch func(n int, f adapters.File) error
	fetches int
	stall   *gate // fetches wait for it
	limits  adapters.Limits
	parts   int // messages that each answer has before the last one
}

// posted is a posted reply.
type posted struct {
	key   string
	ref   adapters.MessageRef
	reply adapters.Reply
}

func newChat() *chat {
	return &chat{
		changed: make(chan struct{}), signs: map[string][]adapters.Status{}, offered: map[string]int{}, files: map[string]string{},
	}
}

func (*chat) Name() string { return "chat" }

func (*chat) Listen(ctx context.Context, _ adapters.Handler) error {
	<-ctx.Done()
	return nil
}

func (c *chat) Fetch(ctx context.Context, f adapters.File) (io.ReadCloser, error) {
	c.mu.Lock()
	c.fetches++
	n, fail, content, stall := c.fetches, c.onFetch, c.files[f.Handle], c.stall
	c.mu.Unlock()
	if fail != nil {
		if err := fail(n, f); err != nil {
			return nil, err
		}
	}
	if stall != nil {
		return stalled{ctx, stall}, nil
	}
	return io.NopCloser(bytes.NewReader([]byte(content))), ctx.Err()
}

func (c *chat) Send(ctx context.Context, key string, r adapters.Reply) (adapters.MessageRef, error) {
	if err := r.Validate(); err != nil {
		return adapters.MessageRef{}, err
	}
	if err := adapters.CheckKey(key); err != nil {
		return adapters.MessageRef{}, err
	}
	if err := c.limits.Check(r); err != nil {
		return adapters.MessageRef{}, err
	}
	c.mu.Lock()
	c.sends++
	n, before, after := c.sends, c.onSend, c.onSent
	c.tell()
	c.mu.Unlock()
	if before != nil {
		if err := before(n, r); err != nil {
			return adapters.MessageRef{}, err
		}
	}
	if err := ctx.Err(); err != nil {
		return adapters.MessageRef{}, err
	}
	ref := c.put(key, r)
	if after != nil {
		if err := after(n); err != nil {
			return adapters.MessageRef{}, err
		}
	}
	return ref, nil
}

func (c *chat) Acknowledge(_ context.Context, request adapters.MessageRef, s adapters.Status) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.signs[request.ID] = append(c.signs[request.ID], s)
	c.tell()
	return nil
}

func (c *chat) Offer(_ context.Context, answer adapters.MessageRef, n int) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.offered[answer.ID] = n
	c.tell()
	return nil
}

func (c *chat) Delete(_ context.Context, sent adapters.MessageRef) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.deleted = append(c.deleted, sent.ID)
	c.tell()
	return nil
}

func (c *chat) Whisper(_ context.Context, pressed adapters.Event, _ adapters.Thread, text string) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.open {
		return adapters.ErrGone
	}
	c.private = append(c.private, pressed.By.ID+": "+text)
	c.tell()
	return nil
}

// Forget records forgotten threads.
func (c *chat) Forget(_ context.Context, t adapters.Thread) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.gone = append(c.gone, t.Key())
	return nil
}

func (c *chat) Limits(adapters.Thread) adapters.Limits { return c.limits }

func (c *chat) forgotten() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Clone(c.gone)
}

// put posts once per key.
func (c *chat) put(key string, r adapters.Reply) adapters.MessageRef {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, p := range c.posts {
		if p.key == key {
			return p.ref
		}
	}
	ref := adapters.MessageRef{Adapter: "chat", Channel: "c", ID: fmt.Sprintf("a%d", len(c.posts)+1)}
	for i := range c.parts {
		ref.Parts = append(ref.Parts, fmt.Sprintf("%s-%d", ref.ID, i))
	}
	c.posts = append(c.posts, posted{key, ref, r})
	c.tell()
	return ref
}

// tell signals a change. It requires c.mu.
func (c *chat) tell() {
	close(c.changed)
	c.changed = make(chan struct{})
}

// until waits until the chat meets a condition.
func (c *chat) until(t *testing.T, what string, is func() bool) {
	t.Helper()
	end := time.NewTimer(patience)
	defer end.Stop()
	for {
		c.mu.Lock()
		ok, changed := is(), c.changed
		c.mu.Unlock()
		if ok {
			return
		}
		select {
		case <-changed:
		case <-end.C:
			t.Fatalf("it did not come to it: %s", what)
		}
	}
}

// untilShown waits until a message has had these signs.
func (c *chat) untilShown(t *testing.T, message string, signs ...adapters.Status) {
	t.Helper()
	c.until(t, fmt.Sprint("signs ", signs), func() bool { return fmt.Sprint(c.signs[message]) == fmt.Sprint(signs) })
}

func (c *chat) post(ref adapters.MessageRef) (posted, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, p := range c.posts {
		if p.ref.ID == ref.ID {
			return p, true
		}
	}
	return posted{}, false
}

func (c *chat) all() []posted {
	c.mu.Lock()
	defer c.mu.Unlock()
	return append([]posted{}, c.posts...)
}

// upload adds a file that people can attach.
func (c *chat) upload(name, content string) adapters.File {
	c.mu.Lock()
	defer c.mu.Unlock()
	handle := "secret-" + name
	c.files[handle] = content
	return adapters.File{ID: "f-" + name, Name: name, Handle: handle}
}
