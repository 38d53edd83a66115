package jobs

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"path"
	"slices"
	"strings"
	"time"

	"atelier/adapters"
	"atelier/agent/plan"
	"atelier/jobs/post"
	"atelier/jobs/queue"
	"atelier/jobs/record"
	"atelier/storage"
)

// sender is the stage send: it posts the answer to a run and ends the run.
type sender struct {
	store     *record.Store
	early     *early
	state     storage.State
	blobs     storage.Blobs
	limits    *limits
	tasks     *queue.Tasks
	flow      *flow
	statuses  *post.Statuses
	poster    *post.Poster
	posts     *post.Tries
	shrinker  *shrinker
	adapters  map[string]adapters.Adapter
	metrics   Metrics
	self      string
	retention time.Duration
	now       func() time.Time
	log       *slog.Logger
}

// run posts the answer to a run in its thread, and ends the run.
func (x *sender) run(ctx context.Context, w queue.Task) error {
	r, err := x.store.Request(ctx, w.Request)
	if err != nil {
		return err
	}
	run := r.Run(w.Run)
	switch {
	case run == nil || run.Answer == nil:
		return nil
	case run.Over: // a process died after that and before the next request's turn
		return x.flow.nextInThread(ctx, record.ThreadID(r.Asked.Event.Thread))
	case run.Sent != nil && run.Sent.Ref.IsZero(), run.Answer.Silent, run.Halted.Silent():
		return x.finish(ctx, r, run.N, &record.Sent{})
	}
	to, ok := x.adapters[r.Asked.Event.Thread.Adapter]
	if !ok {
		return queue.Wait(queue.RetrySoon, fmt.Errorf("send by %s: %w", r.Asked.Event.Thread.Adapter, ErrLacking))
	}
	if run.Sent == nil {
		if r, err = x.deliver(ctx, to, r, run); err != nil {
			return err
		}
		run = r.Run(w.Run)
	}
	if err := x.store.Remember(ctx, run.Sent.Ref, record.RunRef{Request: r.ID, Run: run.N}); err != nil {
		return err
	}
	if err := x.early.release(ctx, run.Sent.Ref); err != nil {
		return err
	}
	if err := x.showNumbers(ctx, to, r.ID, run); err != nil {
		return err
	}
	return x.finish(ctx, r, run.N, run.Sent)
}

// deliver posts the answer to a run and records the message.
func (x *sender) deliver(ctx context.Context, to adapters.Adapter, r *record.Request, run *record.Run) (*record.Request, error) {
	key := record.SendKey(r.ID, run.N)
	s, err := x.postOnce(ctx, to, key, r, run)
	if err != nil {
		return nil, err
	}
	r, err = x.store.Write(ctx, r.ID, record.Entry{Run: run.N, Sent: &s})
	if err == nil || errors.Is(err, record.ErrUnknown) { // or forgotten meanwhile
		x.posts.Forget(key)
	}
	return r, err
}

// postOnce posts the answer to a run, unless this process already posted it but failed to record that.
func (x *sender) postOnce(ctx context.Context, to adapters.Adapter, key string, r *record.Request, run *record.Run) (record.Sent, error) {
	t, before := x.posts.Try(key)
	if !t.Sent.Ref.IsZero() {
		return t.Sent, nil
	}
	if before || queue.Retried(ctx) > 0 {
		if err := x.ready(ctx, r.ID, run.N); err != nil {
			return record.Sent{}, err
		}
	}
	s, err := x.poster.Post(ctx, to, key, r.ID, run.Answer.Reply, t, x.shrinker.of(r, run))
	if wait := record.WaitFor(err); wait > 0 {
		return record.Sent{}, queue.Wait(wait, err)
	}
	if err != nil {
		return record.Sent{}, fmt.Errorf("send an answer: %w", err)
	}
	x.posts.Note(key, post.Tried{Sent: s})
	return s, nil
}

