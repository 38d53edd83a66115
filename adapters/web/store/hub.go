package store

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"

	"atelier/adapters"
)

// topic is where processes announce changes to each other. A hint is a letter and a thread's id.
const topic = "web"

// The letters of hints.
const (
	HintWrote   = 'w' // a person wrote or reacted
	hintChanged = 'c' // something else changed in the thread
	HintListed  = 'l' // the list of threads changed
	hintPrivate = 'p' // a [Private] follows instead of the thread
)

// Hub announces changes to the watchers in this process. It is subscribed while there are any.
type Hub struct {
	state State
	log   *slog.Logger
	count atomic.Uint64 // number of hints, lost ones included

	mu       sync.Mutex
	watchers map[*Watcher]struct{}
	line     *subscription
}

// subscription is a subscription to the topic.
type subscription struct {
	ready chan struct{} // closed once it is established, or err is set
	err   error
	stop  context.CancelFunc
}

// Watcher waits for changes of a thread, and of the list of threads.
type Watcher struct {
	thread string
	Wake   chan struct{} // receives after a change
	Told   chan Private  // receives what one person who sees the thread is told
	Lost   chan struct{} // closed when the subscription ends

	Changed atomic.Uint64 // the number of the last hint about the thread
	Listed  atomic.Uint64 // and about the list
}

// Private is what one person who sees a thread is told. It is not stored.
type Private struct {
	Thread string `json:"thread"`
	To     string `json:"to"` // the person's id
	Text   string `json:"text"`
}

// maxTold is how many of them wait for a watcher. Further ones are lost.
const maxTold = 8

// Tell tells it to the person's open pages.
func (h *Hub) Tell(ctx context.Context, p Private) error {
	b, err := json.Marshal(p)
	if err == nil {
		err = h.state.Publish(ctx, topic, append([]byte{hintPrivate}, b...))
	}
	if err != nil {
		return fmt.Errorf("tell a person: %w", err)
	}
	return nil
}

func newHub(state State, log *slog.Logger) *Hub {
	return &Hub{state: state, log: log, watchers: map[*Watcher]struct{}{}}
}

// Watch reports all changes from its return until Leave.
func (h *Hub) Watch(ctx context.Context, thread string) (*Watcher, error) {
	w := &Watcher{thread: thread, Wake: make(chan struct{}, 1), Told: make(chan Private, maxTold), Lost: make(chan struct{})}
	h.mu.Lock()
	h.watchers[w] = struct{}{}
	if h.line == nil {
		h.line = h.connect(ctx)
	}
	line := h.line
	h.mu.Unlock()
	select {
	case <-line.ready:
		if line.err == nil { // what was read before may be old
			w.Changed.CompareAndSwap(0, h.count.Load())
			w.Listed.CompareAndSwap(0, h.count.Load())
			return w, nil
		}
	case <-ctx.Done():
		h.Leave(w)
		return nil, ctx.Err()
	}
	h.Leave(w)
	return nil, line.err
}

// Leave ends a watch.
func (h *Hub) Leave(w *Watcher) {
	h.mu.Lock()
	defer h.mu.Unlock()
	delete(h.watchers, w)
	if len(h.watchers) == 0 && h.line != nil {
		h.line.stop()
		h.line = nil
	}
}

// Subscribe returns the hints of all processes until the context ends.
func (h *Hub) Subscribe(ctx context.Context) (<-chan []byte, error) {
	return h.state.Subscribe(ctx, topic)
}

// Publish announces a change to all processes. Failures are only logged: watchers also check without a hint.
func (h *Hub) Publish(ctx context.Context, kind byte, thread string) {
	if err := h.state.Publish(ctx, topic, append([]byte{kind}, thread...)); err != nil && ctx.Err() == nil {
		h.log.DebugContext(ctx, "a hint was not published", "error", adapters.ForOperator(err))
	}
}

// hints returns the number of hints so far.
func (h *Hub) hints() uint64 { return h.count.Load() }

// connect subscribes until the subscription is stopped.
func (h *Hub) connect(ctx context.Context) *subscription {
	ctx, stop := context.WithCancel(context.WithoutCancel(ctx))
	l := &subscription{ready: make(chan struct{}), stop: stop}
	go func() {
		hints, err := h.Subscribe(ctx)
		if err != nil {
			l.err = fmt.Errorf("wait for changes: %w", err)
			h.end(l)
			close(l.ready)
			return
		}
		h.count.Add(1) // what was read before may be outdated
		close(l.ready)
		for hint := range hints {
			if len(hint) > 0 && hint[0] == hintPrivate {
				h.tellPrivate(hint[1:])
				continue
			}
			h.tell(hint)
		}
		h.end(l)
	}()
	return l
}

// tell wakes the watchers concerned by a hint, or all if some hints were lost.
func (h *Hub) tell(hint []byte) {
	n := h.count.Add(1)
	h.mu.Lock()
	defer h.mu.Unlock()
	for w := range h.watchers {
		about, listed := len(hint) == 0, len(hint) == 0
		if !about {
			listed = hint[0] == HintListed
			about = !listed && string(hint[1:]) == w.thread
		}
		if about {
			w.Changed.Store(n)
		}
		if listed {
			w.Listed.Store(n)
		}
		if about || listed {
			select {
			case w.Wake <- struct{}{}:
			default:
			}
		}
	}
}

// tellPrivate passes a hint to the watchers of its thread.
func (h *Hub) tellPrivate(hint []byte) {
	var p Private
	if err := json.Unmarshal(hint, &p); err != nil {
		h.log.Debug("a hint cannot be read")
		return
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	for w := range h.watchers {
		if w.thread != p.Thread {
			continue
		}
		select {
		case w.Told <- p:
		default:
		}
	}
}

// end tells the watchers of a subscription that it has ended.
func (h *Hub) end(l *subscription) {
	h.mu.Lock()
	defer h.mu.Unlock()
	l.stop()
	if h.line != l {
		return
	}
	h.line = nil
	for w := range h.watchers {
		close(w.Lost)
		delete(h.watchers, w)
	}
}
