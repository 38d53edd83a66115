package adapterstest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"unicode"

	"atelier/adapters"
)

func equal[T comparable](a, b []T) bool { return slices.Equal(a, b) }

// noise returns random content, the same for the same size.
func noise(size int) []byte {
	content := make([]byte, size)
	_, _ = rand.NewChaCha8([32]byte{}).Read(content) //nolint:errcheck // it never fails
	return content
}

// uploads returns files with all kinds of names.
func uploads() []Upload {
	all := []Upload{
		{Name: "photo.png", Type: "image/png", Alt: "A cat.\n<b>Grey</b> & white 🐈", Content: []byte("PNG")},
		{Name: "photo.png", Type: "image/png", Content: []byte("another of that name")},
		{Name: "large.bin", Type: "application/octet-stream", Content: noise(3 << 20)},
	}
	for _, name := range []string{
		"日本語 👩‍👩‍👧‍👦.jpg", //nolint:gosmopolitan // other scripts are what is tested
		"../../etc/passwd", `..\..\boot.ini`, "/etc/passwd", "<script>alert(1)</script>.svg", "a\"b'c`d&e;f.txt",
		"\u202egnp.exe", "two\nlines\x07.txt",
		"no extension", ".hidden", "@everyone <!channel>.txt", "*bold* _it_ ||x||.txt", strings.Repeat("long", 40) + ".txt",
	} {
		all = append(all, Upload{Name: name, Type: "application/octet-stream", Content: []byte("of " + name)})
	}
	return all
}

// files checks that files arrive with their content, whatever their names.
func files(s *scene) {
	e := s.listen()
	thread, all := s.thread(), uploads()
	p := s.post(thread, "")
	for files := range slices.Chunk(all, 4) {
		p.Files = files
		m := e.write(p).Message
		if m.Text != "" || len(m.Files) != len(files) {
			s.Fatalf("a message of %d files was received with %d, and the text %q", len(files), len(m.Files), m.Text)
		}
		var seen []string
		for i, f := range m.Files {
			s.fetched(s.a, f, files[i])
			if seen = append(seen, f.ID); len(slices.Compact(slices.Sorted(slices.Values(seen)))) != i+1 {
				s.Errorf("two files have the id %q", f.ID)
			}
		}
	}
}

// fetched checks that a file equals its upload.
func (s *scene) fetched(a adapters.Adapter, f adapters.File, u Upload) {
	s.Helper()
	plain := !strings.ContainsFunc(u.Name, func(r rune) bool {
		return r > unicode.MaxASCII || unicode.IsControl(r) || strings.ContainsRune(`/\<>"'&;@*|`+"`", r)
	})
	if f.Size != 0 && f.Size != int64(len(u.Content)) || plain && f.Name != u.Name || f.Name == "" {
		s.Errorf("the file %q of %d bytes was received as %q of %d bytes", u.Name, len(u.Content), f.Name, f.Size)
	}
	if !s.lacks(Alts) && f.Alt != u.Alt {
		s.Errorf("the alt text is %q, want %q", f.Alt, u.Alt)
	}
	if got := s.fetch(a, f); !bytes.Equal(got, u.Content) {
		s.Errorf("%q: got %d bytes, want the other %d", u.Name, len(got), len(u.Content))
	}
}

// fetch returns the content of a file. Any goroutine may call it.
func (s *scene) fetch(a adapters.Adapter, f adapters.File) []byte {
	s.Helper()
	r, err := a.Fetch(s.Context(), f)
	if err != nil {
		s.Errorf("fetch: %v", err)
		return nil
	}
	b, err := io.ReadAll(r)
	if err = errors.Join(err, r.Close()); err != nil {
		s.Errorf("read the fetched file: %v", err)
	}
	return b
}

// filesAtOnce checks that files can be fetched concurrently, repeatedly, and by an adapter that does not listen.
func filesAtOnce(s *scene) {
	e := s.listen()
	u := Upload{Name: "large.bin", Type: "application/octet-stream", Content: noise(1 << 20)}
	p := s.post(s.thread(), "take it")
	p.Files = []Upload{u}
	f := e.write(p).Message.Files[0]
	e.end()
	by := []adapters.Adapter{s.a, s.a, s.a}
	if !s.lacks(Processes) {
		by = append(by, s.another())
	}
	var all sync.WaitGroup
	for _, a := range by {
		all.Go(func() { s.fetched(a, f, u) })
	}
	all.Wait()
}

// strangeFiles checks that files that no event contained are rejected.
func strangeFiles(s *scene) {
	for _, handle := range []string{"x", "../../../etc/passwd", "/etc/passwd", "http://127.0.0.1:1/x", "https://example.com/\x00", "{}"} {
		r, err := s.a.Fetch(s.Context(), adapters.File{ID: "1", Handle: handle})
		if err == nil {
			s.Errorf("%q was fetched: %v", handle, r.Close())
		} else if !adapters.Final(err) {
			s.Errorf("%q: %v, want a permanent error", handle, err)
		}
	}
}

func filesThatAreGone(s *scene) {
	e := s.listen()
	p := s.post(s.thread(), "take it")
	p.Files = []Upload{{Name: "a.txt", Type: "text/plain", Content: []byte("a")}}
	m := e.write(p).Message
	as[LosingFiles](s, s.p).LoseFiles(s.T, m.Ref)
	r, err := s.a.Fetch(s.Context(), m.Files[0])
	if err == nil {
		err = errors.Join(errors.New("nothing"), r.Close())
	}
	s.is("fetch what is gone", err, adapters.ErrGone)
}

// is checks that an error is of a kind.
func (tr *trial) is(what string, err, kind error) {
	tr.Helper()
	if !errors.Is(err, kind) {
		tr.Errorf("%s: %v, where %q was to come", what, err, kind)
	}
}

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
