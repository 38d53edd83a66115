package jobs

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/hibiken/asynq"

	"atelier/adapters"
	"atelier/agent/plan"
)

// send posts the answer of a run in its thread, and ends the run.
func (j *Jobs) send(ctx context.Context, w task) error {
	r, err := j.request(ctx, w.Request)
	if err != nil {
		return err
	}
	run := r.run(w.Run)
	switch {
	case run == nil || run.answer == nil:
		return nil
	case run.over: // somebody died between that and the next one's turn
		return j.advanceThread(ctx, ThreadID(r.asked.Event.Thread))
	case run.sent != nil && run.sent.Ref.IsZero(), run.answer.Silent, run.halted != nil && run.halted.Why == haltDeleted:
		return j.finish(ctx, r, run.n, &sent{})
	}
	to, ok := j.adapters[r.asked.Event.Thread.Adapter]
	if !ok {
		return &waitError{after: retrySoon, err: fmt.Errorf("send by %s: %w", r.asked.Event.Thread.Adapter, ErrLacking)}
	}
	if run.sent == nil {
		if r, err = j.deliver(ctx, to, r, run); err != nil {
			return err
		}
		run = r.run(w.Run)
	}
	if err := j.showNumbers(ctx, to, r.id, run); err != nil {
		return err
	}
	return j.finish(ctx, r, run.n, run.sent)
}

// deliver posts the answer of a run and writes down where it stands.
func (j *Jobs) deliver(ctx context.Context, to adapters.Adapter, r *request, run *run) (*request, error) {
	key := sendKey(r.id, run.n)
	s, err := j.postOnce(ctx, to, key, r.id, run)
	if err != nil {
		return nil, err
	}
	if err := j.remember(ctx, s.Ref, answered{r.id, run.n}); err != nil {
		return nil, err
	}
	r, err = j.write(ctx, r.id, entry{Run: run.n, Sent: &s})
	if err == nil || errors.Is(err, ErrUnknown) { // or it was forgotten meanwhile
		j.posts.forget(key)
	}
	return r, err
}

// postOnce posts the answer of a run, unless this process has posted it and could not write
// that down.
func (j *Jobs) postOnce(ctx context.Context, to adapters.Adapter, key, id string, run *run) (sent, error) {
	t, before := j.posts.try(key)
	if !t.sent.Ref.IsZero() {
		return t.sent, nil
	}
	if retried, _ := asynq.GetRetryCount(ctx); before || retried > 0 {
		if err := j.ready(ctx, id, run.n); err != nil {
			return sent{}, err
		}
	}
	s, err := j.post(ctx, to, key, id, run.answer.Reply, t)
	if wait := waitFor(err); wait > 0 {
		return sent{}, &waitError{after: wait, err: err}
	}
	if err != nil {
		return sent{}, fmt.Errorf("send an answer: %w", err)
	}
	j.posts.note(key, tried{sent: s})
	return s, nil
}

// ready finds out whether State takes anything, before an answer is posted that could not
// be written down. At the first try the answer itself was written just before.
func (j *Jobs) ready(ctx context.Context, id string, run int) error {
	if err := j.config.State.Put(ctx, fmt.Sprintf("%s/sending-%d", requestGroup(id), run), []byte(j.id), j.config.Retention); err != nil {
		return fmt.Errorf("note that an answer is sent: %w", err)
	}
	return nil
}

// showNumbers puts the numbers on an answer by which people choose another way. A run is not held
// up by it, but for a pause that the platform wants.
func (j *Jobs) showNumbers(ctx context.Context, to adapters.Adapter, id string, run *run) error {
	o, ok := to.(adapters.Offerer)
	if !ok || len(run.answer.Offers) == 0 {
		return nil
	}
	err := o.Offer(ctx, run.sent.Ref, len(run.answer.Offers))
	switch wait := waitFor(err); {
	case wait > 0:
		return &waitError{after: wait, err: fmt.Errorf("put the numbers on an answer: %w", err)}
	case err != nil && ctx.Err() != nil:
		return fmt.Errorf("put the numbers on an answer: %w", err)
	case err != nil && !adapters.Final(err):
		j.log.WarnContext(ctx, "the numbers could not be put on an answer", "request", id, "error", plan.ForOperator(err))
	}
	return nil
}

