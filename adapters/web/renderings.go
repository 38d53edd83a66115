package web

import (
	"slices"
	"sync"
)

// What is kept of events that were rendered: so many of them, each of so few messages.
const (
	maxRenderings = 128
	fewMessages   = 8
)

// renderings keeps the events that were rendered last: all the pages of one person, in one
// language, that stand at the same place of a thread are told the same.
type renderings struct {
	mu    sync.Mutex
	made  map[rendering]func() ([]byte, error)
	order []rendering // of being made
}

// rendering is what an event is made of.
type rendering struct {
	thread      string
	begun       *wrote // the first message, since a thread may be forgotten and begun anew
	after, from int64
	next        int64
	language    string
	by          string
	admin       bool
}

func newRenderings() *renderings { return &renderings{made: map[rendering]func() ([]byte, error){}} }

// get gives an event, and renders it where nobody has.
func (r *renderings) get(of rendering, render func() ([]byte, error)) ([]byte, error) {
	r.mu.Lock()
	made, ok := r.made[of]
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
