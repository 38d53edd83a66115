package jobs

import (
	"context"
	"time"

	"atelier/adapters"
	"atelier/agent/plan"
	"atelier/jobs/record"
)

// lookedBack is how many of a thread's last requests may have the list that a number refers to.
const lookedBack = 10

// numbers handles messages that are only a number: they pick from the thread's latest list of offers, like the
// number's reaction. The asker of an open question answers it instead.
type numbers struct {
	store     *record.Store
	reactions *reactions
	admission *admission
	expiry    time.Duration // of questions
	now       func() time.Time
}

// pick handles a message if its number is in the latest list, and reports whether it did.
func (p *numbers) pick(ctx context.Context, e adapters.Event, t *record.Thread) (bool, error) {
	n := plan.Number(e.Message.Text)
	if n == 0 || len(e.Message.Files) > 0 {
		return false, nil
	}
	var list *record.Run
	var of *record.Request
	for _, id := range t.Recent(lookedBack) {
		r, err := p.store.Request(ctx, id)
		switch {
		case record.IgnoreUnknown(err) != nil:
			return false, err
		case err != nil:
			continue
		case r.BegunBy(e.Key()): // a repeated event
			return true, p.reactions.flow.advance(ctx, r)
		}
		for _, run := range r.Runs {
			if run.Answer != nil && !run.Deleted && len(run.Answer.Offers) > 0 && (list == nil || later(run, list)) {
				list, of = run, r
			}
		}
	}
	if list == nil || n > len(list.Answer.Offers) {
		return false, nil
	}
	return p.from(ctx, e, t, of, list, n)
}

// later reports whether a list was shown after another. One that is shown now is not over yet.
func later(a, b *record.Run) bool { return b.Over && (!a.Over || a.OverAt.After(b.OverAt)) }

// from picks the nth offer of a run's answer. A guess at the meaning of a question is answered anew, so that its number
// also counts after another guess was picked.
func (p *numbers) from(ctx context.Context, e adapters.Event, t *record.Thread, r *record.Request, run *record.Run, n int) (bool, error) {
	offer := run.Answer.Offers[n-1]
	if offer.Guess != "" {
		if run.Over && p.now().After(run.OverAt.Add(p.expiry)) {
			return false, nil
		}
		asked := &record.OpenQuestion{
			Request: r.ID, Asker: e.By.ID, Text: run.Answer.Question, Guesses: run.Answer.Guesses(), Wish: r.WishOf(r.Generations[run.Generation]),
		}
		return true, p.admission.admit(ctx, e, t, origin{answers: asked})
	}
	e.Reaction = &adapters.Reaction{Sign: adapters.Choose, Number: n}
	return true, p.reactions.chooseOffer(ctx, e, r, run)
}
