package jobs

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"atelier/adapters"
	"atelier/jobs/post"
	"atelier/jobs/quota"
	"atelier/jobs/record"
)

// reactions handles signs on answers.
type reactions struct {
	store    *record.Store
	limits   *limits
	flow     *flow
	chooser  *chooser
	stopper  *stopper
	reworker *reworker
	tryer    *tryer
	adapters map[string]adapters.Adapter
	acks     *post.Signs
	metrics  Metrics
	// refuse tells a person why their action has no effect.
	refuse func(ctx context.Context, e adapters.Event, in adapters.Thread, why *quota.Refusal) error
	say    sayer
}

// added handles a sign added to an answer. Signs on other messages are ignored, as are those of people who
// have no access.
func (a *reactions) added(ctx context.Context, e adapters.Event) error {
	r, run, err := a.target(ctx, e)
	if err != nil || r == nil {
		return err
	}
	switch e.Reaction.Sign {
	case adapters.Again:
		return a.repeat(ctx, e, r, run)
	case adapters.Choose:
		return a.chooseOffer(ctx, e, r, run)
	case adapters.Remove:
		return a.remove(ctx, e, r, run)
	case adapters.Good, adapters.Bad:
		return a.rate(ctx, e, r, run)
	case adapters.Use, adapters.Vary, adapters.Larger, adapters.Smaller:
		return a.reworker.press(ctx, e, r, run)
	case adapters.Try:
		return a.tryer.press(ctx, e, r, run)
	}
	return nil
}

// target returns the request and run that a reaction is about: nil if unknown, or if the person has no
// access. The run is nil if the message is not an answer.
func (a *reactions) target(ctx context.Context, e adapters.Event) (*record.Request, *record.Run, error) {
	of, ok, err := a.store.Recall(ctx, e.Reaction.On)
	if err != nil || !ok {
		return nil, nil, err
	}
	r, err := a.store.Request(ctx, of.Request)
	if err != nil {
		return nil, nil, record.IgnoreUnknown(err)
	}
	if !a.limits.Allowed(e.By, r.Asked.Event.Thread) {
		return nil, nil, nil
	}
	if m := r.Message(); m != nil && slices.Contains(m.Ref.Keys(), e.Reaction.On.Key()) {
		return r, nil, nil
	}
	return r, r.Run(of.Run), nil
}

// repeat runs a request again from the beginning. A person can have only one repeat at a time.
func (a *reactions) repeat(ctx context.Context, e adapters.Event, r *record.Request, run *record.Run) error {
	again := record.Begun{By: e.By.ID, Event: e.Key(), Message: e.MessageRef()}
	switch {
	case run == nil:
	case run.Choice != nil && r.Generations[run.Generation].Plan != nil: // repeats an alternative
		again.Of, again.Choice, again.Anew = run.N, run.Choice, true
	default:
		again.Guess = r.Generations[run.Generation].Guess
	}
	if r.Waits() || r.Repeating(e.By.ID, again.Event) {
		return nil
	}
	return a.begin(ctx, e, r, again)
}

// chooseOffer runs an offer of an answer once: an active run of it is shared, and a finished one is not
// repeated.
func (a *reactions) chooseOffer(ctx context.Context, e adapters.Event, r *record.Request, run *record.Run) error {
	if run == nil || run.Answer == nil {
		return nil
	}
	n := chosen(run.Answer, e.Reaction)
	if n < 0 {
		return nil
	}
	if use := run.Answer.Offers[n].Use; use != "" {
		return a.reworker.use(ctx, e, r, run, use)
	}
	choice := record.Begun{Pick: run.Pick(n), By: e.By.ID, Event: e.Key(), Once: true, Message: e.MessageRef()}
	made := r.RunOf(choice.Pick)
	switch {
	case r.BegunBy(choice.Event): // a repeated event
		return a.flow.advance(ctx, r)
	case made != nil && !made.Working():
		a.acks.Show(ctx, choice.Message, shown(made.Status(r, r.Generations[made.Generation])))
		return nil
	case made != nil && slices.Contains(made.Choosers, choice.By) && e.Message == nil:
		return nil
	case !r.MayPick(choice.Pick, choice.By):
		a.acks.Show(ctx, choice.Message, adapters.Refused)
		return nil
	case made != nil:
		a.acks.Show(ctx, choice.Message, adapters.Seen)
		_, err := a.chooser.start(ctx, r, choice)
		return err
	}
	if why := a.chooser.whyClosed(r, run, choice.Guess != ""); !why.IsZero() {
		if r.RefusedBefore(choice.Pick, choice.By) {
			a.acks.Show(ctx, choice.Message, adapters.Refused)
			return nil
		}
		choice.Refused = a.say(r, why)
		_, err := a.chooser.start(ctx, r, choice)
		return err
	}
	return a.begin(ctx, e, r, choice)
}

