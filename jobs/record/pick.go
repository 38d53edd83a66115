package record

import (
	"fmt"
	"slices"

	"atelier/adapters"
	"atelier/agent/plan"
)

// An offer under an answer is run once: people who pick it later share the run. The run stops when the last
// of them takes the pick back. The offer can be picked again if its run was stopped or failed, or if the
// answer could not be sent or was deleted.

// maxPicks is how often a person may pick the same offer after taking it back.
const maxPicks = 5

// RunOf returns the run of a picked offer, nil if there is none to share.
func (r *Request) RunOf(o Pick) *Run {
	for _, run := range slices.Backward(r.Runs) {
		failed := run.Answer != nil && (run.Answer.Status == Failed || run.Answer.Status == Partial && !run.Route.Done())
		unseen := run.Halted != nil || run.Deleted || failed || run.Sent != nil && run.Sent.Ref.IsZero()
		if run.Picked.Of != 0 && run.Picked.Equal(o) && !unseen {
			return run
		}
	}
	return nil
}

// countPick counts a pick.
func (r *builder) countPick(b *Begun) { r.pickCounts[pickKey(b.Pick, b.By)]++ }

// MayPick reports whether a person may pick an offer again.
func (r *Request) MayPick(o Pick, by string) bool {
	return r.pickCounts[pickKey(o, by)] < maxPicks
}

func pickKey(o Pick, by string) string { return fmt.Sprint(o.Of, o.Choice, o.Guess, by) }

// takeBack takes a pick back. Without picks, the run stops.
func (r *builder) takeBack(t *TakenBack) {
	run := r.RunOf(t.Pick)
	if run == nil || !slices.Contains(run.Choosers, t.By) {
		return
	}
	run.Choosers = slices.DeleteFunc(run.Choosers, func(by string) bool { return by == t.By })
	if len(run.Choosers) == 0 && run.Working() {
		run.Halted = &Halted{Why: HaltCancelled, By: t.By}
	}
}

// TakenBackBy returns the run that the person stopped by taking a pick back, if it is not answered yet; nil if
// there is none.
func (r *Request) TakenBackBy(t TakenBack) *Run {
	for _, run := range slices.Backward(r.Runs) {
		if !run.Picked.Equal(t.Pick) || run.Answer != nil || run.Over {
			continue
		}
		if h := run.Halted; h != nil && h.Why == HaltCancelled && h.By == t.By {
			return run
		}
	}
	return nil
}

// Pick returns the pick of the offer with index n.
func (r *Run) Pick(n int) Pick {
	o := r.Answer.Offers[n]
	return Pick{Of: r.N, Choice: o.Choice, Guess: o.Guess}
}

// Repeating reports whether a person has an active repeat that another event started.
func (r *Request) Repeating(by, event string) bool {
	return slices.ContainsFunc(r.Runs, func(run *Run) bool { return run.repeats(by) && run.begun.Event != event && run.Working() })
}

// RepeatOf returns the last unanswered repeat that a person started, nil if there is none.
func (r *Request) RepeatOf(by string) *Run {
	for _, run := range slices.Backward(r.Runs) {
		if run.repeats(by) && run.Answer == nil && !run.Over {
			return run
		}
	}
	return nil
}

// repeats reports whether the run is a repeat that a person started.
func (r *Run) repeats(by string) bool {
	b := r.begun
	return b != nil && b.By == by && b.Event != "" && (b.Of == 0 || b.Anew)
}

// BegunBy reports whether an event has started a run.
func (r *Request) BegunBy(event string) bool {
	return slices.ContainsFunc(r.Runs, func(run *Run) bool { return run.Event == event })
}

// PickedGuess returns the guess that the message picks by its number, "" if it picks none.
func (q *OpenQuestion) PickedGuess(m *adapters.Message) string {
	if m == nil || len(m.Files) > 0 {
		return ""
	}
	return plan.Question{Guesses: q.Guesses}.Picked(m.Text)
}

// addChooser adds a person who wants the run, and the message that says so.
func (r *Run) addChooser(b *Begun) {
	if !slices.Contains(r.Choosers, b.By) {
		r.Choosers = append(r.Choosers, b.By)
	}
	if !b.Message.IsZero() {
		r.Messages = append(r.Messages, b.Message)
	}
}

// QuestionAnswered reports whether a run's question was answered, by a message or by picking a guess.
func (r *Request) QuestionAnswered(asking *Run) bool {
	return r.answeredBy != "" || slices.ContainsFunc(r.Runs, func(run *Run) bool {
		return run.Picked.Of == asking.N && run.Picked.Guess != "" && r.RunOf(run.Picked) != nil
	})
}

// RefusedBefore reports whether a person was already refused an offer.
func (r *Request) RefusedBefore(o Pick, by string) bool {
	return slices.ContainsFunc(r.Runs, func(run *Run) bool {
		return run.begun != nil && run.begun.Refused != "" && run.begun.By == by && run.begun.Equal(o)
	})
}
