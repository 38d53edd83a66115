package jobs

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"atelier/adapters"
	"atelier/jobs/record"
)

const (
	// editableFor is how long after sending a message its edits count.
	editableFor = 24 * time.Hour
	// freeEdit is how long after a request an edit does not count against the quota: immediate corrections
	// of a message are part of the same request.
	freeEdit = time.Minute
)

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
	if e.At.Sub(e.Message.Edited.At) > editableFor {
		return nil
	}
	of, known, err := d.store.Recall(ctx, e.Message.Ref)
	if err != nil {
		return err
	}
	if !known {
		return d.begin(ctx, e)
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
		return d.admit(ctx, e, origin{})
	case e.By.ID != asked.By.ID && !e.By.Admin, !e.At.After(asked.At), asked.Message == nil:
		return nil
	case takesBack(asked.Message, e.Message):
		return ignoreOver(d.stopper.cancel(ctx, r.ID, record.Halted{Why: record.HaltCancelled, By: e.By.ID, Name: e.By.Name}))
	case !changes(asked.Message, e.Message, r.Runs[0].Working()):
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

// replace stops a request and begins the one of its edited message.
func (d *editor) replace(ctx context.Context, e adapters.Event, r *record.Request) error {
	from := origin{replaces: &record.Replaced{Answered: r.Answered()}}
	if before := r.Asked.Replaces; before != nil {
		from.replaces.Requests = slices.Clone(before.Requests)
	}
	from.replaces.Requests = append(from.replaces.Requests, r.ID)
	err := d.stopper.cancel(ctx, r.ID, record.Halted{Why: record.HaltReplaced, By: e.By.ID, Name: e.By.Name})
	switch {
	case ignoreOver(err) != nil:
		return err
	case err == nil: // its slot is free at once
		free := d.limits.Done
		if d.now().Sub(r.AskedAt) < freeEdit {
			free = d.limits.Withdraw
		}
		if err := free(ctx, r.ID, r.Asked.Event.By, e.Thread); err != nil {
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
	return d.admit(ctx, e, from)
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

func (d *editor) admit(ctx context.Context, e adapters.Event, from origin) error {
	t, err := d.store.Thread(ctx, record.ThreadID(e.Thread))
	if err != nil {
		return err
	}
	return d.admission.admit(ctx, e, t, from)
}

// takesBack reports whether an edit removes the mention, or everything, from a message.
func takesBack(was, is *adapters.Message) bool {
	return is.For == adapters.Overheard && was.For != adapters.Overheard || isEmpty(is)
}

func isEmpty(m *adapters.Message) bool {
	return strings.TrimSpace(m.Text) == "" && len(m.Files) == 0 && m.ReplyTo == nil
}

// changes reports whether an edit changes the request. Deleting a file does so only while the request is worked on.
func changes(was, is *adapters.Message, working bool) bool {
	if !slices.Equal(strings.Fields(was.Text), strings.Fields(is.Text)) {
		return true
	}
	return working && !slices.EqualFunc(was.Files, is.Files, func(a, b adapters.File) bool { return a.ID == b.ID })
}