// chosen returns the index of the offer that a reaction picks, -1 if there is none.
func chosen(a *record.Answer, on *adapters.Reaction) int {
	n := on.Number - 1
	if on.Choice != "" {
		n = slices.IndexFunc(a.Reply.Choices, func(c adapters.Choice) bool { return c.ID == on.Choice })
	}
	if n < 0 || n >= len(a.Offers) {
		return -1
	}
	return n
}

// begin starts the run for a reaction, if the quota allows it.
func (a *reactions) begin(ctx context.Context, e adapters.Event, r *record.Request, b record.Begun) error {
	in, id := r.Asked.Event.Thread, record.RequestID(e)
	if r.BegunBy(b.Event) { // a repeated event
		return a.flow.advance(ctx, r)
	}
	refused, err := a.limits.refusal(ctx, id, e, in)
	if err != nil {
		return err
	}
	if refused != nil {
		tell, err := a.limits.tell(ctx, id, e, in, refused)
		if err != nil {
			return err
		}
		if !tell {
			a.acks.Show(ctx, b.Message, adapters.Refused)
			return nil
		}
		b.Refused = a.say(r, refused.Sentence)
	} else {
		a.acks.Show(ctx, b.Message, adapters.Seen)
	}
	_, err = a.chooser.start(ctx, r, b)
	if refused != nil {
		return err
	}
	after, lost := a.store.Request(ctx, r.ID)
	if lost = record.IgnoreUnknown(lost); lost == nil && (after == nil || !after.BegunBy(b.Event)) {
		lost = a.limits.Withdraw(ctx, id, e.By, in) // another person was first, or recording failed
	}
	return errors.Join(err, lost)
}

// remove deletes an answer. Only the person who asked and admins may do that.
func (a *reactions) remove(ctx context.Context, e adapters.Event, r *record.Request, run *record.Run) error {
	deleter, ok := a.adapters[r.Asked.Event.Thread.Adapter].(adapters.Deleter)
	if !ok || run == nil || run.Sent == nil || run.Sent.Ref.IsZero() {
		return nil
	}
	if e.By.ID != r.Asked.Event.By.ID && e.By.ID != run.By && !e.By.Admin {
		return a.refuse(ctx, e, r.Asked.Event.Thread, quota.RefuseRemove())
	}
	if err := deleter.Delete(ctx, run.Sent.Ref); err != nil && !adapters.Final(err) {
		return fmt.Errorf("delete an answer: %w", err)
	}
	return a.stopper.noteDeleted(ctx, r, run.N, run.Sent.Ref.Last())
}

// rate records a person's rating of an answer, and counts it if it changed.
func (a *reactions) rate(ctx context.Context, e adapters.Event, r *record.Request, run *record.Run) error {
	vote := record.Vote{By: e.By.ID, Good: e.Reaction.Sign == adapters.Good}
	if run == nil || run.Answer == nil || !run.MayVote(vote) {
		return nil
	}
	entries, at, err := a.store.Logs.AppendRead(ctx, record.RequestLog(r.ID), record.Entry{Run: run.N, Rated: &vote})
	if err != nil || at == 0 || at > len(entries) { // or forgotten meanwhile
		return err
	}
	before := record.FoldUnrouted(r.ID, entries[:at]).Run(run.N) // since another process may have handled the same event
	if old, changed := before.Vote(vote.By); old != vote {
		a.metrics.Rated(r.Asked.Event.Thread.Adapter, vote.Good, changed)
	}
	return nil
}
