package jobs

import (
	"context"
	"fmt"

	"atelier/adapters"
	"atelier/jobs/quota"
	"atelier/storage"
)

// Options say how a request is to be done.
type Options struct {
	// PlanOnly plans and does nothing. Where that can be done, nothing is sent: the plan is
	// the answer, and [Jobs.Choose] runs a way of it.
	PlanOnly bool `json:"plan_only,omitempty"`
	// Operator tells which settings would help where a tool cannot run: who asks runs the program.
	Operator bool `json:"operator,omitempty"`
}

// Submit records what somebody asks for and hands it to the workers. The same event is one
// request, however often it comes. When Submit returns, the request will be answered, in
// this process or another.
func (j *Jobs) Submit(ctx context.Context, e adapters.Event, o Options) (id string, err error) {
	if err := e.Validate(); err != nil {
		return "", err
	}
	t, err := j.thread(ctx, ThreadID(e.Thread), -1)
	if err != nil {
		return "", err
	}
	answers := t.question(j.config.Now())
	if answers != nil && (e.Message == nil || answers.Asker != e.By.ID) {
		answers = nil
	}
	return j.submit(ctx, e, o, t, answers, nil)
}

// submit does it, in the thread as it was, for what may answer an open question. Where it is
// refused, that is its answer.
func (j *Jobs) submit(ctx context.Context, e adapters.Event, o Options, t *thread, answers *openQuestion, refused *quota.Refusal) (string, error) {
	id, threadID := RequestID(e), t.id
	now := j.config.Now()
	a, err := j.newAsked(ctx, e, o, t, answers, refused)
	if err != nil {
		return "", err
	}
	at, err := j.logs.append(ctx, requestLog(id), entry{At: now, Run: 1, Asked: &a})
	if err != nil {
		return "", err
	}
	join := at == 0
	if !join { // it came before, and may have been recorded by half
		r, err := j.request(ctx, id)
		if err != nil {
			return "", err
		}
		if r.runs[0].over {
			return id, nil
		}
		a = *r.asked // what was recorded counts
		t, err := j.thread(ctx, threadID, -1)
		if err != nil {
			return "", err
		}
		join = t.placeOf(id) == nil
	}
	first := false
	if join {
		if first, err = j.join(ctx, id, a); err != nil {
			return "", err
		}
	}
	if a.Answers != "" {
		_, err := j.logs.append(ctx, requestLog(a.Answers), entry{At: now, AnsweredBy: id})
		if ignoreUnknown(err) != nil {
			return "", err
		}
	}
	if e.Message != nil {
		if err := j.remember(ctx, e.Message.Ref, answered{id, 1}); err != nil {
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
		j.logs.queue(threadLog(threadID), id)
		if err = j.enqueue(ctx, task{Kind: kindFetch, Request: id, Run: 1, queue: gatewayQueue(e.Adapter)}, 0); err != nil {
			j.logs.unqueue(threadLog(threadID), id)
		}
	case a.aside():
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
func (j *Jobs) join(ctx context.Context, id string, a asked) (first bool, err error) {
	e, now := a.Event, j.config.Now()
	position, err := j.logs.append(ctx, threadLog(ThreadID(e.Thread)), entry{At: now, Joined: &joined{id, e.By.ID, a.Answers, a.Language, a.aside()}})
	if err != nil {
		return false, err
	}
	if err := j.noteAsker(ctx, id, e.By.ID, e.Thread); err != nil {
		return false, err
	}
	if !a.aside() {
		if err := j.quota.Hold(ctx, id, e.By, e.Thread); err != nil {
			return false, err
		}
	}
	return position == 0 && !a.aside(), j.list(ctx, id, now)
}

// newAsked is what is recorded of an event.
func (j *Jobs) newAsked(
	ctx context.Context, e adapters.Event, o Options, t *thread, answers *openQuestion, refused *quota.Refusal,
) (a asked, err error) {
	a = asked{Event: e, Options: o, Language: t.languageOf(e.Message, answers)}
	if e.Command != nil && a.Language == "" {
		if a.Language, err = j.languageOf(ctx, e.By.ID, e.Thread); err != nil {
			return a, err
		}
	}
	switch {
	case refused != nil: // the question that it would have answered stays open
		a.Refused = j.say(&request{asked: &a}, refused.Sentence)
	case answers != nil:
		a.Answers, a.Guess = answers.Request, answers.picked(e.Message)
	}
	return a, nil
}

// setDeadline gives a request its time, which begins anew with its turn. One that was
// recorded before keeps what it has left.
func (j *Jobs) setDeadline(ctx context.Context, id string, fresh bool) (err error) {
	if fresh {
		err = j.config.State.Put(ctx, requestTime(id, 1), []byte{'w'}, j.config.Deadline)
	} else {
		_, err = j.config.State.PutOnce(ctx, requestTime(id, 1), []byte{'w'}, j.config.Deadline)
	}
	if err != nil {
		return fmt.Errorf("set the deadline: %w", err)
	}
	return j.enqueue(ctx, task{Kind: kindDeadline, Request: id, Run: 1, queue: QueuePlan}, j.config.Deadline)
}
