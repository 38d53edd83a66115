package rules

import (
	"slices"

	"atelier/agent/planner/rules/scene"
)

// row is the shared state of clauses beside one another: each works on the same things as the first one.
type row struct {
	things  []scene.Thing // things before the first one
	prev    *scene.Reading
	stuck   bool
	made    []scene.Thing
	results []scene.Thing
}

// enter restricts a clause beside others to the things that the first of them had.
func (w *row) enter(t *thread, r *scene.Reading) {
	if !r.Clause.Beside {
		*w = row{things: slices.Clone(t.Things), prev: t.prev, stuck: t.stuck}
		return
	}
	t.Things, t.prev, t.stuck, r.Prev = slices.Clone(w.things), w.prev, w.stuck, w.prev
}

// leave appends the clause's results to those of the clauses before it. The next clause continues from all of them.
func (w *row) leave(t *thread, r *scene.Reading) {
	made := scene.Without(t.Things, w.things)
	w.made, w.results = slices.Concat(w.made, made), slices.Concat(w.results, r.Results)
	t.Things, r.Results = slices.Concat(scene.Without(t.Things, made), w.made), w.results
}
