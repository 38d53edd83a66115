package web

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"path"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"atelier/adapters"
	"atelier/adapters/web/drawing"
	"atelier/adapters/web/guard"
	"atelier/adapters/web/media"
	"atelier/adapters/web/page"
	"atelier/adapters/web/store"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// memory is an in-memory State.
type memory struct {
	mu      sync.Mutex
	lists   map[string][][]byte
	deleted bool                     // whether what was deleted lies there still
	expiry  map[string]time.Duration // the last one that was asked for
	hearers map[chan []byte]bool

	lose   int           // so many appends to threads' lists are done, and said to have failed
	broken error         // what all of it fails with, where it is set
	silent chan struct{} // where it is set, nothing is answered; it hears of each call
}

func newMemory() *memory {
	return &memory{lists: map[string][][]byte{}, expiry: map[string]time.Duration{}, hearers: map[chan []byte]bool{}}
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
	m.deleted = true
	return nil
}

func (m *memory) Purge(ctx context.Context) error {
	if err := m.call(ctx); err != nil {
		return err
	}
	defer m.mu.Unlock()
	m.deleted = false
	return nil
}

func (m *memory) Publish(ctx context.Context, _ string, hint []byte) error {
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

func (m *memory) Subscribe(ctx context.Context, _ string) (<-chan []byte, error) {
	if err := m.call(ctx); err != nil {
		return nil, err
	}
	defer m.mu.Unlock()
	hearer := make(chan []byte, 10_000)
	m.hearers[hearer] = true
	context.AfterFunc(ctx, func() { m.hangUp(hearer) })
	return hearer, nil
}

// call begins a call. It holds the lock unless it returns an error.
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

func (m *memory) hangUp(hearer chan []byte) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.hearers[hearer] {
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

// breakDown makes all calls fail with an error, or work again.
func (m *memory) breakDown(err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.broken = err
}

// all returns the content of the lists whose keys have the prefix.
func (m *memory) all(prefix string) []byte {
	m.mu.Lock()
	defer m.mu.Unlock()
	var all []byte
	for key, list := range m.lists {
		if strings.HasPrefix(key, prefix) {
			all = append(append(all, key...), bytes.Join(list, []byte("\n"))...)
		}
	}
	return all
}

// logKey returns the key of a thread's entries.
func logKey(thread string) string { return "web-" + thread + "/log" }

// put adds entries to a thread, as another process would.
func (m *memory) put(t *testing.T, thread string, entries ...string) {
	t.Helper()
	for _, e := range entries {
		m.mu.Lock()
		m.lists[logKey(thread)] = append(m.lists[logKey(thread)], []byte(e))
		m.mu.Unlock()
		if err := m.Publish(t.Context(), "web", []byte("c"+thread)); err != nil {
			t.Fatal(err)
		}
	}
}

// workshop is one without any recorded work.
type workshop struct {
	mu        sync.Mutex
	forgotten []string
	broken    error
	leave     func() // called while a thread is deleted
}

func (*workshop) Work(context.Context, adapters.MessageRef) (*drawing.Work, error) {
	return &drawing.Work{Steps: []drawing.Step{{Text: "find_edges<b>", State: adapters.StepDone, Took: time.Second}}}, nil
}

func (*workshop) Tools(context.Context) ([]page.Tool, error) {
	return []page.Tool{{Name: "find_edges", Description: "finds <b>edges</b>", Domain: "image", Makes: "edge", Live: true}}, nil
}

func (w *workshop) Examples(context.Context, string) ([]page.Example, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return []page.Example{{Wish: "Find the edges.", Needs: "image"}}, w.broken
}

func (w *workshop) Operations(context.Context) (page.Operations, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return sampleOperations(), w.broken
}

// Small makes a thumbnail of anything but files that are gone or not pictures.
func (w *workshop) Thumbnail(_ context.Context, key string, side int) ([]byte, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.broken != nil {
		return nil, w.broken
	}
	return fmt.Appendf(nil, "%s with %d pixels", key, side), nil
}

func (w *workshop) Forget(ctx context.Context, t adapters.Thread) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.forgotten = append(w.forgotten, t.Key())
	if w.leave != nil {
		w.leave()
	}
	return cmp.Or(w.broken, ctx.Err())
}

// personKey is the context key for the person, set by the test's guard.
type personKey struct{}

var ana = adapters.Person{ID: "ana-1", Name: "Ana"}

// as makes a request as a person.
func as(r *http.Request, p adapters.Person) *http.Request {
	return r.WithContext(context.WithValue(r.Context(), personKey{}, p))
}

func who(ctx context.Context) adapters.Person {
	if p, ok := ctx.Value(personKey{}).(adapters.Person); ok {
		return p
	}
	return ana
}

// listened makes a channel listen until the test ends, and serves its pages at a URL.
func listened(t *testing.T, c *Channel) (ctx context.Context, events <-chan adapters.Event, address string) {
	t.Helper()
	heard := make(chan adapters.Event, 10)
	ctx, stop := context.WithCancel(context.WithoutCancel(t.Context()))
	over := make(chan error, 1)
	go func() {
		over <- c.Listen(ctx, func(_ context.Context, e adapters.Event) error { heard <- e; return nil })
	}()
	t.Cleanup(func() {
		stop()
		if err := <-over; err != nil {
			t.Error(err)
		}
	})
	server := httptest.NewServer(hardened(t, c.Handler()))
	t.Cleanup(server.Close)
	t.Cleanup(c.Close)
	return ctx, heard, server.URL
}

// hardened sets the headers that the real guard sets.
func hardened(t *testing.T, next http.Handler) http.Handler {
	t.Helper()
	g, err := guard.New(guard.Config{})
	if err != nil {
		t.Fatal(err)
	}
	return g.Outer(next)
}

// newChannel returns a channel over the stored data.
func newChannel(t *testing.T, state store.State, media media.Media, changes ...func(*Config)) *Channel {
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
