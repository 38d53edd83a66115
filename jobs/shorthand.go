package jobs

import (
	"context"
	_ "embed"
	"slices"
	"strings"
	"time"
	"unicode"

	"atelier/adapters"
	"atelier/agent/plan"
	"atelier/jobs/record"
)

// lookedBack is how many of a thread's last requests may have the list that a number refers to.
const lookedBack = 10

// shorthand handles messages that stand for a button. Those that are only a number pick from the thread's latest list of
// offers; others are in shorthand.txt.
type shorthand struct {
	store     *record.Store
	index     *record.Index
	reactions *reactions
	stopper   *stopper
	admission *admission
	expiry    time.Duration // of questions
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

// take handles a message that stands for a button, and reports whether it did. question is the open question that the
// message would answer, or nil.
func (s *shorthand) take(ctx context.Context, e adapters.Event, t *record.Thread, question *record.OpenQuestion) (bool, error) {
	sign, number := signOf(e.Message)
	switch {
	case sign == stopSign:
		return true, s.stop(ctx, e, t, question)
	case sign == "" || question != nil:
		return false, nil
	}
	r, run, repeated, err := s.latest(ctx, e, t, func(run *record.Run) bool {
		return (sign != adapters.Choose || len(run.Answer.Offers) > 0) &&
			(sign != adapters.Vary || slices.Contains(run.Answer.Reply.GoOn, sign))
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

// stop stops the latest work of a person. If nothing is in progress, it closes the open question.
func (s *shorthand) stop(ctx context.Context, e adapters.Event, t *record.Thread, question *record.OpenQuestion) error {
	working, err := s.index.Unfinished(ctx, e.By.ID, e.Thread)
	if err != nil {
		return err
	}
	if len(working) == 0 {
		told := plan.Say("Nothing of yours is in progress here.")
		if question != nil {
			told = plan.Say("All right, I will leave it as it is.")
		}
		return s.admission.admit(ctx, e, t, origin{answers: question, told: told})
	}
	e.Cancel = &adapters.Cancel{}
	if _, err := s.stopper.asked(ctx, e); err != nil {
		return err
	}
	// A repeated event must not stop what was asked for since.
	if err := s.store.Remember(ctx, e.Message.Ref, record.RunRef{Request: working[0].ID, Run: 1}); err != nil {
		return err
	}
	s.admission.acks.Show(ctx, e.MessageRef(), adapters.Done)
	return nil
}

// latest returns the last run of a thread that was answered and that shows something. repeated means that the run
// was begun by this event before.
func (s *shorthand) latest(ctx context.Context, e adapters.Event, t *record.Thread, shows func(*record.Run) bool) (
	of *record.Request, last *record.Run, repeated bool, err error,
) {
	for _, id := range t.Recent(lookedBack) {
		r, err := s.store.Request(ctx, id)
		switch {
		case record.IgnoreUnknown(err) != nil:
			return nil, nil, false, err
		case err != nil:
			continue
		case r.BegunBy(e.Key()):
			return r, nil, true, nil
		}
		for _, run := range r.Runs {
			if run.Answer != nil && !run.Deleted && shows(run) && (last == nil || later(run, last)) {
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
		if run.Over && s.now().After(run.OverAt.Add(s.expiry)) {
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
