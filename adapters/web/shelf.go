package web

import (
	"context"
	"fmt"
	"math"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"atelier/adapters"
)

// What a process keeps of threads, so that it need not read them again: so many at most,
// and so many entries of all of them, more or less.
const (
	maxHeld    = 256
	maxEntries = 100_000
)

// shelf keeps the conversations that were looked at last.
type shelf struct {
	state State
	hints func() uint64 // how many came

	mu    sync.Mutex
	held  map[string]*held
	order []string // of being looked at, the latest last
}

// held is a conversation as far as it was read.
type held struct {
	latch
	list  followed
	c     *conversation
	fresh uint64 // all hints up to this one were there when it was read
	last  snapshot
	size  atomic.Int64 // in entries
	stock stock
}

// snapshot is a conversation as it is at a position. It never changes.
type snapshot struct {
	next     int64 // the position of the entry that comes next
	messages []*message
	title    string
	last     time.Time
	busy     bool
	waiting  []happening
}

// message gives the message of that id, nil if there is none.
func (s snapshot) message(id string) *message {
	for _, m := range slices.Backward(s.messages) {
		if m.id == id {
			return m
		}
	}
	return nil
}

// file gives a file that somebody sent.
func (s snapshot) file(id string) (upload, bool) {
	for _, m := range slices.Backward(s.messages) {
		for _, f := range m.files {
			if f.ID == id {
				return f, true
			}
		}
	}
	return upload{}, false
}

func newShelf(state State, hints func() uint64) *shelf {
	return &shelf{state: state, hints: hints, held: map[string]*held{}}
}

// now asks for what is there at this moment.
const now = math.MaxUint64

// read gives a thread as it is when all hints up to the wanted one were there, or later. It
// fails with [adapters.ErrGone] where there is none.
func (s *shelf) read(ctx context.Context, thread string, wanted uint64) (snapshot, error) {
	h := s.take(thread)
	if err := h.lock(ctx); err != nil {
		return snapshot{}, err
	}
	defer h.unlock()
	if h.fresh < wanted || h.c.next == 0 {
		hints := s.hints()
		if err := h.refresh(ctx, s.state, thread); err != nil {
			return snapshot{}, err
		}
		h.fresh = hints
	}
	if len(h.last.messages) == 0 || h.last.messages[0].wrote == nil {
		s.drop(thread)
		return snapshot{}, fmt.Errorf("%w: the thread", adapters.ErrGone)
	}
	return h.last, nil
}

// refresh reads what came since.
func (h *held) refresh(ctx context.Context, state State, thread string) error {
	raw, anew, err := h.list.read(ctx, state, logKey(thread))
	if err != nil {
		return fmt.Errorf("read a thread: %w", err)
	}
	if anew {
		h.c, h.last = newConversation(), snapshot{}
	}
	if len(raw) == 0 {
		return nil
	}
	h.c.fold(raw)
	h.last = h.c.snapshot()
	h.size.Store(h.c.next)
	return nil
}

func (c *conversation) snapshot() snapshot {
	c.shared = true
	return snapshot{
		next: c.next, messages: slices.Clip(c.messages), title: c.title, last: c.last, busy: c.busy(), waiting: c.waiting,
	}
}

// take gives a thread's place, and lets go of those that were not looked at for longest.
func (s *shelf) take(thread string) *held {
	s.mu.Lock()
	defer s.mu.Unlock()
	h, ok := s.held[thread]
	if !ok {
		h = &held{latch: newLatch(), c: newConversation(), stock: stock{latch: newLatch()}}
		s.held[thread] = h
	}
	if i := slices.Index(s.order, thread); i >= 0 {
		s.order = slices.Delete(s.order, i, i+1)
	}
	s.order = append(s.order, thread)
	entries := int64(0)
	for i, id := range slices.Backward(s.order) {
		entries += s.held[id].size.Load() + s.held[id].stock.size.Load()
		if len(s.order)-i > 1 && (entries > maxEntries || len(s.order)-i > maxHeld) {
			for _, id := range s.order[:i+1] {
				delete(s.held, id)
			}
			s.order = slices.Clone(s.order[i+1:])
			break
		}
	}
	return h
}

// drop lets go of a thread.
func (s *shelf) drop(thread string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.held, thread)
	s.order = slices.DeleteFunc(s.order, func(id string) bool { return id == thread })
}
