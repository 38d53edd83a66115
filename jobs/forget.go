package jobs

import (
	"context"
	"fmt"
	"log/slog"

	"atelier/adapters"
	"atelier/jobs/queue"
	"atelier/jobs/record"
	"atelier/storage"
)

// forgetter deletes everything of a thread.
type forgetter struct {
	store    *record.Store
	state    storage.State
	blobs    storage.Blobs
	limits   *limits
	tasks    *queue.Tasks
	stopper  *stopper
	adapters map[string]adapters.Adapter
	log      *slog.Logger
}

// forget deletes everything that is known of a thread: its requests, answers and media.
// Runs that have not ended are stopped, without an answer. It fails with [ErrUnknown] where
// nothing is known.
func (f *forgetter) forget(ctx context.Context, threadID string) (requests int, err error) {
	if storage.CheckGroup(record.ThreadGroup(threadID)) != nil {
		return 0, fmt.Errorf("thread %s: %w", threadID, record.ErrUnknown)
	}
	entries, err := f.store.Readable(ctx, record.ThreadLog(threadID))
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
		if err := f.stopForgotten(ctx, p.Request); err != nil {
			return requests, err
		}
		if i == 0 {
			continue
		}
		if err := f.forgetRequest(ctx, p.Request); err != nil {
			return requests, err
		}
		requests++
	}
	if err := f.blobs.DeleteAll(ctx, record.ThreadFolder(threadID)); err != nil {
		return requests, fmt.Errorf("delete the thread's media: %w", err)
	}
	if len(t.Line) > 0 {
		first := t.Line[0].Request
		if err := f.forgetWritten(ctx, first); err != nil {
			return requests, err
		}
		if err := f.forgetRequest(ctx, first); err != nil {
			return requests, err
		}
		requests++
	}
	if err := f.state.DeleteAll(ctx, record.ThreadGroup(threadID)); err != nil {
		return requests, fmt.Errorf("delete the thread: %w", err)
	}
	f.store.Logs.Drop(record.ThreadLog(threadID))
	if err := record.Purge(ctx, f.state); err != nil {
		return requests, err
	}
	f.log.InfoContext(ctx, "thread forgotten", "thread", threadID, "requests", requests)
	return requests, nil
}

// forgetWritten deletes what an adapter keeps of the thread of a request.
func (f *forgetter) forgetWritten(ctx context.Context, request string) error {
	entries, err := f.store.Readable(ctx, record.RequestLog(request))
	if err != nil || len(entries) == 0 {
		return err
	}
	asked := record.FoldUnrouted(request, entries).Asked
	if asked == nil {
		return nil
	}
	k, ok := f.adapters[asked.Event.Thread.Adapter].(adapters.Keeper)
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
func (f *forgetter) stopForgotten(ctx context.Context, id string) error {
	r, err := f.store.Request(ctx, id)
	if err != nil { // who cannot read it does not work on it either
		return nil //nolint:nilerr // nothing is to be stopped
	}
	for _, run := range r.Runs {
		if run.Over {
			continue
		}
		if err := f.limits.release(ctx, r, run); err != nil {
			return err
		}
	}
	return ignoreOver(f.stopper.cancel(ctx, id, record.Halted{Why: record.HaltDeleted}))
}

func (f *forgetter) forgetRequest(ctx context.Context, id string) error {
	entries, err := f.store.Readable(ctx, record.RequestLog(id))
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
		if err := f.tasks.Remove(queue.DeadlineOf(id, run.N)); err != nil {
			return err
		}
	}
	for _, ref := range refs {
		for _, key := range ref.Keys() {
			if err := f.state.DeleteAll(ctx, record.MessageGroup(key)); err != nil {
				return fmt.Errorf("delete a message's note: %w", err)
			}
		}
	}
	if err := f.state.DeleteAll(ctx, record.RequestGroup(id)); err != nil {
		return fmt.Errorf("delete a request: %w", err)
	}
	f.store.Logs.Drop(record.RequestLog(id))
	return nil
}
