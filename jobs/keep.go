package jobs

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"atelier/adapters"
	"atelier/agent/plan"
	"atelier/jobs/queue"
	"atelier/jobs/record"
	"atelier/storage"
)

// sweep deletes media whose time has come, once an hour by one of all processes.
func (j *Jobs) sweep(ctx context.Context) {
	for ctx.Err() == nil {
		if err := j.sweepOnce(ctx); err != nil && ctx.Err() == nil {
			j.log.WarnContext(ctx, "old media could not be deleted", "error", plan.ForOperator(err))
		}
		queue.Pause(ctx, 10*time.Minute)
	}
}

func (j *Jobs) sweepOnce(ctx context.Context) error {
	mine, err := j.config.State.PutOnce(ctx, record.WorkersGroup+"-sweep/turn", []byte(j.id), time.Hour)
	if err != nil || !mine {
		return err
	}
	n, err := j.expire(ctx)
	if n > 0 {
		j.log.InfoContext(ctx, "old media deleted", "files", n)
	}
	if err != nil {
		return errors.Join(err, j.config.State.Delete(ctx, record.WorkersGroup+"-sweep/turn"))
	}
	return nil
}

// clockBlob is stored to learn what time it is for the storage.
const clockBlob = "clock"

// expire deletes the media whose time has come by the storage's own clock: that of this
// process may be wrong.
func (j *Jobs) expire(ctx context.Context) (files int, err error) {
	if err := j.config.Blobs.Put(ctx, clockBlob, strings.NewReader(j.id)); err != nil {
		return 0, fmt.Errorf("ask the storage for its time: %w", err)
	}
	now, err := j.config.Blobs.Stat(ctx, clockBlob)
	if err != nil {
		return 0, fmt.Errorf("ask the storage for its time: %w", err)
	}
	return j.config.Blobs.Expire(ctx, now.Stored.Add(-j.config.Retention))
}

// Forget deletes everything that is known of a thread: its requests, answers and media.
// Runs that have not ended are stopped, without an answer. It fails with [ErrUnknown] where
// nothing is known.
func (j *Jobs) Forget(ctx context.Context, threadID string) (requests int, err error) {
	if storage.CheckGroup(record.ThreadGroup(threadID)) != nil {
		return 0, fmt.Errorf("thread %s: %w", threadID, record.ErrUnknown)
	}
	entries, err := j.store.Readable(ctx, record.ThreadLog(threadID))
	if err != nil {
		return 0, err
	}
	t := record.FoldThread(threadID, entries)
	if t.Size == 0 {
		return 0, fmt.Errorf("thread %s: %w", threadID, record.ErrUnknown)
	}
	// The first request goes last: as long as it is there, it is known which thread of the
	// platform this is, and what could not be deleted is found again.
	for i, p := range t.Line {
		if err := j.stopForgotten(ctx, p.Request); err != nil {
			return requests, err
		}
		if i == 0 {
			continue
		}
		if err := j.forgetRequest(ctx, p.Request); err != nil {
			return requests, err
		}
		requests++
	}
	if err := j.config.Blobs.DeleteAll(ctx, record.ThreadFolder(threadID)); err != nil {
		return requests, fmt.Errorf("delete the thread's media: %w", err)
	}
	if len(t.Line) > 0 {
		first := t.Line[0].Request
		if err := j.forgetWritten(ctx, first); err != nil {
			return requests, err
		}
		if err := j.forgetRequest(ctx, first); err != nil {
			return requests, err
		}
		requests++
	}
	if err := j.config.State.DeleteAll(ctx, record.ThreadGroup(threadID)); err != nil {
		return requests, fmt.Errorf("delete the thread: %w", err)
	}
	j.store.Logs.Drop(record.ThreadLog(threadID))
	if err := record.Purge(ctx, j.config.State); err != nil {
		return requests, err
	}
	j.log.InfoContext(ctx, "thread forgotten", "thread", threadID, "requests", requests)
	return requests, nil
}

// forgetWritten deletes what an adapter keeps of the thread of a request.
func (j *Jobs) forgetWritten(ctx context.Context, request string) error {
	entries, err := j.store.Readable(ctx, record.RequestLog(request))
	if err != nil || len(entries) == 0 {
		return err
	}
	asked := record.FoldUnrouted(request, entries).Asked
	if asked == nil {
		return nil
	}
	k, ok := j.adapters[asked.Event.Thread.Adapter].(adapters.Keeper)
	if !ok {
		return nil
	}
	if err := k.Forget(ctx, asked.Event.Thread); err != nil {
		return fmt.Errorf("delete what was written in the thread: %w", err)
	}
	return nil
}

// stopForgotten stops what still runs of a request. It is not at work any more: what would
// tell so later does not find it.
func (j *Jobs) stopForgotten(ctx context.Context, id string) error {
	r, err := j.store.Request(ctx, id)
	if err != nil { // who cannot read it does not work on it either
		return nil //nolint:nilerr // nothing is to be stopped
	}
	for _, run := range r.Runs {
		if run.Over {
			continue
		}
		if err := j.leaveQuota(ctx, r, run); err != nil {
			return err
		}
	}
	return ignoreOver(j.cancel(ctx, id, record.Halted{Why: record.HaltDeleted}))
}

func (j *Jobs) forgetRequest(ctx context.Context, id string) error {
	entries, err := j.store.Readable(ctx, record.RequestLog(id))
	if err != nil || len(entries) == 0 {
		return err
	}
	r := record.FoldUnrouted(id, entries)
	refs := []adapters.MessageRef{}
	if m := r.Message(); m != nil {
		refs = append(refs, m.Ref)
	}
	for _, run := range r.Runs {
		if run.Sent != nil && !run.Sent.Ref.IsZero() {
			refs = append(refs, run.Sent.Ref)
		}
		if err := j.tasks.Remove(queue.DeadlineOf(id, run.N)); err != nil {
			return err
		}
	}
	for _, ref := range refs {
		for _, key := range ref.Keys() {
			if err := j.config.State.DeleteAll(ctx, record.MessageGroup(key)); err != nil {
				return fmt.Errorf("delete a message's note: %w", err)
			}
		}
	}
	if err := j.config.State.DeleteAll(ctx, record.RequestGroup(id)); err != nil {
		return fmt.Errorf("delete a request: %w", err)
	}
	j.store.Logs.Drop(record.RequestLog(id))
	return nil
}
