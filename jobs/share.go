package jobs

import (
	"fmt"
	"slices"
)

// What is offered under an answer is run once, whoever chooses it: who chooses it later
// shares the run. It is stopped when the last of them takes that back; then, and where it
// has failed or its answer could not be sent, it can be chosen anew.

// maxChosen is how often a person may choose the same, having taken it back before: who
// puts a sign on and off without end is not obeyed without end.
const maxChosen = 5

// made is the run of an offer that somebody took, nil where it is to be done.
func (r *request) made(o taken) *run {
	for _, run := range slices.Backward(r.runs) {
		failed := run.answer != nil && (run.answer.Status == Failed || run.answer.Status == Partial && !run.route.Done())
		unseen := run.halted != nil || failed || run.sent != nil && run.sent.Ref.IsZero()
		if run.took.Of != 0 && run.took.equal(o) && !unseen {
			return run
		}
	}
	return nil
}

// note counts that somebody chose something.
func (r *request) note(b *begun) { r.chosen[chosenKey(b.taken, b.By)]++ }

// mayChoose tells whether a person has not chosen the same too often.
func (r *request) mayChoose(o taken, by string) bool {
	return r.chosen[chosenKey(o, by)] < maxChosen
}

func chosenKey(o taken, by string) string { return fmt.Sprint(o.Of, o.Choice, o.Guess, by) }

// takeBack takes somebody's choice back. With the last one's the run is stopped.
func (r *request) takeBack(t *takenBack) {
	run := r.made(t.taken)
	if run == nil || !slices.Contains(run.choosers, t.By) {
		return
	}
	run.choosers = slices.DeleteFunc(run.choosers, func(by string) bool { return by == t.By })
	if len(run.choosers) == 0 && run.working() {
		run.halted = &halted{Why: haltCancelled, By: t.By}
	}
}

// takenBackBy is the run that was stopped since that person took the choice back, and is not
// answered yet; nil where there is none.
func (r *request) takenBackBy(t takenBack) *run {
	for _, run := range slices.Backward(r.runs) {
		if !run.took.equal(t.taken) || run.answer != nil || run.over {
			continue
		}
		if h := run.halted; h != nil && h.Why == haltCancelled && h.By == t.By {
			return run
		}
	}
	return nil
}

// chosenBy notes that somebody else chose the run too.
func (r *run) chosenBy(by string) {
	if !slices.Contains(r.choosers, by) {
		r.choosers = append(r.choosers, by)
	}
}