// waitFor is how long the platform wants a pause, 0 if it does not.
func waitFor(err error) time.Duration {
	wait := adapters.Wait(err)
	if wait <= 0 && errors.Is(err, adapters.ErrRateLimited) {
		wait = time.Second
	}
	return wait
}

// finish ends a run: the thread remembers it, and goes on.
func (j *Jobs) finish(ctx context.Context, r *request, n int, s *sent) error {
	id, run := r.id, r.run(n)
	if run == nil || run.over {
		return nil
	}
	key := sendKey(id, n)
	if run.sent == nil {
		if at := j.posts.at(key); !at.Ref.IsZero() {
			s = &at // whatever went wrong after it was posted
		}
		run.sent = s
		if _, err := j.logs.append(ctx, requestLog(id), entry{At: j.config.Now(), Run: n, Sent: s}); err != nil {
			return err
		}
	}
	j.posts.forget(key)
	e := r.asked.Event
	gone := left{Request: id, Run: n}
	status := Failed
	if a := run.answer; a != nil {
		gone.Turn, gone.Resources = a.Turn, a.Resources
		if status = a.Status; run.sent.failed() {
			status = Failed
		}
		if a.Question != "" && run.sent.Problem == "" {
			gone.Question = &openQuestion{
				Request: id, Asker: e.By.ID, Text: a.Question, Guesses: a.guesses(),
				Wish: r.wishOf(r.generations[run.generation]), Ref: run.sent.Ref,
				Until: j.config.Now().Add(j.config.QuestionExpiry),
			}
		}
	}
	threadID := ThreadID(e.Thread)
	entries, _, err := j.logs.added(ctx, threadLog(threadID), entry{At: j.config.Now(), Left: &gone})
	if err != nil {
		return err
	}
	if err := j.leaveQuota(ctx, r, run); err != nil {
		return err
	}
	if _, err := j.logs.append(ctx, requestLog(id), entry{At: j.config.Now(), Run: n, Over: true}); err != nil {
		return err
	}
	j.hint(ctx, r)
	if err := j.forgetDeadline(task{Kind: kindDeadline, Request: id, Run: n, queue: QueuePlan}); err != nil {
		j.log.DebugContext(ctx, "a deadline stays", "request", id, "error", plan.ForOperator(err))
	}
	if run.standsForAll() {
		j.acknowledge(ctx, e, shown(status))
	}
	took := j.config.Now().Sub(run.beganAt)
	if run.halted == nil || run.halted.Why != haltRefused { // which was counted as that
		j.config.Metrics.Ended(e.Thread.Adapter, status, took)
	}
	j.log.InfoContext(ctx, "run over", "request", id, "run", n, "status", string(status),
		"took", took.Round(time.Millisecond), "problem", run.sent.Problem != "")
	return j.beginNext(ctx, foldThread(threadID, entries))
}

// standsForAll tells whether the message shows how the run stands: the first one, the whole
// once more, and a guess at what it means. Another way, and what somebody is refused, changes nothing of the wish.
func (r *run) standsForAll() bool {
	return r.n == 1 || r.begun != nil && (r.begun.Of == 0 || r.begun.Guess != "") && r.begun.Refused == ""
}

// shown is how a status is shown on the message.
func shown(s Status) adapters.Status {
	switch s {
	case Done:
		return adapters.Done
	case Asking:
		return adapters.Asking
	case Cancelled:
		return adapters.Cancelled
	default:
		return adapters.Failed
	}
}

// forgetDeadline removes the task that would close the run.
func (j *Jobs) forgetDeadline(t task) error {
	err := j.inspector.DeleteTask(t.queue, t.id())
	if errors.Is(err, asynq.ErrTaskNotFound) || errors.Is(err, asynq.ErrQueueNotFound) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("remove a deadline: %w", err)
	}
	return nil
}
