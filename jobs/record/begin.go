package record

import (
	"fmt"
	"slices"
	"time"

	"atelier/agent/plan"
)

// begin adds a run. A repeated event starts no further run.
func (r *builder) begin(b *Begun, at time.Time) {
	if b.Event != "" && slices.ContainsFunc(r.Runs, func(run *Run) bool { return run.Event == b.Event }) {
		return
	}
	if b.Once && b.Refused == "" {
		r.countPick(b)
		if made := r.RunOf(b.Pick); made != nil {
			made.addChooser(b)
			return
		}
	}
	added := &Run{N: len(r.Runs) + 1, Choice: b.Choice, By: b.By, Event: b.Event, BeganAt: at, Generation: len(r.Generations), begun: b}
	switch {
	case b.Refused != "":
		added.Halted = &Halted{Why: HaltRefused, Problem: b.Refused}
	case b.Once, b.Guess != "":
		added.Picked, added.Choosers = b.Pick, []string{b.By}
	}
	if !b.Message.IsZero() {
		added.Messages = append(added.Messages, b.Message)
	}
	of := r.Run(b.Of)
	if of != nil && b.Guess == "" && !b.Anew {
		added.Generation = r.join(r.Generations[of.Generation].root, at)
		r.Runs = append(r.Runs, added)
		return
	}
	g := newGeneration(added.Generation, fmt.Sprintf("run %d", added.N), at)
	g.Guess, g.Again = b.Guess, !b.Once
	if of != nil && b.Anew {
		planned := r.Generations[of.Generation]
		g.Plan, g.PlannedAt, g.Transcript, g.Guess = planned.Plan, planned.PlannedAt, planned.Transcript, planned.Guess
	}
	r.Generations, r.Runs = append(r.Generations, g), append(r.Runs, added)
}

// join returns the generation for a further run of a plan: an active one, or a new one.
func (r *builder) join(root int, at time.Time) int {
	for n, g := range slices.Backward(r.Generations) {
		if g.root == root && r.Busy(n) {
			return n
		}
	}
	r.Generations = append(r.Generations, r.inherit(root, at))
	return len(r.Generations) - 1
}

// Busy reports whether a run of the generation is active.
func (r *Request) Busy(generation int) bool {
	return slices.ContainsFunc(r.Runs, func(run *Run) bool { return run.Generation == generation && run.Working() })
}

// inherit returns a generation with the plan and the results of another one, without failures, which are
// retried.
func (r *builder) inherit(root int, at time.Time) *Generation {
	of := r.Generations[root]
	h := newGeneration(root, of.Salt, at)
	h.Plan, h.PlannedAt, h.Transcript, h.Guess, h.Again = of.Plan, of.PlannedAt, of.Transcript, of.Guess, of.Again
	for _, g := range r.Generations {
		for _, end := range g.Ends {
			if _, have := h.Ended[end.Step]; g.root == root && !have && end.Result.Status == plan.Done {
				h.Ends = append(h.Ends, end)
				h.Started[end.Step], h.Ended[end.Step] = g.Started[end.Step], g.Ended[end.Step]
			}
		}
	}
	h.Inherited = len(h.Ends)
	return h
}
