package jobs

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/hibiken/asynq"

	"atelier/adapters"
	"atelier/agent/plan"
	"atelier/storage"
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
	case run.sent != nil, run.answer.Silent, run.halted != nil && run.halted.Why == haltDeleted:
		return j.finish(ctx, r, run.n, &sent{})
	}
	to, ok := j.adapters[r.asked.Event.Thread.Adapter]
	if !ok {
		return &waitError{after: retrySoon, err: fmt.Errorf("send by %s: %w", r.asked.Event.Thread.Adapter, ErrLacking)}
	}
	ref, err := j.post(ctx, to, sendKey(r.id, run.n), run.answer.Reply)
	if wait := waitFor(err); wait > 0 {
		return &waitError{after: wait, err: err}
	}
	if err != nil {
		return fmt.Errorf("send an answer: %w", err)
	}
	if err := j.remember(ctx, ref, answered{r.id, run.n}); err != nil {
		return err
	}
	s := &sent{Ref: ref}
	if r, err = j.write(ctx, r.id, entry{Run: run.n, Sent: s}); err != nil {
		return err
	}
	if o, ok := to.(adapters.Offerer); ok && len(run.answer.Offers) > 0 {
		if err := o.Offer(ctx, ref, len(run.answer.Offers)); err != nil && !adapters.Final(err) {
			j.log.WarnContext(ctx, "the numbers could not be put on an answer", "request", r.id, "error", plan.ForOperator(err))
		}
	}
	return j.finish(ctx, r, run.n, s)
}

// waitFor is how long the platform wants a pause, 0 if it does not.
func waitFor(err error) time.Duration {
	wait := adapters.Wait(err)
	if wait <= 0 && errors.Is(err, adapters.ErrRateLimited) {
		wait = time.Second
	}
	return wait
}

// post sends a reply; what is too large for the platform goes as a link.
func (j *Jobs) post(ctx context.Context, to adapters.Adapter, key string, r adapters.Reply) (adapters.MessageRef, error) {
	var limits adapters.Limits
	if l, ok := to.(adapters.Limiter); ok {
		limits = l.Limits(r.Thread)
	}
	r.Files = slices.Clone(r.Files)
	var total int64
	uploads := 0
	for i, f := range r.Files {
		if limits.File > 0 && f.Size > limits.File || limits.Files > 0 && uploads == limits.Files || limits.Total > 0 && total+f.Size > limits.Total {
			if err := j.link(ctx, &r, i); err != nil {
				return adapters.MessageRef{}, err
			}
			continue
		}
		total += f.Size
		uploads++
	}
	for {
		r.Files = slices.DeleteFunc(r.Files, func(f adapters.Attachment) bool { return f.Handle == "" && f.Link == "" })
		ref, err := to.Send(ctx, key, r)
		uploaded := func(f adapters.Attachment) bool { return f.Link == "" }
		if !errors.Is(err, adapters.ErrTooLarge) || !slices.ContainsFunc(r.Files, uploaded) {
			return ref, err
		}
		if err := j.linkLarge(ctx, &r, err); err != nil { // the platform takes less than it had said
			return adapters.MessageRef{}, err
		}
	}
}

// linkLarge gives links in the place of what was too large: one file, or all of them.
func (j *Jobs) linkLarge(ctx context.Context, r *adapters.Reply, tooLarge error) error {
	fault, _ := errors.AsType[*adapters.Fault](tooLarge)
	if fault != nil && fault.File > 0 && fault.File <= len(r.Files) && r.Files[fault.File-1].Link == "" {
		return j.link(ctx, r, fault.File-1)
	}
	for i := range r.Files {
		if err := j.link(ctx, r, i); err != nil {
			return err
		}
	}
	return nil
}

// linkLasts is how long a link to a file works.
const linkLasts = storage.MaxLink

// link gives people a link in the place of a file, or says that there is none to be had.
func (j *Jobs) link(ctx context.Context, r *adapters.Reply, i int) error {
	f := &r.Files[i]
	if f.Link != "" {
		return nil
	}
	link, err := j.config.Blobs.Link(ctx, f.Handle, linkLasts)
	if errors.Is(err, storage.ErrNoLinks) {
		r.Text = strings.TrimSpace(r.Text + "\n\n" + adapters.Escape(f.Name+" is too large to be sent here."))
		f.Handle = ""
		return nil
	}
	if err != nil {
		return fmt.Errorf("link a file: %w", err)
	}
	f.Link = link
	return nil
}

// finish ends a run: the thread remembers it, and goes on.
func (j *Jobs) finish(ctx context.Context, r *request, n int, s *sent) error {
	id, run := r.id, r.run(n)
	if run == nil || run.over {
		return nil
	}
	if run.sent == nil {
		run.sent = s
		if _, err := j.logs.append(ctx, requestLog(id), entry{At: j.config.Now(), Run: n, Sent: s}); err != nil {
			return err
		}
	}
	e := r.asked.Event
	gone := left{Request: id, Run: n}
	status := Failed
	if a := run.answer; a != nil {
		status = a.Status
		gone.Turn, gone.Resources = a.Turn, a.Resources
		if a.Question != "" {
			gone.Question = &openQuestion{
				Request: id, Asker: e.By.ID, Text: a.Question, Wish: r.wish(), Ref: run.sent.Ref,
				Until: j.config.Now().Add(j.config.QuestionExpiry),
			}
		}
	}
	threadID := ThreadID(e.Thread)
	entries, _, err := j.logs.added(ctx, threadLog(threadID), entry{At: j.config.Now(), Left: &gone})
	if err != nil {
		return err
	}
	if _, err := j.logs.append(ctx, requestLog(id), entry{At: j.config.Now(), Run: n, Over: true}); err != nil {
		return err
	}
	j.hint(ctx, r)
	if err := j.forgetDeadline(task{Kind: kindDeadline, Request: id, Run: n, queue: QueuePlan}); err != nil {
		j.log.DebugContext(ctx, "a deadline stays", "request", id, "error", err.Error())
	}
	j.acknowledge(ctx, e, shown(status))
	took := j.config.Now().Sub(run.beganAt)
	j.config.Metrics.Ended(e.Thread.Adapter, status, took)
	j.log.InfoContext(ctx, "run over", "request", id, "run", n, "status", string(status), "took", took.Round(time.Millisecond), "problem", s.Problem)
	return j.beginNext(ctx, foldThread(threadID, entries))
}

// shown is how a status is shown on the message.
func shown(s Status) adapters.Status {
	switch s {
	case Done:
		return adapters.Done
	case Asking:
		return adapters.Asking
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
