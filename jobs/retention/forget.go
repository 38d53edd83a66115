package retention

import (
	"context"
	"fmt"
	"log/slog"

	"atelier/adapters"
	"atelier/jobs/queue"
	"atelier/jobs/record"
	"atelier/storage"
)

// Forgetter deletes threads with all their data.
type Forgetter struct {
	Store    *record.Store
	State    storage.State
	Blobs    storage.Blobs
	Tasks    *queue.Tasks
	Adapters map[string]adapters.Adapter
	// Release frees the quota that a run holds, and Stop stops the runs of a request without an answer.
	Release func(ctx context.Context, r *record.Request, run *record.Run) error
	Stop    func(ctx context.Context, request string) error
	// ShownAt returns the progress message of a run; zero if there is none.
	ShownAt func(ctx context.Context, request string, run int) (adapters.MessageRef, error)
	Log     *slog.Logger
}

// Forget deletes everything known about a thread: its requests, answers and media. Active runs are stopped
// without an answer. It fails with [record.ErrUnknown] if nothing is known.
func (f *Forgetter) Forget(ctx context.Context, threadID string) (requests int, err error) {
	if storage.CheckGroup(record.ThreadGroup(threadID)) != nil {
		return 0, fmt.Errorf("thread %s: %w", threadID, record.ErrUnknown)
	}
	entries, err := f.Store.Readable(ctx, record.ThreadLog(threadID))
	if err != nil {
		return 0, err
	}
	t := record.FoldThread(threadID, entries)
	if t.Size == 0 {
		return 0, fmt.Errorf("thread %s: %w", threadID, record.ErrUnknown)
	}
	// Delete the first request last: it tells which thread of the platform this is, so that Forget can
	// be repeated if a deletion fails.
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
	if err := f.Blobs.DeleteAll(ctx, record.ThreadFolder(threadID)); err != nil {
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
	if err := f.State.DeleteAll(ctx, record.ThreadGroup(threadID)); err != nil {
		return requests, fmt.Errorf("delete the thread: %w", err)
	}
	f.Store.Logs.Drop(record.ThreadLog(threadID))
	if err := record.Purge(ctx, f.State); err != nil {
		return requests, err
	}
	f.Log.InfoContext(ctx, "thread forgotten", "thread", threadID, "requests", requests)
	return requests, nil
}

// forgetWritten deletes what an adapter stores about the thread of a request.
func (f *Forgetter) forgetWritten(ctx context.Context, request string) error {
	entries, err := f.Store.Readable(ctx, record.RequestLog(request))
	if err != nil || len(entries) == 0 {
		return err
	}
	asked := record.FoldUnrouted(request, entries).Asked
	if asked == nil {
		return nil
	}
	k, ok := f.Adapters[asked.Event.Thread.Adapter].(adapters.Keeper)
	if !ok {
		return nil
	}
	if err := k.Forget(ctx, asked.Event.Thread); err != nil {
		return fmt.Errorf("delete the adapter's messages of the thread: %w", err)
	}
	return nil
}

// stopForgotten stops the active runs of a request and frees their quota, which cannot be found later.
func (f *Forgetter) stopForgotten(ctx context.Context, id string) error {
	r, err := f.Store.Request(ctx, id)
	if err != nil { // a request that cannot be read cannot run either
		return nil //nolint:nilerr // nothing to stop
	}
	for _, run := range r.Runs {
		if run.Over {
			continue
		}
		if err := f.Release(ctx, r, run); err != nil {
			return err
		}
	}
	return f.Stop(ctx, id)
}

func (f *Forgetter) forgetRequest(ctx context.Context, id string) error {
	entries, err := f.Store.Readable(ctx, record.RequestLog(id))
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
		refs = append(refs, run.Messages...)
		if run.Halted != nil && !run.Halted.Message.IsZero() {
			refs = append(refs, run.Halted.Message)
		}
		at, err := f.ShownAt(ctx, id, run.N)
		if err != nil {
			return err
		}
		if !at.IsZero() {
			refs = append(refs, at)
		}
		if err := f.Tasks.Remove(queue.DeadlineOf(id, run.N)); err != nil {
			return err
		}
	}
	for _, ref := range refs {
		for _, key := range ref.Keys() {
			if err := f.State.DeleteAll(ctx, record.MessageGroup(key)); err != nil {
				return fmt.Errorf("delete a message's run: %w", err)
			}
		}
	}
	if err := f.State.DeleteAll(ctx, record.RequestGroup(id)); err != nil {
		return fmt.Errorf("delete a request: %w", err)
	}
	f.Store.Logs.Drop(record.RequestLog(id))
	return nil
}
