package jobs

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"atelier/adapters"
	"atelier/jobs/queue"
	"atelier/jobs/record"
)

// Handle takes an event of an adapter: it is an [adapters.Handler]. What it returns nil for
// is recorded. What is not meant for the bot is passed over.
func (j *Jobs) Handle(ctx context.Context, e adapters.Event) error {
	if err := e.Validate(); err != nil {
		return err
	}
	switch e.Kind {
	case adapters.MessageSent:
		return j.hear(ctx, e)
	case adapters.CommandGiven:
		return j.commanded(ctx, e)
	case adapters.PictureMarked:
		return j.pointed(ctx, e)
	case adapters.ReactionAdded:
		return j.reacted(ctx, e)
	case adapters.ReactionRemoved:
		return j.unreacted(ctx, e)
	case adapters.CancelAsked:
		return j.cancelAsked(ctx, e)
	}
	return fmt.Errorf("%w: an event of kind %q", adapters.ErrInvalid, e.Kind)
}

// hear takes a message if it is meant for the bot: by its address, because it answers an
// open question, or because nobody else is in the thread.
func (j *Jobs) hear(ctx context.Context, e adapters.Event) error {
	t, err := j.store.Thread(ctx, record.ThreadID(e.Thread))
	if err != nil {
		return err
	}
	answers := t.Question(j.config.Now())
	if answers != nil && answers.Asker != e.By.ID && !repliesTo(e.Message, answers.Ref) {
		answers = nil
	}
	taken := t.PlaceOf(record.RequestID(e)) != nil // it came before, and may have been recorded by half
	overheard := e.Message.For == adapters.Overheard && !taken
	if overheard && (answers == nil && !t.Alone(e.By.ID) || !j.quota.Allowed(e.By, e.Thread)) {
		if len(t.By) == 0 || slices.Contains(t.By, e.By.ID) {
			return nil
		}
		_, err := j.store.Logs.Append(ctx, record.ThreadLog(t.ID), record.Entry{Present: &record.Present{By: e.By.ID}})
		return err
	}
	return j.admit(ctx, e, t, answers)
}

func repliesTo(m *adapters.Message, ref adapters.MessageRef) bool {
	return m.ReplyTo != nil && slices.Contains(ref.Keys(), m.ReplyTo.Ref.Key())
}

// acknowledge shows how a request stands, where the platform can. It is a courtesy: the
// request does not wait for it.
func (j *Jobs) acknowledge(ctx context.Context, e adapters.Event, s adapters.Status) {
	a, ok := j.adapters[e.Thread.Adapter].(adapters.Acknowledger)
	if !ok || e.Message == nil {
		return
	}
	ctx = context.WithoutCancel(ctx)
	j.after.run(func() {
		ctx, stop := context.WithTimeout(ctx, 10*time.Second)
		defer stop()
		if err := a.Acknowledge(ctx, e.Message.Ref, s); err != nil && !errors.Is(err, adapters.ErrGone) {
			j.log.WarnContext(ctx, "a sign could not be shown", "request", record.RequestID(e), "status", string(s), "error", forOperator(err))
		}
	})
}

// advanceThread lets the thread's next request begin, if one waits.
func (j *Jobs) advanceThread(ctx context.Context, id string) error {
	t, err := j.store.Thread(ctx, id)
	if err != nil {
		return err
	}
	return j.beginNext(ctx, t)
}

func (j *Jobs) beginNext(ctx context.Context, t *record.Thread) (err error) {
	id, head := t.ID, t.Head()
	if head == "" || !j.store.Logs.MarkQueued(record.ThreadLog(id), head) {
		return nil
	}
	defer func() {
		if err != nil {
			j.store.Logs.UnmarkQueued(record.ThreadLog(id), head)
		}
	}()
	r, err := j.store.Request(ctx, head)
	if errors.Is(err, record.ErrUnknown) { // its time had come, or it was being forgotten
		t, err := j.store.WriteThread(ctx, id, record.Entry{Left: &record.Left{Request: head, Run: 1}})
		if err != nil {
			return err
		}
		return j.beginNext(ctx, t)
	}
	if err != nil {
		return err
	}
	if err := j.turn(ctx, r); err != nil {
		return err
	}
	return j.tasks.Enqueue(ctx, queue.Task{Kind: queue.KindFetch, Request: head, Run: 1, Queue: queue.OfAdapter(r.Asked.Event.Adapter)}, 0)
}

// turn begins the time of a request whose turn has come: once, whoever finds it. The
// deadline is handed over again, since it may have been recorded by half.
func (j *Jobs) turn(ctx context.Context, r *record.Request) error {
	if r.Given == nil {
		if err := j.store.BeginTurn(ctx, r.ID); err != nil {
			return err
		}
	}
	return j.tasks.Enqueue(ctx, queue.DeadlineOf(r.ID, 1), j.config.Deadline)
}
