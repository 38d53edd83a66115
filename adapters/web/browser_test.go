package web

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"atelier/adapters"
	"atelier/adapters/web/upload"
)

// thread1 is a thread that no test begins otherwise.
const thread1 = "thread0000000001"

// browser is a person's browser, which talks to one process.
type browser struct {
	*testing.T

	c    *Channel
	by   adapters.Person
	said map[string]string // headers
}

func browse(t *testing.T, c *Channel) *browser {
	t.Helper()
	return &browser{T: t, c: c, by: ana}
}

// of returns another person's browser.
func (b *browser) of(id string) *browser {
	return &browser{T: b.T, c: b.c, by: adapters.Person{ID: id, Name: id}}
}

// with returns the browser with one more header.
func (b *browser) with(name, value string) *browser {
	other := *b
	other.said = map[string]string{name: value}
	maps.Copy(other.said, b.said)
	return &other
}

func (b *browser) do(method, target string, body io.Reader) *httptest.ResponseRecorder {
	b.Helper()
	r := httptest.NewRequestWithContext(b.Context(), method, target, body)
	if _, form := body.(*strings.Reader); form {
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	for name, value := range b.said {
		r.Header.Set(name, value)
	}
	w := httptest.NewRecorder()
	b.c.Handler().ServeHTTP(w, as(r, b.by))
	return w
}

func (b *browser) get(target string) *httptest.ResponseRecorder {
	b.Helper()
	return b.do(http.MethodGet, target, http.NoBody)
}

func (b *browser) post(target string, fields ...string) *httptest.ResponseRecorder {
	b.Helper()
	form := url.Values{}
	for pair := range slices.Chunk(fields, 2) {
		form.Add(pair[0], pair[1])
	}
	return b.do(http.MethodPost, target, strings.NewReader(form.Encode()))
}

// write sends a message to the thread.
func (b *browser) write(id, text string, fields ...string) *httptest.ResponseRecorder {
	b.Helper()
	return b.post("/t/"+thread1+"/messages", append([]string{"id", id, "text", text}, fields...)...)
}

// upload uploads a file, and returns its id.
func (b *browser) upload(query, content string) upload.Uploaded {
	b.Helper()
	w := b.do(http.MethodPost, "/t/"+thread1+"/files?"+query, bytes.NewReader([]byte(content)))
	b.is(w, http.StatusCreated)
	var u upload.Uploaded
	if err := json.Unmarshal(w.Body.Bytes(), &u); err != nil {
		b.Fatal(err)
	}
	return u
}

// is checks a response's status.
func (b *browser) is(w *httptest.ResponseRecorder, status int, holds ...string) {
	b.Helper()
	if w.Code != status {
		b.Fatalf("%d, and not %d: %.500s", w.Code, status, w.Body)
	}
	for _, s := range holds {
		if !strings.Contains(w.Body.String(), s) {
			b.Errorf("%q is not in %.1000s", s, w.Body)
		}
	}
}

// heard is the events that a handler accepted.
type heard struct {
	mu     sync.Mutex
	fail   error         // what it fails with, where it is set
	hung   chan struct{} // where it is set, it waits for that
	events []adapters.Event
}

func (h *heard) handle(_ context.Context, e adapters.Event) error {
	h.mu.Lock()
	hung := h.hung
	h.mu.Unlock()
	if hung != nil {
		<-hung
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.fail == nil {
		h.events = append(h.events, e)
	}
	return h.fail
}

func (h *heard) failing(err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.fail = err
}

func (h *heard) hang(until chan struct{}) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.hung = until
}

func (h *heard) all() []adapters.Event {
	h.mu.Lock()
	defer h.mu.Unlock()
	return append([]adapters.Event(nil), h.events...)
}

// listen makes a channel listen until the test ends or it is stopped.
func listen(t *testing.T, c *Channel) (h *heard, stop func()) {
	t.Helper()
	h = &heard{}
	ctx, cancel := context.WithCancel(context.Background())
	over := make(chan struct{})
	go func() {
		defer close(over)
		if err := c.Listen(ctx, h.handle); err != nil {
			t.Error(err)
		}
	}()
	stop = sync.OnceFunc(func() {
		cancel()
		<-over
	})
	t.Cleanup(stop)
	for c.Check(t.Context()) != nil {
		<-time.After(time.Millisecond) // of a bubble's clock
	}
	return h, stop
}

// tab is a page that reads an event stream.
type tab struct {
	t      *testing.T
	status chan int
	events chan event
	stop   func()
}

type event struct{ name, id, data string }

// flow is the server's side of a stream.
type flow struct {
	header http.Header
	*io.PipeWriter
	status chan int
	once   sync.Once
}

func (f *flow) Header() http.Header { return f.header }
func (f *flow) Flush()              {}
func (f *flow) WriteHeader(status int) {
	f.once.Do(func() { f.status <- status })
}

// open opens the stream of a thread.
func (b *browser) open(target string) *tab {
	b.Helper()
	ctx, cancel := context.WithCancel(context.WithoutCancel(b.Context()))
	r := httptest.NewRequestWithContext(ctx, http.MethodGet, target, http.NoBody)
	for name, value := range b.said {
		r.Header.Set(name, value)
	}
	in, out := io.Pipe()
	w := &flow{header: http.Header{}, PipeWriter: out, status: make(chan int, 1)}
	x := &tab{t: b.T, status: w.status, events: make(chan event)}
	over := make(chan struct{})
	go func() {
		defer close(over)
		b.c.Handler().ServeHTTP(w, as(r, b.by))
		w.WriteHeader(http.StatusOK)
		_ = out.Close() //nolint:errcheck // it never fails
	}()
	read := make(chan struct{})
	go func() {
		defer close(read)
		x.read(ctx, in)
	}()
	x.stop = sync.OnceFunc(func() {
		cancel()
		_ = in.Close() //nolint:errcheck // it never fails
		<-over
		<-read
	})
	b.Cleanup(x.stop)
	return x
}

// read reads events until there are no more.
func (x *tab) read(ctx context.Context, in io.Reader) {
	defer close(x.events)
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, 1<<22)
	var e event
	for lines.Scan() {
		name, value, _ := strings.Cut(lines.Text(), ": ")
		switch {
		case lines.Text() != "":
			switch name {
			case "event":
				e.name = value
			case "id":
				e.id = value
			case "data":
				e.data += value + "\n"
			case "":
				e.name = "comment"
			case "retry":
				e.name = "retry"
			}
		default:
			select {
			case x.events <- e:
			case <-ctx.Done():
				return
			}
			e = event{}
		}
	}
}

// next returns the next event of a name, skipping others.
func (x *tab) next(name string) event {
	x.t.Helper()
	for e := range x.events {
		if e.name == name {
			return e
		}
	}
	x.t.Fatalf("the stream has ended before a %q came", name)
	return event{}
}
