package jobs

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"atelier/adapters"
)

// reacted does what a sign on an answer asks for. One on anything else does nothing, nor
// does one of somebody who may not ask there.
func (j *Jobs) reacted(ctx context.Context, e adapters.Event) error {
	r, run, err := j.reactedTo(ctx, e)
	if err != nil || r == nil {
		return err
	}
	switch e.Reaction.Sign {
	case adapters.Again:
		return j.repeat(ctx, e, r, run)
	case adapters.Choose:
		return j.chooseOffer(ctx, e, r, run)
	case adapters.Remove:
		return j.remove(ctx, e, r, run)
	}
	return nil
}

// reactedTo is what a reaction is about: nil where that is nothing known, or the person may
// not ask there. The run is nil where the message is not an answer.
func (j *Jobs) reactedTo(ctx context.Context, e adapters.Event) (*request, *run, error) {
	of, ok, err := j.recall(ctx, e.Reaction.On)
	if err != nil || !ok {
		return nil, nil, err
	}
	r, err := j.request(ctx, of.Request)
	if err != nil {
		return nil, nil, ignoreUnknown(err)
	}
	if !j.quota.Allowed(e.By, r.asked.Event.Thread) {
		return nil, nil, nil
	}
	if m := r.message(); m != nil && slices.Contains(m.Ref.Keys(), e.Reaction.On.Key()) {
		return r, nil, nil
	}
	return r, r.run(of.Run), nil
}

// repeat runs a request once more, from the beginning. As long as that runs, the same person
// begins no other.
func (j *Jobs) repeat(ctx context.Context, e adapters.Event, r *request, run *run) error {
	again := begun{By: e.By.ID, Event: e.Key()}
	switch {
	case run == nil:
	case run.choice != nil && r.generations[run.generation].plan != nil: // another way, once more
		again.Of, again.Choice, again.Anew = run.n, run.choice, true
	default:
		again.Guess = r.generations[run.generation].guess
	}
	if r.waits() || r.repeats(e.By.ID, again.Event) {
		return nil
	}
	return j.begin(ctx, e, r, again)
}

// repeats tells whether a run once more of that person's is at work, but for that event's.
func (r *request) repeats(by, event string) bool {
	return slices.ContainsFunc(r.runs, func(run *run) bool {
		b := run.begun
		return b != nil && b.By == by && b.Event != event && b.Event != "" && (b.Of == 0 || b.Anew) && run.working()
	})
}

// chooseOffer runs what an answer offers, once: where it runs already, it is shared, and
// where it is done, nothing is left to do.
func (j *Jobs) chooseOffer(ctx context.Context, e adapters.Event, r *request, run *run) error {
	if run == nil || run.answer == nil {
		return nil
	}
	n := chosen(run.answer, e.Reaction)
	if n < 0 {
		return nil
	}
	choice := begun{taken: run.offered(n), By: e.By.ID, Event: e.Key(), Once: true}
	made := r.made(choice.taken)
	switch {
	case r.begunBy(choice.Event): // it came before
		return j.advance(ctx, r)
	case made != nil && (!made.working() || slices.Contains(made.choosers, choice.By)):
		return nil
	case !r.mayChoose(choice.taken, choice.By):
		return nil
	case made != nil:
		_, err := j.another(ctx, r, choice)
		return err
	}
	if why := j.closed(r, run); choice.Guess != "" && !why.IsZero() {
		if r.refused(choice.taken, choice.By) {
			return nil
		}
		choice.Refused = j.say(r, why)
		_, err := j.another(ctx, r, choice)
		return err
	}
	return j.begin(ctx, e, r, choice)
}

// begin begins a run that a reaction asks for, if the quota lets it.
func (j *Jobs) begin(ctx context.Context, e adapters.Event, r *request, b begun) error {
	in, id := r.asked.Event.Thread, RequestID(e)
	if r.begunBy(b.Event) { // it came before
		return j.advance(ctx, r)
	}
	refused, err := j.refusal(ctx, id, e, in)
	if err != nil {
		return err
	}
	if refused != nil {
		if tell, err := j.tells(ctx, id, e, in, refused); err != nil || !tell {
			return err
		}
		b.Refused = j.say(r, refused.Sentence)
	}
	_, err = j.another(ctx, r, b)
	if refused != nil {
		return err
	}
	after, lost := j.request(ctx, r.id)
	if lost = ignoreUnknown(lost); lost == nil && (after == nil || !after.begunBy(b.Event)) {
		lost = j.quota.Withdraw(ctx, id, e.By, in) // somebody else was first, or it could not be recorded
	}
	return errors.Join(err, lost)
}

// begunBy tells whether an event has begun a run.
func (r *request) begunBy(event string) bool {
	return slices.ContainsFunc(r.runs, func(run *run) bool { return run.event == event })
}

// chosen is the index of the offer that a reaction means, -1 if there is none.
func chosen(a *Answer, on *adapters.Reaction) int {
	n := on.Number - 1
	if on.Choice != "" {
		n = slices.IndexFunc(a.Reply.Choices, func(c adapters.Choice) bool { return c.ID == on.Choice })
	}
	if n < 0 || n >= len(a.Offers) {
		return -1
	}
	return n
}

// remove takes an answer back, for who asked for it and for admins.
func (j *Jobs) remove(ctx context.Context, e adapters.Event, r *request, run *run) error {
	deleter, ok := j.adapters[r.asked.Event.Thread.Adapter].(adapters.Deleter)
	if !ok || run == nil || run.sent == nil || run.sent.Ref.IsZero() {
		return nil
	}
	if e.By.ID != r.asked.Event.By.ID && e.By.ID != run.by && !e.By.Admin {
		return nil
	}
	if err := deleter.Delete(ctx, run.sent.Ref); err != nil && !adapters.Final(err) {
		return fmt.Errorf("delete an answer: %w", err)
	}
	return nil
}

// unreacted stops the run that a reaction began, if it has not ended and nobody else has
// chosen it: the one who chose has thought better of it.
func (j *Jobs) unreacted(ctx context.Context, e adapters.Event) error {
	if e.Reaction.Sign != adapters.Choose {
		return nil
	}
	r, offered, err := j.reactedTo(ctx, e)
	if err != nil || r == nil || offered == nil || offered.answer == nil {
		return err
	}
	n := chosen(offered.answer, e.Reaction)
	if n < 0 {
		return nil
	}
	back := takenBack{taken: offered.offered(n), By: e.By.ID}
	run := r.made(back.taken)
	if run == nil || !run.working() || !slices.Contains(run.choosers, e.By.ID) {
		if run = r.takenBackBy(back); run == nil {
			return nil
		}
		return j.halted(ctx, r.id, run.n, haltCancelled) // it came before, and may have been done by half
	}
	after, err := j.write(ctx, r.id, entry{TakenBack: &back})
	if errors.Is(err, ErrUnknown) {
		return nil
	}
	if err != nil {
		return err
	}
	if run = after.run(run.n); run.halted == nil || run.halted.Why != haltCancelled || run.over {
		return nil
	}
	return j.halted(ctx, r.id, run.n, haltCancelled)
}
