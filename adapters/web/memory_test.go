package web

import (
	"bytes"
	"context"
	"errors"
	"io"
	"maps"
	"net/http"
	"path"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"atelier/adapters"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// memory is a State in the memory of a test.
type memory struct {
	mu      sync.Mutex
	lists   map[string][][]byte
	expiry  map[string]time.Duration // the last one that was asked for
	hearers map[chan []byte]context.Context

	lose   int           // so many appends to threads' lists are done, and said to have failed
	broken error         // what all of it fails with, where it is set
	silent chan struct{} // where it is set, nothing is answered; it hears of each call
}

func newMemory() *memory {
	return &memory{lists: map[string][][]byte{}, expiry: map[string]time.Duration{}, hearers: map[chan []byte]context.Context{}}
}

// call begins a call, and ends with the lock held unless it fails.
func (m *memory) call(ctx context.Context) error {
	m.mu.Lock()
	silent, broken := m.silent, m.broken
	switch {
	case ctx.Err() != nil:
		m.mu.Unlock()
		return ctx.Err()
	case silent != nil:
		m.mu.Unlock()
		select {
		case silent <- struct{}{}:
		case <-ctx.Done():
		}
		<-ctx.Done()
		return ctx.Err()
	case broken != nil:
		m.mu.Unlock()
		return broken
	}
	return nil
}

func (m *memory) Append(ctx context.Context, key string, entry []byte, expiry time.Duration) (int64, error) {
	if err := m.call(ctx); err != nil {
		return 0, err
	}
	defer m.mu.Unlock()
	m.lists[key] = append(m.lists[key], slices.Clone(entry))
	m.expiry[key] = expiry
	if m.lose > 0 && !strings.HasPrefix(key, "web-day-") && path.Base(key) == "log" {
		m.lose--
		return 0, errors.New("the answer is lost")
	}
	return int64(len(m.lists[key]) - 1), nil
}

func (m *memory) Read(ctx context.Context, key string, from int64) ([][]byte, error) {
	if err := m.call(ctx); err != nil {
		return nil, err
	}
	defer m.mu.Unlock()
	all := m.lists[key]
	return slices.Clone(all[min(from, int64(len(all))):]), nil
}

func (m *memory) DeleteAll(ctx context.Context, group string) error {
	if err := m.call(ctx); err != nil {
		return err
	}
	defer m.mu.Unlock()
	maps.DeleteFunc(m.lists, func(key string, _ [][]byte) bool { return strings.HasPrefix(key, group+"/") })
	return nil
}

func (m *memory) Publish(ctx context.Context, topic string, hint []byte) error {
	if err := m.call(ctx); err != nil {
		return err
	}
	defer m.mu.Unlock()
	for hearer := range m.hearers {
		select {
		case hearer <- slices.Clone(hint):
		default:
			panic("a hint is not read")
		}
	}
	return nil
}

func (m *memory) Subscribe(ctx context.Context, topic string) (<-chan []byte, error) {
	if err := m.call(ctx); err != nil {
		return nil, err
	}
	defer m.mu.Unlock()
	hearer := make(chan []byte, 10_000)
	m.hearers[hearer] = ctx
	context.AfterFunc(ctx, func() { m.hangUp(hearer) })
	return hearer, nil
}

func (m *memory) hangUp(hearer chan []byte) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.hearers[hearer] != nil {
		delete(m.hearers, hearer)
		close(hearer)
	}
}

// hangUpAll breaks all subscriptions.
func (m *memory) hangUpAll() {
	m.mu.Lock()
	hearers := slices.Collect(maps.Keys(m.hearers))
	m.mu.Unlock()
	for _, hearer := range hearers {
		m.hangUp(hearer)
	}
}

// breakDown lets all calls fail so, or work again.
func (m *memory) breakDown(err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.broken = err
}

// put adds entries to a thread, as another process would.
func (m *memory) put(t *testing.T, thread string, entries ...string) {
	t.Helper()
	for _, e := range entries {
		m.mu.Lock()
		m.lists[logKey(thread)] = append(m.lists[logKey(thread)], []byte(e))
		m.mu.Unlock()
		if err := m.Publish(t.Context(), topic, []byte("c"+thread)); err != nil {
			t.Fatal(err)
		}
	}
}

// files are Media in the memory of a test. What is attached to answers may be elsewhere.
type files struct {
	open adapters.Opener // may be nil

	mu      sync.Mutex
	content map[string][]byte
	putting int // Puts that run
	most    int // at once
	hold    chan struct{}
}

func newFiles() *files { return &files{content: map[string][]byte{}} }

