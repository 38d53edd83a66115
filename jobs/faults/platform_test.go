package faults_test

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"atelier/adapters"
)

const adapterName = "fake"

// happening is an event that a worker reports.
type happening struct {
	Worker string `json:"worker"`
	// Point is the kind of event: ready; plan, act and respond before the agent does that; made after a step; post when
	// an answer is posted.
	Point   string `json:"point"`
	Request string `json:"request,omitempty"`
	Step    string `json:"step,omitempty"` // the tool
	// The following describe a post.
	Key     string `json:"key,omitempty"`
	Message string `json:"message,omitempty"` // the message that it answers
	Text    string `json:"text,omitempty"`
	Files   int    `json:"files,omitempty"`
}

// platform is a fake platform. It deduplicates posts by key, as Discord does by nonce.
type platform struct {
	server *httptest.Server

	mu       sync.Mutex
	happened []happening
	posts    map[string]happening // by key
	sends    map[string]int       // by key
	logged   []line               // logs of the workers
	held     func(happening) <-chan struct{}
	changed  chan struct{} // closed at the next change
}

func newPlatform(tb testing.TB) *platform {
	tb.Helper()
	p := &platform{posts: map[string]happening{}, sends: map[string]int{}, changed: make(chan struct{})}
	p.server = httptest.NewServer(http.HandlerFunc(p.serve))
	tb.Cleanup(func() {
		p.server.CloseClientConnections()
		p.server.Close()
	})
	return p
}

// hold blocks events for which held returns a channel, until that is closed. A post is blocked after it was accepted.
func (p *platform) hold(held func(happening) <-chan struct{}) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.held = held
}

func (p *platform) serve(w http.ResponseWriter, r *http.Request) {
	var h happening
	if err := json.NewDecoder(r.Body).Decode(&h); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	var wait <-chan struct{}
	p.change(func() {
		p.happened = append(p.happened, h)
		if h.Point == "post" {
			p.sends[h.Key]++
			if _, again := p.posts[h.Key]; !again {
				p.posts[h.Key] = h
			}
		}
		if p.held != nil {
			wait = p.held(h)
		}
	})
	if wait != nil {
		select {
		case <-wait:
		case <-r.Context().Done(): // the waiting worker was killed
			return
		}
	}
	_ = json.NewEncoder(w).Encode(adapters.MessageRef{Adapter: adapterName, Channel: "c", ID: h.Key}) //nolint:errcheck,errchkjson // the client may be gone
}

func (p *platform) change(f func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	f()
	close(p.changed)
	p.changed = make(chan struct{})
}

// await waits until a condition holds. The state does not change while it is checked.
func (p *platform) await(ctx context.Context, tb testing.TB, what string, so func() bool) {
	tb.Helper()
	for {
		p.mu.Lock()
		ok, changed := so(), p.changed
		p.mu.Unlock()
		if ok {
			return
		}
		select {
		case <-changed:
		case <-ctx.Done():
			p.mu.Lock()
			defer p.mu.Unlock()
			tb.Fatalf("%s: %v; %d posts; what happened last: %+v; what was logged last: %+v", what, ctx.Err(), len(p.posts), last(p.happened, 10), last(p.logged, 30))
		}
	}
}

func last[T any](all []T, n int) []T { return all[max(0, len(all)-n):] }

// count counts events.
func (p *platform) count(is func(happening) bool) int {
	n := 0
	for _, h := range p.happened {
		if is(h) {
			n++
		}
	}
	return n
}

// message is a message in a thread of its own.
func message(id string) adapters.Event { return wish(id, "wish") }

func wish(id, text string) adapters.Event {
	return adapters.Event{
		Kind: adapters.MessageSent, ID: id, Adapter: adapterName, Thread: adapters.Thread{Adapter: adapterName, Channel: "c", ID: id},
		By: adapters.Person{ID: "p"}, At: time.Unix(1, 0),
		Message: &adapters.Message{Ref: adapters.MessageRef{Adapter: adapterName, Channel: "c", ID: id}, For: adapters.Mentioned, Text: text},
	}
}
