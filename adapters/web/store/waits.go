package store

import (
	"slices"
	"time"
)

// Unsettled is a generous bound on the time between announcing something and writing it.
const Unsettled = time.Hour

// waits are announced messages and reactions that may not be accepted yet, by thread and id. They are announced
// before they are written; some never are.
type waits map[string]map[string]announced

// announced is the time of an announcement by its author's clock, and the time when it became known here.
type announced struct{ at, known time.Time }

// put applies a thread's line.
func (w waits) put(l Line, at time.Time) {
	if l.Gone {
		delete(w, l.Thread)
		return
	}
	if l.Waits != "" {
		if w[l.Thread] == nil {
			w[l.Thread] = map[string]announced{}
		}
		w[l.Thread][l.Waits] = announced{l.At, at}
	}
	w.drop(l.Thread, func(id string, _ announced) bool { return slices.Contains(l.Taken, id) })
}

// drop removes some of a thread's.
func (w waits) drop(thread string, which func(id string, a announced) bool) {
	for id, a := range w[thread] {
		if which(id, a) {
			delete(w[thread], id)
		}
	}
	if len(w[thread]) == 0 {
		delete(w, thread)
	}
}

// expire removes what was announced before that time.
func (w waits) expire(before time.Time) {
	for thread := range w {
		w.drop(thread, func(_ string, a announced) bool { return a.at.Before(before) })
	}
}

// Waiting returns the threads in which something may wait for the handler.
func (x *Index) Waiting() []string {
	x.mu.Lock()
	defer x.mu.Unlock()
	all := make([]string, 0, len(x.waits))
	for thread := range x.waits {
		all = append(all, thread)
	}
	return all
}

// Settle records that everything in a thread was accepted at that time. What was known long before was accepted,
// or will never be written.
func (x *Index) Settle(thread string, at time.Time) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.waits.drop(thread, func(_ string, a announced) bool { return a.known.Before(at.Add(-Unsettled)) })
}
