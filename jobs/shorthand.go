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
	"atelier/jobs/quota"
	"atelier/jobs/record"
)

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
