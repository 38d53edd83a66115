package receive

import (
	"sync"
	"time"

	"atelier/adapters/recent"
)

// latePair is how long the second event of a mention is awaited when Run ends.
const latePair = 2 * time.Second

// mentionPairs pairs the two events that Slack sends for one mention. If Run ended between them, the second one
// would be sent to the next process that listens.
type mentionPairs struct {
	mu       sync.Mutex
	pending  map[string]half // by id, if one of the two was accepted
	complete chan struct{}   // closed when none is pending

	messages recent.Set[string] // ids of messages whose message event was read
}

// half is the first event of a pair.
type half struct {
	kind string
	at   time.Time
}

// readMessage records that the message event was read, which is the complete one.
func (t *mentionPairs) readMessage(id string) { t.messages.Add(id) }

// hasMessage reports whether the message event was read recently.
func (t *mentionPairs) hasMessage(id string) bool { return t.messages.Has(id) }

// taken records that the handler accepted one event of a pair.
func (t *mentionPairs) taken(id, kind string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	now := time.Now()
	for other, s := range t.pending {
		if now.Sub(s.at) > latePair {
			delete(t.pending, other)
		}
	}
	if s, ok := t.pending[id]; ok && s.kind != kind {
		delete(t.pending, id)
	} else {
		if t.pending == nil {
			t.pending = map[string]half{}
		}
		t.pending[id] = half{kind, now}
	}
	if len(t.pending) == 0 && t.complete != nil {
		close(t.complete)
		t.complete = nil
	}
}

// wait waits briefly for the second events of the pending pairs.
func (t *mentionPairs) wait() {
	t.mu.Lock()
	latest := time.Duration(0)
	for _, s := range t.pending {
		latest = max(latest, latePair-time.Since(s.at))
	}
	both := make(chan struct{})
	t.complete = both
	t.mu.Unlock()
	if latest <= 0 {
		return
	}
	late := time.NewTimer(latest)
	defer late.Stop()
	select {
	case <-both:
	case <-late.C:
	}
}
