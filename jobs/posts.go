package jobs

import (
	"sync"

	"atelier/adapters"
	"atelier/jobs/record"
)

// posts are the answers that this process has tried to post, by key, until it is written
// down where they stand: what was posted is not posted again where only the writing fails.
type posts struct {
	mu    sync.Mutex
	tried map[string]tried
}

// tried is what is known of an answer that was tried to be posted.
type tried struct {
	sent record.Sent // zero where it is not known to stand anywhere
	// without is the answer without the files that were refused, nil where none were. It is
	// what is tried again: under one key the rest of it may stand already.
	without *adapters.Reply
	omitted omissions
}

// try notes that an answer is to be posted. It gives what is known of it, and whether it was
// tried before.
func (p *posts) try(key string) (t tried, before bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	t, before = p.tried[key]
	p.tried[key] = t
	return t, before
}

// note keeps what is known of an answer.
func (p *posts) note(key string, t tried) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.tried[key] = t
}

// at is where an answer stands, zero where that is not known.
func (p *posts) at(key string) record.Sent {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.tried[key].sent
}

// forget drops what is written down.
func (p *posts) forget(key string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.tried, key)
}
