package lookup

import "sync"

// maxKnown is how many ids, and how many members, are remembered.
const maxKnown = 10_000

// Recent remembers the last ids that were added.
type Recent struct {
	mu    sync.Mutex
	all   map[string]bool
	order []string // the oldest first
}

// Has reports whether an id is remembered.
func (r *Recent) Has(id string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.all[id]
}

// Add remembers an id.
func (r *Recent) Add(id string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.all[id] {
		return
	}
	if r.all == nil {
		r.all = map[string]bool{}
	}
	r.all[id] = true
	if r.order = append(r.order, id); len(r.order) > maxKnown {
		delete(r.all, r.order[0])
		r.order = r.order[1:]
	}
}
