package jobs

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"

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
	return a.reworker.admission.whisper(ctx, e, t, why)
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

// lookedBack is how many of a thread's last requests may have the list that a number refers to.
const lookedBack = 10

// shorthand handles messages that stand for a button. Those that are only a number pick from the latest list of offers;
// others are in shorthand.txt. They are about the request or the answer to which they reply, or else about the latest one
// of the thread.
type shorthand struct {
	store     *record.Store
	index     *record.Index
	reactions *reactions
	stopper   *stopper
	admission *admission
	now       func() time.Time
}

//go:embed shorthand.txt
var shorthandFile string

// stopSign is in shorthand.txt besides signs of reactions.
const stopSign adapters.Sign = "stop"

// signOf returns what a message stands for: a line of shorthand.txt, [adapters.Choose] with a number, or "".
func signOf(m *adapters.Message) (sign adapters.Sign, number int) {
	if len(m.Files) > 0 {
		return "", 0
	}
	if n := plan.Number(m.Text); n > 0 {
		return adapters.Choose, n
	}
	words := strings.Fields(strings.ToLower(strings.TrimRightFunc(m.Text, func(r rune) bool { return unicode.IsPunct(r) || unicode.IsSpace(r) })))
	words = slices.DeleteFunc(words, func(w string) bool { return strings.Trim(w, ",") == "please" })
	said := strings.TrimRight(strings.Join(words, " "), ",")
	for line := range strings.Lines(shorthandFile) {
		name, phrases, ok := strings.Cut(line, ": ")
		if ok && slices.Contains(strings.Split(strings.TrimSpace(phrases), ", "), said) {
			return adapters.Sign(name), 0
		}
	}
	return "", 0
}

// means is what a message says in place of a button.
func means(m *adapters.Message) string {
	sign, number := signOf(m)
	return fmt.Sprint(sign, " ", number)
}

// inPlaceOfButton is what a message belongs to that stands for a button.
func inPlaceOfButton(e adapters.Event, of record.RunRef) record.Remembered {
	return record.Remembered{RunRef: of, Means: means(e.Message), By: e.By.ID}
}

// take handles a message that stands for a button, and reports whether it did. question is the open question that the
// message would answer, or nil. A number and a reply to the question do answer it.
func (s *shorthand) take(ctx context.Context, e adapters.Event, t *record.Thread, question *record.OpenQuestion) (bool, error) {
	sign, number := signOf(e.Message)
	if sign == "" {
		return false, nil
	}
	about, shown, err := s.repliedTo(ctx, e.Message)
	if err != nil {
		return false, err
	}
	if about != nil && question != nil && about.ID != question.Request {
		question = nil
	}
	switch {
	case sign == stopSign && about != nil && question == nil:
		return true, s.stopShown(ctx, e, t, about)
	case sign == stopSign:
		return true, s.stop(ctx, e, t, question)
	case question != nil && (sign == adapters.Choose || about != nil):
		return false, nil
	}
	recent := t.Recent(lookedBack)
	if question != nil {
		recent = slices.DeleteFunc(recent, func(id string) bool { return id == question.Request })
	}
	if about != nil {
		recent = []string{about.ID}
	}
	r, run, repeated, err := s.latest(ctx, e, recent, func(run *record.Run) bool {
		can := slices.Contains(run.Answer.Reply.Acts(), sign) || sign == adapters.Choose && len(run.Answer.Offers) > 0
		return can && (shown == nil || run.N == shown.N)
	})
	switch {
	case repeated:
		return true, s.reactions.flow.advance(ctx, r)
	case err != nil || run == nil || number > len(run.Answer.Offers):
		return false, err
	case sign == adapters.Choose:
		return s.pick(ctx, e, t, r, run, number)
	case sign == adapters.Vary:
		e.Reaction = &adapters.Reaction{Sign: sign}
		return true, s.reactions.reworker.press(ctx, e, r, run)
	}
	return true, s.reactions.repeat(ctx, e, r, run)
}

// repliedTo returns the request that a message replies to, and the run if it replies to its answer; nil if it replies to
// neither.
func (s *shorthand) repliedTo(ctx context.Context, m *adapters.Message) (*record.Request, *record.Run, error) {
	if m.ReplyTo == nil {
		return nil, nil, nil
	}
	of, ok, err := s.store.Recall(ctx, m.ReplyTo.Ref)
	if err != nil || !ok {
		return nil, nil, err
	}
	r, err := s.store.Request(ctx, of.Request)
	if err != nil || r.AsksAt(m.ReplyTo.Ref) {
		return r, nil, record.IgnoreUnknown(err)
	}
	return r, r.Run(of.Run), nil
}

