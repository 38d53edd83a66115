package rules

import (
	"slices"

	"atelier/agent/planner/rules/scene"
)

// row is what clauses that stand beside one another share: each works on what the first one works on.
type row struct {
	things  []scene.Thing // there before the first one
	prev    *scene.Reading
	stuck   bool
	made    []scene.Thing
	results []scene.Thing
}

// enter shows a clause that stands beside others only what the first of them was shown.
func (w *row) enter(t *thread, r *scene.Reading) {
	if !r.Clause.Beside {
		*w = row{things: slices.Clone(t.Things), prev: t.prev, stuck: t.stuck}
		return
	}
	t.Things, t.prev, t.stuck, r.Prev = slices.Clone(w.things), w.prev, w.stuck, w.prev
}

// leave puts what the clause made behind what those before it made. All of it is what the next clause goes on from.
func (w *row) leave(t *thread, r *scene.Reading) {
	made := scene.Without(t.Things, w.things)
	w.made, w.results = slices.Concat(w.made, made), slices.Concat(w.results, r.Results)
	t.Things, r.Results = slices.Concat(scene.Without(t.Things, made), w.made), w.results
}
