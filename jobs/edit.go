package jobs

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"atelier/adapters"
	"atelier/agent/plan"
	"atelier/jobs/record"
)

// freeEdit is how long after a request an edit does not count against the quota: immediate corrections
// of a message are part of the same request.
const freeEdit = time.Minute

// editor handles edits of messages. It stops the request of an edited message and starts a new one from the
// new text.
type editor struct {
	store     *record.Store
	limits    *limits
	admission *admission
	chooser   *chooser
	stopper   *stopper
	now       func() time.Time
}

// edited handles an edit.
func (d *editor) edited(ctx context.Context, e adapters.Event) error {
	if e.At.Sub(e.Message.Edited.At) > adapters.Editable {
		return nil
	}
	of, known, err := d.store.Recall(ctx, e.Message.Ref)
	if err != nil {
		return err
	}
	if !known {
		return d.begin(ctx, e)
	}
	if of.Means != "" {
		return d.correct(ctx, e, of)
	}
	r, err := d.store.Request(ctx, of.Request)
	if errors.Is(err, record.ErrUnknown) {
		return d.begin(ctx, e)
	}
	if err != nil {
		return err
	}
	asked := r.Asked.Event
	switch {
	case r.ID == record.RequestID(e): // a repeated event: the first may be half recorded
		t, err := d.store.Thread(ctx, record.ThreadID(e.Thread))
		if err != nil {
			return err
		}
		return d.admission.admit(ctx, e, t, origin{})
	case e.By.ID != asked.By.ID && !e.By.Admin, !e.At.After(asked.At), asked.Message == nil:
		return nil
	case takesBack(asked.Message, e.Message), stops(e.Message):
		stop := stopBy(e)
		stop.Withdrawn = !stops(e.Message)
		return ignoreOver(d.stopper.haltAll(ctx, e.By, stop, r))
	case asked.Message.AsksSame(e.Message) && !r.Withdrawn():
		return nil
	}
	e.By = asked.By // a request stays its author's, whoever edits it
	return d.replace(ctx, e, r)
}

// begin handles a message that becomes a request by its edit. If the platform sends a second event for it,
// such as Slack's app_mention, both are the same request.
func (d *editor) begin(ctx context.Context, e adapters.Event) error {
	if e.Message.For == adapters.Overheard || isEmpty(e.Message) {
		return nil
	}
	sent, m := e, *e.Message
	m.Edited = nil
	sent.Kind, sent.ID, sent.Message = adapters.MessageSent, e.Message.Edited.Event, &m
	first, err := d.store.Request(ctx, record.RequestID(sent))
	if record.IgnoreUnknown(err) != nil {
		return err
	}
	if err == nil && first.Message() == nil { // a mention without text, which was answered
		sent = e
	}
	return d.admission.message(ctx, sent)
}

// correct handles an edit of a message that stands for a button. What it started is taken back, and the new words count.
func (d *editor) correct(ctx context.Context, e adapters.Event, of record.Remembered) error {
	if e.By.ID != of.By || of.Means == means(e.Message) {
		return nil
	}
	r, err := d.store.Request(ctx, of.Request)
	if record.IgnoreUnknown(err) != nil {
		return err
	}
	nothing := isEmpty(e.Message) || stops(e.Message)
	if err == nil {
		if refused, err := d.takeBack(ctx, e, r, r.Run(of.Run), !nothing); refused || err != nil {
			return err
		}
	}
	if nothing {
		return nil
	}
	return d.admission.address(ctx, e)
}

// takeBack takes back the run that a message started in place of a button. If the message asks for something else now, that gets
// the run's place in the quota; refused means that the quota forbids it.
func (d *editor) takeBack(ctx context.Context, e adapters.Event, r *record.Request, run *record.Run, asks bool) (refused bool, err error) {
	stop := stopBy(e)
	if !stops(e.Message) {
		stop.Why = record.HaltReplaced
	}
	if asks && run != nil && stop.Ends(run) && run.By == e.By.ID {
		if refused, err = d.exchange(ctx, countedRun(r, run), run.BeganAt, e); refused || err != nil {
			return refused, err
		}
	}
	return false, ignoreOver(d.stopper.takeBack(ctx, r, run, e.By.ID, stop))
}

