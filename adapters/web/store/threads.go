package store

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"atelier/adapters"
	"atelier/adapters/web/chat"
)

// The maximum number of cached threads, and roughly of their entries.
const (
	maxHeld    = 256
	maxEntries = 100_000
)

// Threads reads conversations, with an LRU cache.
type Threads struct {
	state State
	hints func() uint64 // number of hints so far

	mu    sync.Mutex
	held  map[string]*held
	order []string // least recently used first
}

// held is a cached conversation.
type held struct {
	latch
	list  follower
	c     *chat.Conversation
	fresh uint64 // number of hints when it was read
	last  chat.Snapshot
	size  atomic.Int64 // in entries
	stock stock
}

// stock is the cached uploads of a thread.
type stock struct {
	latch

	list  follower
	files map[string]Pending // copied on change
	size  atomic.Int64       // in entries
}

// UploadEntry is an entry about uploads; one field is set. Of Sent and Gone, the first counts.
type UploadEntry struct {
	At   time.Time `json:"at"`
	File *Pending  `json:"file,omitempty"`
	Sent []string  `json:"sent,omitempty"` // ids of files about to be sent with a message
	Gone string    `json:"gone,omitempty"` // id of a withdrawn file
}

// The purposes of an upload other than being sent as a file.
const (
	ForMask  = "mask"  // painted over a picture
	ForVoice = "voice" // a voice message
)

// Pending is an uploaded file.
type Pending struct {
	chat.Upload

	By   string `json:"by"`            // id of the uploader
	For  string `json:"for,omitempty"` // ForMask, ForVoice or ""
	Sent bool   `json:"-"`             // or about to be
}

func newThreads(state State, hints func() uint64) *Threads {
	return &Threads{state: state, hints: hints, held: map[string]*held{}}
}

// Latest asks for the current state, whatever hints have come.
const Latest = math.MaxUint64

// Read returns a thread as of the wanted hint, or later, or [adapters.ErrGone].
func (s *Threads) Read(ctx context.Context, thread string, wanted uint64) (chat.Snapshot, error) {
	h := s.take(thread)
	if err := h.lock(ctx); err != nil {
		return chat.Snapshot{}, err
	}
	defer h.unlock()
	if h.fresh < wanted || h.c.Next == 0 {
		hints := s.hints()
		if err := h.refresh(ctx, s.state, thread); err != nil {
			return chat.Snapshot{}, err
		}
		h.fresh = hints
	}
	if len(h.last.Messages) == 0 || h.last.Messages[0].Wrote == nil {
		s.drop(thread)
		return chat.Snapshot{}, fmt.Errorf("%w: the thread", adapters.ErrGone)
	}
	return h.last, nil
}

// refresh reads the new entries.
func (h *held) refresh(ctx context.Context, state State, thread string) error {
	raw, anew, err := h.list.read(ctx, state, logKey(thread))
	if err != nil {
		return fmt.Errorf("read a thread: %w", err)
	}
	if anew {
		h.c, h.last = chat.NewConversation(), chat.Snapshot{}
	}
	if len(raw) == 0 {
		return nil
	}
	h.c.Fold(raw)
	h.last = h.c.Snapshot()
	h.size.Store(h.c.Next)
	return nil
}

// Uploads returns the files uploaded in a thread and not withdrawn, by id, and the number of entries.
func (s *Threads) Uploads(ctx context.Context, thread string) (files map[string]Pending, entries int64, err error) {
	u := &s.take(thread).stock
	if err := u.lock(ctx); err != nil {
		return nil, 0, err
	}
	defer u.unlock()
	raw, anew, err := u.list.read(ctx, s.state, uploadsKey(thread))
	if err != nil {
		return nil, 0, fmt.Errorf("read the uploads: %w", err)
	}
	if anew {
		u.files = nil
	}
	if len(raw) > 0 {
		files := maps.Clone(u.files)
		if files == nil {
			files = map[string]Pending{}
		}
		foldUploads(files, raw)
		u.files = files
	}
	u.size.Store(u.list.next)
	return u.files, u.list.next, nil
}

// take returns a thread's cache entry, and evicts the least recently used ones.
func (s *Threads) take(thread string) *held {
	s.mu.Lock()
	defer s.mu.Unlock()
	h, ok := s.held[thread]
	if !ok {
		h = &held{latch: newLatch(), c: chat.NewConversation(), stock: stock{latch: newLatch()}}
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

// drop evicts a thread.
func (s *Threads) drop(thread string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.held, thread)
	s.order = slices.DeleteFunc(s.order, func(id string) bool { return id == thread })
}

func foldUploads(files map[string]Pending, raw [][]byte) {
	for _, b := range raw {
		var u UploadEntry
		if json.Unmarshal(b, &u) != nil {
			continue
		}
		if u.File != nil {
			files[u.File.ID] = *u.File
		}
		for _, id := range u.Sent {
			if f, ok := files[id]; ok {
				f.Sent = true
				files[id] = f
			}
		}
		if !files[u.Gone].Sent {
			delete(files, u.Gone)
		}
	}
}