// ready checks that State can be written, so that no answer is posted that cannot be recorded. The first
// attempt needs no check: the answer itself was written just before.
func (x *sender) ready(ctx context.Context, id string, run int) error {
	if err := x.state.Put(ctx, fmt.Sprintf("%s/sending-%d", record.RequestGroup(id), run), []byte(x.self), x.retention); err != nil {
		return fmt.Errorf("note that an answer is sent: %w", err)
	}
	return nil
}

// showNumbers adds the numbers for picking offers to an answer. Failures do not hold up the run, but it
// waits for the platform's rate limit.
func (x *sender) showNumbers(ctx context.Context, to adapters.Adapter, id string, run *record.Run) error {
	o, ok := to.(adapters.Offerer)
	if !ok || len(run.Answer.Offers) == 0 {
		return nil
	}
	err := o.Offer(ctx, run.Sent.Ref, len(run.Answer.Offers))
	switch wait := record.WaitFor(err); {
	case wait > 0:
		return queue.Wait(wait, fmt.Errorf("add numbers to an answer: %w", err))
	case err != nil && ctx.Err() != nil:
		return fmt.Errorf("add numbers to an answer: %w", err)
	case err != nil && !adapters.Final(err):
		x.log.WarnContext(ctx, "cannot add numbers to an answer", "request", id, "error", plan.ForOperator(err))
	}
	return nil
}

// finish ends a run, records it in the thread, and begins the thread's next request.
func (x *sender) finish(ctx context.Context, r *record.Request, n int, s *record.Sent) error {
	id, run := r.ID, r.Run(n)
	if run == nil || run.Over {
		return nil
	}
	key := record.SendKey(id, n)
	if run.Sent == nil {
		if at := x.posts.At(key); !at.Ref.IsZero() {
			s = &at // posted, even if a later part failed
		}
		run.Sent = s
		if _, err := x.store.Logs.Append(ctx, record.RequestLog(id), record.Entry{Run: n, Sent: s}); err != nil {
			return err
		}
	}
	x.posts.Forget(key)
	e := r.Asked.Event
	gone := record.Left{Request: id, Run: n}
	status := record.Failed
	if a := run.Answer; a != nil {
		gone.Turn, gone.Resources, gone.Talk = a.Turn, a.Resources, a.Reply.Talk
		if status = a.Status; run.Sent.Failed() {
			status = record.Failed
		}
		if a.Question != "" && run.Sent.Problem == "" {
			gone.Question = &record.OpenQuestion{
				Request: id, Asker: e.By.ID, Text: a.Question, Guesses: a.Guesses(),
				Wish: r.WishOf(r.Generations[run.Generation]), Ref: run.Sent.Ref,
				Until: x.now().Add(questionExpiry),
			}
		}
	}
	threadID := record.ThreadID(e.Thread)
	t, err := x.store.WriteThread(ctx, threadID, record.Entry{Left: &gone})
	if err != nil {
		return err
	}
	if err := x.limits.release(ctx, r, run); err != nil {
		return err
	}
	x.dropPreviews(ctx, r, run)
	if _, err := x.store.Logs.Append(ctx, record.RequestLog(id), record.Entry{Run: n, Over: true}); err != nil {
		return err
	}
	x.flow.written(ctx, r)
	if err := x.tasks.Remove(queue.DeadlineOf(id, n)); err != nil {
		x.log.DebugContext(ctx, "cannot remove a deadline", "request", id, "error", plan.ForOperator(err))
	}
	refused := run.Halted != nil && run.Halted.Why == record.HaltRefused
	told := run.Halted != nil && run.Halted.Why == record.HaltTold
	replaced := run.Halted != nil && run.Halted.Why == record.HaltReplaced
	onMessages := shown(status)
	if refused {
		onMessages = adapters.Refused
	}
	if run.ShownOnMessage() && !replaced { // the message shows the status of the newer request
		x.statuses.Show(ctx, e.MessageRef(), onMessages)
	}
	for _, m := range run.Messages {
		x.statuses.Show(ctx, m, onMessages)
	}
	took := x.now().Sub(run.BeganAt)
	if !refused && !told { // these are not requests
		x.metrics.Ended(e.Thread.Adapter, status, took)
	}
	x.log.InfoContext(ctx, "run over", "request", id, "run", n, "status", string(status),
		"took", took.Round(time.Millisecond), "problem", run.Sent.Problem != "")
	return x.flow.beginNext(ctx, t)
}