// exchange gives the place of work in the quota to the edit that replaces it, and reports whether the quota forbids that: then
// the person is told, and the work continues. An immediate correction counts once with what it corrects.
func (d *editor) exchange(ctx context.Context, id string, began time.Time, e adapters.Event) (refused bool, err error) {
	free := d.limits.Done
	if d.now().Sub(began) < freeEdit {
		free = d.limits.Withdraw
	}
	if err := free(ctx, id, e.By, e.Thread); err != nil {
		return false, err
	}
	why, err := d.limits.refusal(ctx, record.RequestID(e), e, e.Thread)
	if why == nil || err != nil {
		return false, err
	}
	if _, err := d.limits.Take(ctx, id, e.By, e.Thread); err != nil {
		return false, fmt.Errorf("count a request: %w", err)
	}
	if err := d.limits.Hold(ctx, id, e.By, e.Thread); err != nil {
		return false, err
	}
	why.Sentence = plan.Sentences(why.Sentence, plan.Say("I continue with your message as it was before the edit."))
	e.Message = nil // the message still shows the work
	return true, d.admission.refuse(ctx, e, e.Thread, why)
}

// stops reports whether a message only asks to stop.
func stops(m *adapters.Message) bool {
	sign, _ := signOf(m)
	return sign == stopSign
}

// replace stops what the author of a message asked for with it, and begins the request of its edited version.
func (d *editor) replace(ctx context.Context, e adapters.Event, r *record.Request) error {
	from := origin{replaces: &record.Replaced{Answered: r.Answered()}}
	if before := r.Asked.Replaces; before != nil {
		from.replaces.Requests = slices.Clone(before.Requests)
	}
	from.replaces.Requests = append(from.replaces.Requests, r.ID)
	stop := stopBy(e)
	stop.Why = record.HaltReplaced
	working, _, err := d.stopper.shownBy(ctx, e.By, stop, r)
	if err != nil {
		return err
	}
	if i := slices.IndexFunc(working, func(w work) bool { return countedRun(w.of, w.run) != "" }); i >= 0 {
		w := working[i]
		if refused, err := d.exchange(ctx, countedRun(w.of, w.run), w.run.BeganAt, e); refused || err != nil {
			return err
		}
	}
	for _, w := range working {
		if err := d.stopper.halt(ctx, w.of.ID, w.run.N, stop); err != nil {
			return err
		}
	}
	for _, run := range r.Runs {
		if run.Answer != nil && run.Answer.Question != "" {
			if err := d.chooser.closeQuestion(ctx, r, run.N); err != nil {
				return err
			}
		}
	}
	if from.answers, err = d.questionOf(ctx, r.Asked.Answers); err != nil {
		return err
	}
	t, err := d.store.Thread(ctx, record.ThreadID(e.Thread))
	if err != nil {
		return err
	}
	if done, err := d.admission.shorthand.take(ctx, e, t, from.answers); done || err != nil {
		return err
	}
	return d.admission.admit(ctx, e, t, from)
}

// questionOf returns the question that a request asked, nil if there is none.
func (d *editor) questionOf(ctx context.Context, id string) (*record.OpenQuestion, error) {
	if id == "" {
		return nil, nil //nolint:nilnil // no question is answered
	}
	r, err := d.store.Request(ctx, id)
	if err != nil {
		return nil, record.IgnoreUnknown(err)
	}
	for _, run := range slices.Backward(r.Runs) {
		if a := run.Answer; a != nil && a.Question != "" {
			return &record.OpenQuestion{
				Request: id, Asker: r.Asked.Event.By.ID, Text: a.Question, Guesses: a.Guesses(), Wish: r.WishOf(r.Generations[run.Generation]),
			}, nil
		}
	}
	return nil, nil //nolint:nilnil // as above
}

// takesBack reports whether an edit removes the mention, or everything, from a message.
func takesBack(was, is *adapters.Message) bool {
	return is.For == adapters.Overheard && was.For != adapters.Overheard || isEmpty(is)
}

func isEmpty(m *adapters.Message) bool {
	return strings.TrimSpace(m.Text) == "" && len(m.Files) == 0 && m.ReplyTo == nil
}