// stopShown stops what the message shows to which the person replies.
func (s *shorthand) stopShown(ctx context.Context, e adapters.Event, t *record.Thread, about *record.Request) error {
	stop := e
	stop.Cancel = &adapters.Cancel{On: e.Message.ReplyTo.Ref}
	in, err := s.stopper.asked(ctx, stop)
	switch {
	case errors.Is(err, errNotTheirs):
		return s.admission.refuse(ctx, e, in, quota.RefuseStop())
	case errors.Is(err, ErrOver):
		return s.admission.admit(ctx, e, t, origin{told: nothingInProgress})
	case err != nil:
		return err
	}
	return s.stopped(ctx, e, about.ID)
}

// stopped marks a message that has stopped work. A repeated event must not stop what was asked for since.
func (s *shorthand) stopped(ctx context.Context, e adapters.Event, id string) error {
	if err := s.store.RememberAs(ctx, e.Message.Ref, inPlaceOfButton(e, record.RunRef{Request: id})); err != nil {
		return err
	}
	s.admission.statuses.Show(ctx, e.MessageRef(), adapters.Done)
	return nil
}

var nothingInProgress = plan.Say("Nothing of yours is in progress here.")

// stop stops the latest work of a person. If nothing is in progress, it closes the open question.
func (s *shorthand) stop(ctx context.Context, e adapters.Event, t *record.Thread, question *record.OpenQuestion) error {
	working, err := s.index.Unfinished(ctx, e.By.ID, e.Thread)
	if err != nil {
		return err
	}
	if len(working) == 0 {
		told := nothingInProgress
		if question != nil {
			told = plan.Say("All right, I will leave it as it is.")
		}
		return s.admission.admit(ctx, e, t, origin{answers: question, told: told})
	}
	e.Cancel = &adapters.Cancel{}
	if _, err := s.stopper.asked(ctx, e); err != nil {
		return err
	}
	return s.stopped(ctx, e, working[0].ID)
}

// latest returns the run whose answer people saw last, among those of these requests that shows accepts. repeated means that
// the event began a run before.
func (s *shorthand) latest(ctx context.Context, e adapters.Event, requests []string, shows func(*record.Run) bool) (
	of *record.Request, last *record.Run, repeated bool, err error,
) {
	for _, id := range requests {
		r, err := s.store.Request(ctx, id)
		switch {
		case record.IgnoreUnknown(err) != nil:
			return nil, nil, false, err
		case err != nil:
			continue
		case r.Runs.BegunBy(e.Key()):
			return r, nil, true, nil
		}
		for _, run := range r.Runs {
			seen := run.Answer != nil && !run.Answer.Silent && !run.Halted.Silent() && !run.Deleted
			if seen && shows(run) && (last == nil || later(run, last)) {
				last, of = run, r
			}
		}
	}
	return of, last, false, nil
}

// later reports whether a list was shown after another. One that is shown now is not over yet.
func later(a, b *record.Run) bool { return b.Over && (!a.Over || a.OverAt.After(b.OverAt)) }

// pick picks the nth offer of a run's answer. A guess at the meaning of a question is answered anew, so that its number
// also counts after another guess was picked.
func (s *shorthand) pick(ctx context.Context, e adapters.Event, t *record.Thread, r *record.Request, run *record.Run, n int) (bool, error) {
	offer := run.Answer.Offers[n-1]
	if offer.Guess != "" {
		if run.Over && s.now().After(run.OverAt.Add(questionExpiry)) {
			return false, nil
		}
		asked := &record.OpenQuestion{
			Request: r.ID, Asker: e.By.ID, Text: run.Answer.Question, Guesses: run.Answer.Guesses(), Wish: r.WishOf(r.Generations[run.Generation]),
		}
		return true, s.admission.admit(ctx, e, t, origin{answers: asked})
	}
	e.Reaction = &adapters.Reaction{Sign: adapters.Choose, Number: n}
	return true, s.reactions.chooseOffer(ctx, e, r, run)
}
