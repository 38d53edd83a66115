package jobs

import "sync"

// posts are the answers that this process has tried to post, by key, until it is written
// down where they stand: what was posted is not posted again where only the writing fails.
type posts struct {
	mu    sync.Mutex
	tried map[string]sent // zero where it is not known to stand anywhere
}

// try notes that an answer is to be posted. It gives where it stands, if it does, and
// whether it was tried before.
func (p *posts) try(key string) (s sent, before bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	s, before = p.tried[key]
	p.tried[key] = s
	return s, before
}

// stands notes where an answer stands.
func (p *posts) stands(key string, s sent) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.tried[key] = s
}

// at is where an answer stands, zero where that is not known.
func (p *posts) at(key string) sent {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.tried[key]
}

// forget drops what is written down.
func (p *posts) forget(key string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.tried, key)
}