func (f *files) Put(ctx context.Context, key string, r io.Reader) error {
	f.mu.Lock()
	f.putting++
	f.most = max(f.most, f.putting)
	hold := f.hold
	f.mu.Unlock()
	defer func() {
		f.mu.Lock()
		defer f.mu.Unlock()
		f.putting--
	}()
	if hold != nil {
		select {
		case <-hold:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	b, err := io.ReadAll(r)
	if err != nil {
		return err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.content[key] = b
	return nil
}

func (f *files) Get(ctx context.Context, key string) (io.ReadCloser, error) {
	return f.GetRange(ctx, key, 0, -1)
}

func (f *files) GetRange(ctx context.Context, key string, offset, n int64) (io.ReadCloser, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	f.mu.Lock()
	b, ok := f.content[key]
	f.mu.Unlock()
	if ok {
		b = b[min(offset, int64(len(b))):]
		if n >= 0 {
			b = b[:min(n, int64(len(b)))]
		}
		return io.NopCloser(bytes.NewReader(b)), nil
	}
	if f.open == nil {
		return nil, adapters.ErrGone
	}
	r, err := f.open(ctx, key)
	if err != nil {
		return nil, err
	}
	if _, err := io.CopyN(io.Discard, r, offset); err != nil && !errors.Is(err, io.EOF) {
		return nil, errors.Join(err, r.Close())
	}
	if n < 0 {
		return r, nil
	}
	return struct {
		io.Reader
		io.Closer
	}{io.LimitReader(r, n), r}, nil
}

func (f *files) Delete(_ context.Context, key string) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	delete(f.content, key)
	return nil
}

func (*files) Folder(t adapters.Thread) string { return "threads/" + t.Key() }

// Look tells pictures by how they begin; every one that begins so has 40 by 30 pixels.
func (f *files) Look(ctx context.Context, key, name string) (Found, error) {
	r, err := f.GetRange(ctx, key, 0, -1)
	if err != nil {
		return Found{}, err
	}
	b, err := io.ReadAll(r)
	if err := errors.Join(err, r.Close()); err != nil {
		return Found{}, err
	}
	switch {
	case bytes.HasPrefix(b, []byte("BOMB")):
		return Found{}, &adapters.Fault{Sentence: "The file is a bomb.", Kind: adapters.ErrInvalid}
	case bytes.HasPrefix(b, []byte("\x89PNG")):
		return Found{Type: "image/png", Width: 40, Height: 30}, nil
	case bytes.HasPrefix(b, []byte("SMALL")):
		return Found{Type: "image/png", Width: 4, Height: 3}, nil
	case bytes.HasPrefix(b, []byte("<svg")):
		return Found{Type: "image/svg+xml"}, nil
	case bytes.HasPrefix(b, []byte("<html")):
		return Found{Type: "text/html"}, nil
	case bytes.HasPrefix(b, []byte("text")):
		return Found{Type: "text/plain"}, nil
	}
	return Found{Type: "application/octet-stream"}, nil
}

// keys are those of all files.
func (f *files) keys() []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Sorted(maps.Keys(f.content))
}

// workshop is one in which little was done.
type workshop struct {
	mu        sync.Mutex
	forgotten []string
	broken    error
}

func (*workshop) Work(_ context.Context, answer adapters.MessageRef) (*Work, error) {
	return &Work{Steps: []Step{{Tool: "find_edges<b>", State: adapters.StepDone, Took: time.Second}}}, nil
}

func (*workshop) Tools(context.Context) ([]Tool, error) {
	return []Tool{{Name: "find_edges", Description: "finds <b>edges</b>", Domain: "image", Makes: "edge", Live: true}}, nil
}

func (w *workshop) Examples(context.Context) ([]Example, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return []Example{{Wish: "Find the edges.", Needs: "image"}}, w.broken
}

func (w *workshop) Forget(_ context.Context, t adapters.Thread) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.forgotten = append(w.forgotten, t.Key())
	return w.broken
}

// personKey is where the test's guard puts who asks.
type personKey struct{}

var ana = adapters.Person{ID: "ana-1", Name: "Ana"}

// as lets somebody make a request.
func as(r *http.Request, p adapters.Person) *http.Request {
	return r.WithContext(context.WithValue(r.Context(), personKey{}, p))
}

func who(ctx context.Context) adapters.Person {
	if p, ok := ctx.Value(personKey{}).(adapters.Person); ok {
		return p
	}
	return ana
}

// newChannel makes a channel over what is kept.
func newChannel(t *testing.T, state State, media Media, changes ...func(*Config)) *Channel {
	t.Helper()
	c := Config{State: state, Media: media, Workshop: &workshop{}, Guard: func(h http.Handler) http.Handler { return h }, Who: who}
	for _, change := range changes {
		change(&c)
	}
	channel, err := New(c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(channel.Close)
	return channel
}
