package stream

import (
	"slices"
	"sync"

	"atelier/adapters/web/chat"
)

// The maximum number of cached events, and of messages per cached event.
const (
	maxRenderings = 128
	fewMessages   = 8
)

// renderings caches rendered events for pages that share person, language and position.
type renderings struct {
	mu    sync.Mutex
	made  map[rendering]func() ([]byte, error)
	order []rendering // oldest first
}

// rendering identifies an event.
type rendering struct {
	thread      string
	begun       *chat.Wrote // the first message; it differs if the thread was deleted and begun again
	after, from int64
	next        int64
	language    string
	by          string
	admin       bool
}

// get returns an event, which is rendered once.
func (r *renderings) get(of rendering, render func() ([]byte, error)) ([]byte, error) {
	r.mu.Lock()
	made, ok := r.made[of]
	if r.made == nil {
		r.made = map[rendering]func() ([]byte, error){}
	}
	if !ok {
		made = sync.OnceValues(render)
		r.made[of] = made
		r.order = append(r.order, of)
		if len(r.order) > maxRenderings {
			delete(r.made, r.order[0])
			r.order = slices.Delete(r.order, 0, 1)
		}
	}
	r.mu.Unlock()
	return made()
}
