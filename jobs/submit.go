package jobs

import (
	"context"
	"fmt"

	"atelier/adapters"
	"atelier/jobs/queue"
	"atelier/jobs/quota"
	"atelier/jobs/record"
	"atelier/storage"
)

// Submit records what somebody asks for and hands it to the workers. The same event is one
// request, however often it comes. When Submit returns, the request will be answered, in
// this process or another.
func (j *Jobs) Submit(ctx context.Context, e adapters.Event, o record.Options) (id string, err error) {
	if err := e.Validate(); err != nil {
		return "", err
	}
	t, err := j.store.Thread(ctx, record.ThreadID(e.Thread))
	if err != nil {
		return "", err
	}
	answers := t.Question(j.config.Now())
	if answers != nil && (e.Message == nil || answers.Asker != e.By.ID) {
		answers = nil
	}
	return j.submit(ctx, e, o, t, answers, nil)
}

// submit does it, in the thread as it was, for what may answer an open question. Where it is
// refused, that is its answer.
func (j *Jobs) submit(ctx context.Context, e adapters.Event, o record.Options, t *record.Thread, answers *record.OpenQuestion, refused *quota.Refusal) (string, error) {
	id, threadID := record.RequestID(e), t.ID
	a, err := j.newAsked(ctx, e, o, t, answers, refused)
	if err != nil {
		return "", err
	}
	at, err := j.store.Logs.Append(ctx, record.RequestLog(id), record.Entry{Run: 1, Asked: &a})
	if err != nil {
		return "", err
	}
	join := at == 0
	if !join { // it came before, and may have been recorded by half
		r, err := j.store.Request(ctx, id)
		if err != nil {
			return "", err
		}
		if r.Runs[0].Over {
			return id, nil
		}
		a = *r.Asked // what was recorded counts
		t, err := j.store.Thread(ctx, threadID)
		if err != nil {
			return "", err
		}
		join = t.PlaceOf(id) == nil
	}
	first := false
	if join {
		if first, err = j.join(ctx, id, a); err != nil {
			return "", err
		}
	}
	if a.Answers != "" {
		_, err := j.store.Logs.Append(ctx, record.RequestLog(a.Answers), record.Entry{AnsweredBy: id})
		if record.IgnoreUnknown(err) != nil {
			return "", err
		}
	}
	if e.Message != nil {
		if err := j.store.Remember(ctx, e.Message.Ref, record.RunRef{Request: id, Run: 1}); err != nil {
			return "", err
		}
	}
	if err := j.setDeadline(ctx, id, at == 0); err != nil {
		return "", err
	}
	if s, ok := j.config.State.(storage.Syncer); ok {
		if err := s.Sync(ctx); err != nil {
			return "", fmt.Errorf("record the event: %w", err)
		}
	}
	switch {
	case first:
		j.store.Logs.MarkQueued(record.ThreadLog(threadID), id)
		if err = j.tasks.Enqueue(ctx, queue.Task{Kind: queue.KindFetch, Request: id, Run: 1, Queue: queue.OfAdapter(e.Adapter)}, 0); err != nil {
			j.store.Logs.UnmarkQueued(record.ThreadLog(threadID), id)
		}
	case a.Aside():
		err = j.beginAside(ctx, id)
	default:
		err = j.advanceThread(ctx, threadID)
	}
	if err != nil {
		return "", err
	}
	if a.Refused != "" {
		return id, nil
	}
	j.config.Metrics.Accepted(e.Adapter)
	j.log.InfoContext(ctx, "request accepted", "request", id, "thread", threadID, "adapter", e.Adapter)
	j.acknowledge(ctx, e, adapters.Seen)
	return id, nil
}

// join puts a request into its thread's line, and tells whether it is the first one ever.
func (j *Jobs) join(ctx context.Context, id string, a record.Asked) (first bool, err error) {
	e := a.Event
	position, err := j.store.Logs.Append(ctx, record.ThreadLog(record.ThreadID(e.Thread)), record.Entry{Joined: &record.Joined{
		Request: id, By: e.By.ID, Answers: a.Answers, Language: a.Language, Aside: a.Aside(),
	}})
	if err != nil {
		return false, err
	}
	if err := j.index.AddAsker(ctx, id, e.By.ID, e.Thread); err != nil {
		return false, err
	}
	if !a.Aside() {
		if err := j.quota.Hold(ctx, id, e.By, e.Thread); err != nil {
			return false, err
		}
	}
	return position == 0 && !a.Aside(), j.index.Add(ctx, id)
}

// newAsked is what is recorded of an event.
func (j *Jobs) newAsked(
	ctx context.Context, e adapters.Event, o record.Options, t *record.Thread, answers *record.OpenQuestion, refused *quota.Refusal,
) (a record.Asked, err error) {
	a = record.Asked{Event: e, Options: o, Language: t.LanguageOf(e.Message, answers)}
	if e.Command != nil && a.Language == "" {
		if a.Language, err = j.index.LanguageOf(ctx, e.By.ID, e.Thread); err != nil {
			return a, err
		}
	}
	switch {
	case refused != nil: // the question that it would have answered stays open
		a.Refused = j.say(&record.Request{Asked: &a}, refused.Sentence)
	case answers != nil:
		a.Answers, a.Guess = answers.Request, answers.PickedGuess(e.Message)
	}
	return a, nil
}

// setDeadline gives a request its time, which begins anew with its turn. One that was
// recorded before keeps what it has left.
func (j *Jobs) setDeadline(ctx context.Context, id string, fresh bool) error {
	set := j.store.EnsureTime
	if fresh {
		set = j.store.ResetTime
	}
	if err := set(ctx, id, 1); err != nil {
		return err
	}
	return j.tasks.Enqueue(ctx, queue.DeadlineOf(id, 1), j.config.Deadline)
}
