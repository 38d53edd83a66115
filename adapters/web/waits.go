package web

import (
	"slices"
	"time"
)

// unsettled is how long something that was announced may take to be written, with much to
// spare.
const unsettled = time.Hour

// waits are the messages and presses that were announced, and are not known to be handed
// over, by thread and id. They are announced before they are written, so that whatever is
// written is found, whoever dies; of some that are announced, nothing comes. The sidebar does
// not bound them.
type waits map[string]map[string]announced

// announced is when something was, by the clock of who did, and since when it is known here.
type announced struct{ at, known time.Time }

// put takes what is said of a thread.
func (w waits) put(l listed, at time.Time) {
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

// drop lets go of some of a thread.
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

// expire lets go of what was announced before that time: it is not kept any more.
func (w waits) expire(before time.Time) {
	for thread := range w {
		w.drop(thread, func(_ string, a announced) bool { return a.at.Before(before) })
	}
}

// waiting are the threads in which something may wait.
func (x *index) waiting() []string {
	x.mu.Lock()
	defer x.mu.Unlock()
	all := make([]string, 0, len(x.waits))
	for thread := range x.waits {
		all = append(all, thread)
	}
	return all
}

// settle notes that all of a thread is handed over that was written. What is known since
// before that time was, or never will be.
func (x *index) settle(thread string, before time.Time) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.waits.drop(thread, func(_ string, a announced) bool { return a.known.Before(before) })
}
