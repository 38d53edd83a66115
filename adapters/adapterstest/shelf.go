package adapterstest

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"sync"
	"testing"

	"atelier/adapters"
)

// shelf stores the attachments of replies, and counts the open ones.
type shelf struct {
	mu     sync.Mutex
	things map[string][]byte
	opened int
	left   int // opened and not closed yet

	fail map[string]error         // by handle: the next opening fails halfway
	hold map[string]chan struct{} // by handle: closed when somebody reads; then the read blocks
}

func newShelf() *shelf {
	return &shelf{things: map[string][]byte{}, fail: map[string]error{}, hold: map[string]chan struct{}{}}
}

// put stores content and returns an attachment.
func (s *shelf) put(name, mediaType string, content []byte) adapters.Attachment {
	s.mu.Lock()
	defer s.mu.Unlock()
	handle := fmt.Sprintf("threads/x/%d", len(s.things))
	s.things[handle] = content
	return adapters.Attachment{Name: name, Type: mediaType, Size: int64(len(content)), Handle: handle}
}

// breakOff makes the next opening fail after half of the content.
func (s *shelf) breakOff(handle string, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.fail[handle] = err
}

// stall makes reading the content block. The channel is closed once somebody reads.
func (s *shelf) stall(handle string) <-chan struct{} {
	s.mu.Lock()
	defer s.mu.Unlock()
	opened := make(chan struct{})
	s.hold[handle] = opened
	return opened
}

// open is an [adapters.Opener].
func (s *shelf) open(ctx context.Context, handle string) (io.ReadCloser, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	content, ok := s.things[handle]
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case !ok:
		return nil, adapters.ErrGone
	}
	s.opened++
	s.left++
	o := &opened{shelf: s, Reader: bytes.NewReader(content)}
	if err := s.fail[handle]; err != nil {
		delete(s.fail, handle)
		o.Reader = io.MultiReader(bytes.NewReader(content[:len(content)/2]), failing{err})
	}
	if told := s.hold[handle]; told != nil {
		delete(s.hold, handle)
		o.Reader = stalled{ctx, told}
	}
	return o, nil
}

// closed checks that everything opened was closed.
func (s *shelf) closed(t *testing.T) {
	t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.left != 0 {
		t.Errorf("%d of %d attachments were not closed", s.left, s.opened)
	}
}

// opened is content being read.
type opened struct {
	io.Reader
	shelf *shelf
	once  sync.Once
}

func (o *opened) Close() error {
	o.once.Do(func() {
		o.shelf.mu.Lock()
		defer o.shelf.mu.Unlock()
		o.shelf.left--
	})
	return nil
}

type failing struct{ err error }

func (f failing) Read([]byte) (int, error) { return 0, f.err }

// stalled blocks until the context ends for which it was opened.
type stalled struct {
	ctx  context.Context //nolint:containedctx // it is the reader's, as of a request
	told chan struct{}
}

func (s stalled) Read([]byte) (int, error) {
	select {
	case <-s.told:
	default:
		close(s.told)
	}
	<-s.ctx.Done()
	return 0, s.ctx.Err()
}
