package rules

import (
	"slices"
)

// row is what clauses that stand beside one another share: each works on what the first one works on.
type row struct {
	things  []thing // there before the first one
	prev    *reading
	stuck   bool
	made    []thing
	results []thing
}

// enter shows a clause that stands beside others only what the first of them was shown.
func (w *row) enter(t *thread, r *reading) {
	if !r.clause.beside {
		*w = row{things: slices.Clone(t.things), prev: t.prev, stuck: t.stuck}
		return
	}
	t.things, t.prev, t.stuck, r.prev = slices.Clone(w.things), w.prev, w.stuck, w.prev
}

// leave puts what the clause made behind what those before it made. All of it is what the next clause goes on from.
func (w *row) leave(t *thread, r *reading) {
	made := without(t.things, w.things)
	w.made, w.results = slices.Concat(w.made, made), slices.Concat(w.results, r.results)
	t.things, r.results = slices.Concat(without(t.things, made), w.made), w.results
}
