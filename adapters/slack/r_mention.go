package slack

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
	mu   sync.Mutex
	once map[string]single // of which one has come
	both chan struct{}     // closed when none is waited for

	heard map[string]bool // messages of which the message event was read lately
}

type single struct {
	kind string
	at   time.Time
}

// told notes that the message event of a mention was read, which has all that there is.
func (t *mentionPairs) told(id string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.heard == nil || len(t.heard) >= maxMentions {
		t.heard = map[string]bool{}
	}
	t.heard[id] = true
}

func (t *mentionPairs) wasTold(id string) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.heard[id]
}

// came notes that one of the two was taken.
func (t *mentionPairs) came(id, kind string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	now := time.Now()
	for other, s := range t.once {
		if now.Sub(s.at) > latePair {
			delete(t.once, other)
		}
	}
	if s, ok := t.once[id]; ok && s.kind != kind {
		delete(t.once, id)
	} else {
		if t.once == nil {
			t.once = map[string]single{}
		}
		t.once[id] = single{kind, now}
	}
	if len(t.once) == 0 && t.both != nil {
		close(t.both)
		t.both = nil
	}
}

// wait waits for those whose other one has just come.
func (t *mentionPairs) wait() {
	t.mu.Lock()
	latest := time.Duration(0)
	for _, s := range t.once {
		latest = max(latest, latePair-time.Since(s.at))
	}
	both := make(chan struct{})
	t.both = both
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
