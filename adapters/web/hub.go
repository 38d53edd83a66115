package web

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
)

// topic is where all processes of the channel tell each other what has changed. A hint is a
// letter, and the thread's id.
const topic = "web"

// What a hint tells.
const (
	hintWrote   = 'w' // somebody wrote or reacted: it is to be handed over
	hintChanged = 'c' // something else has changed in the thread
	hintListed  = 'l' // the list of threads has changed
)

// hub tells the open streams of this process what has changed. It is subscribed as long as
// there are some.
type hub struct {
	state State
	count atomic.Uint64 // of hints, also of those that were lost

	mu       sync.Mutex
	watchers map[*watcher]struct{}
	line     *line
}

// line is a subscription.
type line struct {
	ready chan struct{} // closed once it is there, or err is set
	err   error
	stop  context.CancelFunc
}

// watcher waits for changes of a thread, and of the list of threads.
type watcher struct {
	thread string
	wake   chan struct{} // has one element where something is to be looked at
	lost   chan struct{} // closed where no more will come

	changed atomic.Uint64 // the number of the last hint about the thread
	listed  atomic.Uint64 // and about the list
}

func newHub(state State) *hub { return &hub{state: state, watchers: map[*watcher]struct{}{}} }

// hints is how many came.
func (h *hub) hints() uint64 { return h.count.Load() }

// watch begins to wait. All that changes after it returned is told. Whoever called it calls
// leave.
func (h *hub) watch(ctx context.Context, thread string) (*watcher, error) {
	w := &watcher{thread: thread, wake: make(chan struct{}, 1), lost: make(chan struct{})}
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
			w.changed.CompareAndSwap(0, h.count.Load())
			w.listed.CompareAndSwap(0, h.count.Load())
			return w, nil
		}
	case <-ctx.Done():
		h.leave(w)
		return nil, ctx.Err()
	}
	h.leave(w)
	return nil, line.err
}

// leave ends the wait.
func (h *hub) leave(w *watcher) {
	h.mu.Lock()
	defer h.mu.Unlock()
	delete(h.watchers, w)
	if len(h.watchers) == 0 && h.line != nil {
		h.line.stop()
		h.line = nil
	}
}

// connect subscribes, for as long as anybody waits.
func (h *hub) connect(ctx context.Context) *line {
	ctx, stop := context.WithCancel(context.WithoutCancel(ctx))
	l := &line{ready: make(chan struct{}), stop: stop}
	go func() {
		hints, err := h.state.Subscribe(ctx, topic)
		if err != nil {
			l.err = fmt.Errorf("wait for changes: %w", err)
			h.end(l)
			close(l.ready)
			return
		}
		h.count.Add(1) // whatever was read before may be old
		close(l.ready)
		for hint := range hints {
			h.tell(hint)
		}
		h.end(l)
	}()
	return l
}

// tell wakes those whom a hint is for; all, where some were lost.
func (h *hub) tell(hint []byte) {
	n := h.count.Add(1)
	h.mu.Lock()
	defer h.mu.Unlock()
	for w := range h.watchers {
		about, listed := len(hint) == 0, len(hint) == 0
		if !about {
			listed = hint[0] == hintListed
			about = !listed && string(hint[1:]) == w.thread
		}
		if about {
			w.changed.Store(n)
		}
		if listed {
			w.listed.Store(n)
		}
		if about || listed {
			select {
			case w.wake <- struct{}{}:
			default:
			}
		}
	}
}

// end tells all who wait on this line that no more will come.
func (h *hub) end(l *line) {
	h.mu.Lock()
	defer h.mu.Unlock()
	l.stop()
	if h.line != l {
		return
	}
	h.line = nil
	for w := range h.watchers {
		close(w.lost)
		delete(h.watchers, w)
	}
}

// publish tells all processes of a change. That a hint is lost is borne: those who wait look
// now and then without one.
func (c *Channel) publish(ctx context.Context, kind byte, thread string) {
	if err := c.config.State.Publish(ctx, topic, append([]byte{kind}, thread...)); err != nil && ctx.Err() == nil {
		c.log.DebugContext(ctx, "a hint was not published", "error", forOperator(err))
	}
}