// dropPreviews deletes the previews of steps whose processes died, unless another run may be showing its own.
func (x *sender) dropPreviews(ctx context.Context, r *record.Request, run *record.Run) {
	if run.Route == nil || slices.ContainsFunc(r.Runs, (*record.Run).Active) {
		return
	}
	if err := x.blobs.DeleteAll(ctx, previews(r)); err != nil { // they expire like other media
		x.log.DebugContext(ctx, "cannot delete the previews of a request", "request", r.ID, "error", plan.ForOperator(err))
	}
}

// shown converts a status to the one shown on the message.
func shown(s record.Status) adapters.Status {
	switch s {
	case record.Done:
		return adapters.Done
	case record.Asking:
		return adapters.Asking
	case record.Cancelled:
		return adapters.Cancelled
	default:
		return adapters.Failed
	}
}

// Fitter is an [Agent] that can make a file smaller.
type Fitter interface {
	// Fit shrinks a picture, video or sound to a limit in bytes and stores it in the folder. It returns
	// false if no tool of this process can do that.
	Fit(ctx context.Context, made plan.Resource, limit int64, folder string) (plan.Resource, bool, error)
}

// shrinker shrinks results that are too large for a platform.
type shrinker struct {
	agent Agent
	blobs storage.Blobs
	log   *slog.Logger
}

// of returns a function that shrinks the files of a run, unless the request asks for a size or format.
func (s *shrinker) of(r *record.Request, run *record.Run) func(context.Context, adapters.Attachment, int64) (adapters.Attachment, bool, error) {
	return func(ctx context.Context, f adapters.Attachment, limit int64) (adapters.Attachment, bool, error) {
		fitter, ok := s.agent.(Fitter)
		if !ok || run.Route == nil || asksForForm(run.Route) {
			return f, false, nil
		}
		made := run.Route.Made()
		i := slices.IndexFunc(made, func(m plan.Resource) bool { return m.Blob == f.Handle })
		if i < 0 {
			return f, false, nil
		}
		folder := path.Join(record.ThreadFolder(record.ThreadID(r.Asked.Event.Thread)), r.ID, fmt.Sprintf("sent-%d", run.N))
		small, ok, err := fitter.Fit(ctx, made[i], limit, folder)
		switch {
		case ctx.Err() != nil:
			return f, false, ctx.Err()
		case err != nil: // the file can be linked, or left out
			s.log.WarnContext(ctx, "cannot shrink a file", "request", r.ID, "error", plan.ForOperator(err))
			return f, false, nil
		case !ok:
			return f, false, nil
		}
		info, err := s.blobs.Stat(ctx, small.Blob)
		if errors.Is(err, storage.ErrNotFound) {
			return f, false, nil
		}
		if err != nil {
			return f, false, fmt.Errorf("stat a file: %w", err)
		}
		kind := storage.ContentOf(small.Blob)
		f.Name = strings.TrimSuffix(f.Name, path.Ext(f.Name)) + path.Ext(small.Blob)
		f.Handle, f.Size, f.Type = small.Blob, info.Size, kind.Type
		return f, true, nil
	}
}

// forms are the parameters that set a size or a format.
var forms = []string{"size", "sizes", "width", "height", "factor", "format", "limit", "rate", "quality"}

// asksForForm reports whether a route sets a size or a format, which shrinking would change.
func asksForForm(route *plan.Route) bool {
	return slices.ContainsFunc(route.Steps(), func(s plan.Step) bool {
		return slices.ContainsFunc(s.Action.Args, func(b plan.Binding) bool { return slices.Contains(forms, b.Arg) })
	})
}
