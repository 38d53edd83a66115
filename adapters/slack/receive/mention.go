package receive

import (
	"sync"
	"time"
)

// latePair is how long after a mention was taken its twin is waited for where Listen ends.
const latePair = 2 * time.Second

const maxMentions = 10_000

// twins are the two events by which Slack tells of one mention. The second one would come
// again to who listens next if it were not confirmed.
type mentionPairs struct {
	mu       sync.Mutex
	pending  map[string]half // of which one has come
	complete chan struct{}   // closed when none is waited for

	messages map[string]bool // messages of which the message event was read lately
}

type half struct {
	kind string
	at   time.Time
}

// readMessage notes that the message event of a mention was read, which has all that there is.
func (t *mentionPairs) readMessage(id string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.messages == nil || len(t.messages) >= maxMentions {
		t.messages = map[string]bool{}
	}
	t.messages[id] = true
}

func (t *mentionPairs) hasMessage(id string) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.messages[id]
}

// taken notes that one of the two was taken.
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

// wait waits for those whose other one has just come.
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
