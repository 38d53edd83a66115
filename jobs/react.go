package jobs

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"atelier/adapters"
	"atelier/agent/plan"
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
	statuses *post.Statuses
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
		return nil, nil, a.whisper(ctx, e, r, quota.Refuse().Sentence)
	}
	if r.AsksAt(e.Reaction.On) {
		return r, nil, nil
	}
	return r, r.Run(of.Run), nil
}

// repeat runs a request again from the beginning, unless it was only a notice or small talk. A person can have only one
// repeat at a time.
func (a *reactions) repeat(ctx context.Context, e adapters.Event, r *record.Request, run *record.Run) error {
	if r.Asked.Told != "" || run != nil && run.Answer != nil && !slices.Contains(run.Answer.Reply.Acts(), adapters.Again) {
		return nil
	}
	again := record.Begun{By: e.By.ID, Event: e.Key(), Message: e.MessageRef()}
	switch {
	case run == nil:
	case run.Choice != nil && r.Generations[run.Generation].Plan != nil: // repeats an alternative
		again.Of, again.Choice, again.Anew = run.N, run.Choice, true
	default:
		again.Guess = r.Generations[run.Generation].Guess
	}
	if r.Waits() || r.Runs.Repeating(e.By.ID, again.Event) {
		return a.explain(ctx, e, r, inProgress)
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
	made := r.Runs.Of(choice.Pick)
	switch {
	case r.Runs.BegunBy(choice.Event): // a repeated event
		return a.flow.advance(ctx, r)
	case made != nil && !made.Active():
		return a.explain(ctx, e, r, plan.Say("That was done already. The answer is in this thread."))
	case made != nil && slices.Contains(made.Choosers, choice.By) && e.Message == nil:
		return a.whisper(ctx, e, r, inProgress)
	case !r.MayPick(choice.Pick, choice.By):
		return a.refuse(ctx, e, r.Asked.Event.Thread, quota.RefusePick())
	case made != nil:
		a.statuses.Show(ctx, choice.Message, adapters.Seen)
		return a.start(ctx, e, r, choice)
	}
	if why := a.chooser.whyClosed(r, run, choice.Guess != ""); !why.IsZero() {
		if r.Runs.RefusedBefore(choice.Pick, choice.By) {
			a.statuses.Show(ctx, choice.Message, adapters.Refused)
			return a.whisper(ctx, e, r, why)
		}
		choice.Refused = a.say(r, why)
		return a.start(ctx, e, r, choice)
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
	if r.Runs.BegunBy(b.Event) { // a repeated event
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
			a.statuses.Show(ctx, b.Message, adapters.Refused)
			return a.whisper(ctx, e, r, refused.Sentence)
		}
		b.Refused = a.say(r, refused.Sentence)
	} else {
		a.statuses.Show(ctx, b.Message, adapters.Seen)
	}
	err = a.start(ctx, e, r, b)
	if refused != nil {
		return err
	}
	after, lost := a.store.Request(ctx, r.ID)
	if lost = record.IgnoreUnknown(lost); lost == nil && (after == nil || !after.Runs.BegunBy(b.Event)) {
		lost = a.limits.Withdraw(ctx, id, e.By, in) // another person was first, or recording failed
	}
	return errors.Join(err, lost)
}

// start starts a run, and remembers the message that started it in place of a button.
func (a *reactions) start(ctx context.Context, e adapters.Event, r *record.Request, b record.Begun) error {
	n, err := a.chooser.start(ctx, r, b)
	if err != nil {
		return err
	}
	return a.remember(ctx, e, r, n)
}

func (a *reactions) remember(ctx context.Context, e adapters.Event, r *record.Request, n int) error {
	if e.Message == nil {
		return nil
	}
	return a.store.RememberAs(ctx, e.Message.Ref, inPlaceOfButton(e, record.RunRef{Request: r.ID, Run: n}))
}

var inProgress = plan.Say("That is already in progress.")

// explain tells a person why what they asked for has no effect: in private for a press, and in the thread for a message in
// place of one.
func (a *reactions) explain(ctx context.Context, e adapters.Event, r *record.Request, why plan.Message) error {
	if e.Message == nil {
		return a.whisper(ctx, e, r, why)
	}
	return a.reworker.notice(ctx, e, r, why)
}

// whisper tells a person in private why a press on a message of a request has no effect.
func (a *reactions) whisper(ctx context.Context, e adapters.Event, r *record.Request, why plan.Message) error {
	e.Thread = r.Asked.Event.Thread
	t, err := a.store.Thread(ctx, record.ThreadID(e.Thread))
	if err != nil {
		return err
	}
	return a.reworker.admission.whisper(ctx, e, t, why, nil)
}

// remove deletes an answer. Only the person who asked and admins may do that.
func (a *reactions) remove(ctx context.Context, e adapters.Event, r *record.Request, run *record.Run) error {
	deleter, ok := a.adapters[r.Asked.Event.Thread.Adapter].(adapters.Deleter)
	if !ok || run == nil || !run.AnsweredAt(e.Reaction.On) {
		return nil
	}
	if e.By.ID != r.Asked.Event.By.ID && e.By.ID != run.By && !e.By.Admin {
		return a.refuse(ctx, e, r.Asked.Event.Thread, quota.RefuseRemove())
	}
	// The deletion is recorded first, so that a press counts as soon as people see that the answer is gone.
	if err := a.stopper.noteDeleted(ctx, r, run, run.Sent.Ref); err != nil {
		return err
	}
	if err := deleter.Delete(ctx, run.Sent.Ref); err != nil && !adapters.Final(err) {
		return fmt.Errorf("delete an answer: %w", err)
	}
	return nil
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

// removed handles a sign removed from an answer: it stops what the sign started, unless others want it too.
func (a *reactions) removed(ctx context.Context, e adapters.Event) error {
	r, run, err := a.target(ctx, e)
	if err != nil || r == nil {
		return err
	}
	switch sign := e.Reaction.Sign; sign {
	case adapters.Choose:
		return a.unchoose(ctx, e, r, run)
	case adapters.Again:
		repeat := r.Runs.RepeatOf(e.By.ID)
		if repeat == nil {
			return nil
		}
		return a.stopper.halt(ctx, r.ID, repeat.N, stopBy(e))
	case adapters.Use:
		return a.reworker.unuse(ctx, e, r, run, results(run)...)
	case adapters.Vary, adapters.Larger, adapters.Smaller:
		return a.unrework(ctx, e, r, run, plan.Rework(sign))
	case adapters.Remove, adapters.Good, adapters.Bad, adapters.Try: // done at once, or buttons
	}
	return nil
}

func stopBy(e adapters.Event) record.Halted {
	return record.Halted{Why: record.HaltCancelled, By: e.By.ID, Name: e.By.Name}
}

// unchoose undoes the choice of an offer.
func (a *reactions) unchoose(ctx context.Context, e adapters.Event, r *record.Request, offered *record.Run) error {
	if offered == nil || offered.Answer == nil {
		return nil
	}
	n := chosen(offered.Answer, e.Reaction)
	if n < 0 {
		return nil
	}
	if use := offered.Answer.Offers[n].Use; use != "" {
		return a.reworker.unuse(ctx, e, r, offered, use)
	}
	back := record.TakenBack{Pick: offered.Pick(n), By: e.By.ID}
	run := r.Runs.Of(back.Pick)
	if run == nil || !run.Active() || !slices.Contains(run.Choosers, e.By.ID) {
		if run = r.Runs.TakenBackBy(back); run == nil {
			return nil
		}
		return a.stopper.announce(ctx, r.ID, run.N, record.HaltCancelled) // a repeated event: the first may be half done
	}
	after, err := a.store.Write(ctx, r.ID, record.Entry{TakenBack: &back})
	if errors.Is(err, record.ErrUnknown) {
		return nil
	}
	if err != nil {
		return err
	}
	if run = after.Run(run.N); run.Halted == nil || run.Halted.Why != record.HaltCancelled || run.Over {
		return nil
	}
	return a.stopper.announce(ctx, r.ID, run.N, record.HaltCancelled)
}

// unrework stops the request that a sign started from the results of a run.
func (a *reactions) unrework(ctx context.Context, e adapters.Event, r *record.Request, run *record.Run, how plan.Rework) error {
	root := r
	if press := r.Asked.Press; press != nil {
		var err error
		if root, err = a.store.Request(ctx, press.Root); err != nil {
			return record.IgnoreUnknown(err)
		}
	}
	if run == nil {
		return nil
	}
	of := record.RunRef{Request: r.ID, Run: run.N}
	further, err := a.reworker.started(ctx, root, e.By.ID, func(press *record.Press) bool { return press.How == how && press.Of == of })
	if err != nil || further == nil {
		return err
	}
	return ignoreOver(a.stopper.cancel(ctx, further.ID, stopBy(e)))
}
