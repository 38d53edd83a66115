package jobs

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"atelier/adapters"
	"atelier/agent/plan"
	"atelier/storage"
)

// dayGroup is the group of the requests of a day.
func dayGroup(t time.Time) string { return "day-" + t.UTC().Format(time.DateOnly) }

// list notes a request among those of its day.
func (j *Jobs) list(ctx context.Context, id string, at time.Time) error {
	if _, err := j.config.State.Append(ctx, dayGroup(at)+recentKey, []byte(id), j.config.Retention); err != nil {
		return fmt.Errorf("list a request: %w", err)
	}
	return nil
}

// sweep deletes media whose time has come, once an hour by one of all processes.
func (j *Jobs) sweep(ctx context.Context) {
	for ctx.Err() == nil {
		if err := j.sweepOnce(ctx); err != nil && ctx.Err() == nil {
			j.log.WarnContext(ctx, "old media could not be deleted", "error", plan.ForOperator(err))
		}
		pause(ctx, 10*time.Minute)
	}
}

func (j *Jobs) sweepOnce(ctx context.Context) error {
	mine, err := j.config.State.PutOnce(ctx, workersGroup+"-sweep/turn", []byte(j.id), time.Hour)
	if err != nil || !mine {
		return err
	}
	n, err := j.expire(ctx)
	if n > 0 {
		j.log.InfoContext(ctx, "old media deleted", "files", n)
	}
	if err != nil {
		return errors.Join(err, j.config.State.Delete(ctx, workersGroup+"-sweep/turn"))
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
	if storage.CheckGroup(threadGroup(threadID)) != nil {
		return 0, fmt.Errorf("thread %s: %w", threadID, ErrUnknown)
	}
	entries, err := j.readable(ctx, threadLog(threadID))
	if err != nil {
		return 0, err
	}
	t := foldThread(threadID, entries)
	if t.size == 0 {
		return 0, fmt.Errorf("thread %s: %w", threadID, ErrUnknown)
	}
	// The first request goes last: as long as it is there, it is known which thread of the
	// platform this is, and what could not be deleted is found again.
	for i, p := range t.line {
		if err := j.stopForgotten(ctx, p.request); err != nil {
			return requests, err
		}
		if i == 0 {
			continue
		}
		if err := j.forgetRequest(ctx, p.request); err != nil {
			return requests, err
		}
		requests++
	}
	if err := j.config.Blobs.DeleteAll(ctx, ThreadFolder(threadID)); err != nil {
		return requests, fmt.Errorf("delete the thread's media: %w", err)
	}
	if len(t.line) > 0 {
		first := t.line[0].request
		if err := j.forgetWritten(ctx, first); err != nil {
			return requests, err
		}
		if err := j.forgetRequest(ctx, first); err != nil {
			return requests, err
		}
		requests++
	}
	if err := j.config.State.DeleteAll(ctx, threadGroup(threadID)); err != nil {
		return requests, fmt.Errorf("delete the thread: %w", err)
	}
	j.logs.drop(threadLog(threadID))
	if err := purge(ctx, j.config.State); err != nil {
		return requests, err
	}
	j.log.InfoContext(ctx, "thread forgotten", "thread", threadID, "requests", requests)
	return requests, nil
}

// purge sees to it that what was deleted is in no file any more.
func purge(ctx context.Context, state storage.State) error {
	p, ok := state.(storage.Purger)
	if !ok {
		return nil
	}
	if err := p.Purge(ctx); err != nil {
		return fmt.Errorf("rewrite the state without what was deleted: %w", err)
	}
	return nil
}

// forgetWritten deletes what an adapter keeps of the thread of a request.
func (j *Jobs) forgetWritten(ctx context.Context, request string) error {
	entries, err := j.readable(ctx, requestLog(request))
	if err != nil || len(entries) == 0 {
		return err
	}
	asked := gatherRequest(request, entries).asked
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
	r, err := j.request(ctx, id)
	if err != nil { // who cannot read it does not work on it either
		return nil //nolint:nilerr // nothing is to be stopped
	}
	for _, run := range r.runs {
		if run.over {
			continue
		}
		if err := j.leaveQuota(ctx, r, run); err != nil {
			return err
		}
	}
	return ignoreOver(j.cancel(ctx, id, halted{Why: haltDeleted}))
}

// readable are the entries of a log that can be read: whatever else it has, it can be
// forgotten.
func (j *Jobs) readable(ctx context.Context, key string) ([]*entry, error) {
	raw, err := j.config.State.Read(ctx, key, 0)
	if err != nil {
		return nil, fmt.Errorf("read a log: %w", err)
	}
	entries := make([]*entry, len(raw))
	for i, b := range raw {
		e, err := decodeEntry(b)
		if err != nil {
			e = &entry{} // tells nothing
		}
		entries[i] = e
	}
	return entries, nil
}

func (j *Jobs) forgetRequest(ctx context.Context, id string) error {
	entries, err := j.readable(ctx, requestLog(id))
	if err != nil || len(entries) == 0 {
		return err
	}
	r := gatherRequest(id, entries)
	refs := []adapters.MessageRef{}
	if m := r.message(); m != nil {
		refs = append(refs, m.Ref)
	}
	for _, run := range r.runs {
		if run.sent != nil && !run.sent.Ref.IsZero() {
			refs = append(refs, run.sent.Ref)
		}
		if err := j.forgetDeadline(task{Kind: kindDeadline, Request: id, Run: run.n, queue: QueuePlan}); err != nil {
			return err
		}
	}
	for _, ref := range refs {
		for _, key := range ref.Keys() {
			if err := j.config.State.DeleteAll(ctx, messageGroup(key)); err != nil {
				return fmt.Errorf("delete a message's note: %w", err)
			}
		}
	}
	if err := j.config.State.DeleteAll(ctx, requestGroup(id)); err != nil {
		return fmt.Errorf("delete a request: %w", err)
	}
	j.logs.drop(requestLog(id))
	return nil
}
