package jobs

import (
	"fmt"
	"slices"
	"time"

	"atelier/agent/plan"
)

// begin adds a run. One event starts one run, however often it comes.
func (r *request) begin(b *begun, at time.Time) {
	if b.Event != "" && slices.ContainsFunc(r.runs, func(run *run) bool { return run.event == b.Event }) {
		return
	}
	if b.Once && b.Refused == "" {
		r.note(b)
		if made := r.made(b.taken); made != nil {
			made.chosenBy(b.By)
			return
		}
	}
	added := &run{n: len(r.runs) + 1, choice: b.Choice, by: b.By, event: b.Event, beganAt: at, generation: len(r.generations), begun: b}
	switch {
	case b.Refused != "":
		added.halted = &halted{Why: haltRefused, Problem: b.Refused}
	case b.Once, b.Guess != "":
		added.took, added.choosers = b.taken, []string{b.By}
	}
	of := r.run(b.Of)
	if of != nil && b.Guess == "" && !b.Anew {
		added.generation = r.join(r.generations[of.generation].root, at)
		r.runs = append(r.runs, added)
		return
	}
	g := newGeneration(added.generation, fmt.Sprintf("run %d", added.n), at)
	g.guess = b.Guess
	if of != nil && b.Anew {
		planned := r.generations[of.generation]
		g.plan, g.plannedAt, g.heard, g.guess = planned.plan, planned.plannedAt, planned.heard, planned.guess
	}
	r.generations, r.runs = append(r.generations, g), append(r.runs, added)
}

// join finds the generation for a further run of a plan: one that is worked on, else a new
// one.
func (r *request) join(root int, at time.Time) int {
	for n, g := range slices.Backward(r.generations) {
		if g.root == root && r.busy(n) {
			return n
		}
	}
	r.generations = append(r.generations, r.heir(root, at))
	return len(r.generations) - 1
}

// busy tells whether a generation is worked on.
func (r *request) busy(generation int) bool {
	return slices.ContainsFunc(r.runs, func(run *run) bool { return run.generation == generation && run.working() })
}

// heir is a generation that has the plan of another one, and all that was done of it so
// far. What failed is tried again.
func (r *request) heir(root int, at time.Time) *generation {
	of := r.generations[root]
	h := newGeneration(root, of.salt, at)
	h.plan, h.plannedAt, h.heard, h.guess = of.plan, of.plannedAt, of.heard, of.guess
	for _, g := range r.generations {
		for _, end := range g.ends {
			if _, have := h.ended[end.Step]; g.root == root && !have && end.Result.Status == plan.Done {
				h.ends = append(h.ends, end)
				h.started[end.Step], h.ended[end.Step] = g.started[end.Step], g.ended[end.Step]
			}
		}
	}
	h.inherited = len(h.ends)
	return h
}
