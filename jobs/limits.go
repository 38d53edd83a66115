package jobs

import (
	"context"
	"fmt"
	"log/slog"
	"slices"

	"atelier/adapters"
	"atelier/agent/plan"
	"atelier/jobs/quota"
	"atelier/jobs/record"
)

// limits hold people to their quotas and to the largest file.
type limits struct {
	*quota.Quota
	metrics Metrics
	maxFile int64
	log     *slog.Logger
}

// refusal is why an event is not taken in a thread, nil if it is taken. Then it counts.
func (l *limits) refusal(ctx context.Context, id string, e adapters.Event, in adapters.Thread) (*quota.Refusal, error) {
	if !l.Allowed(e.By, in) {
		return quota.Refuse(), nil
	}
	refused, err := l.Take(ctx, id, e.By, in)
	if err != nil {
		return nil, fmt.Errorf("count a request: %w", err)
	}
	return refused, nil
}

// tell reports whether a person is told about a refusal. The operator finds every refusal in the
// metrics, and those that are told in the log.
func (l *limits) tell(ctx context.Context, id string, e adapters.Event, in adapters.Thread, refused *quota.Refusal) (bool, error) {
	tell, err := l.Tell(ctx, id, e.By, in, refused.Why)
	if err != nil {
		return false, fmt.Errorf("note a refusal: %w", err)
	}
	l.metrics.Refused(in.Adapter, string(refused.Why))
	level := slog.LevelDebug // a flood is none in the log
	if tell {
		level = slog.LevelInfo
	}
	l.log.Log(ctx, level, "request refused", "request", id, "thread", record.ThreadID(in), "adapter", in.Adapter, "why", string(refused.Why), "told", tell)
	return tell, nil
}

// hold records that a run is at work, until release.
func (l *limits) hold(ctx context.Context, r *record.Request, run *record.Run) error {
	id := countedRun(r, run)
	if id == "" {
		return nil
	}
	return l.Hold(ctx, id, adapters.Person{ID: run.By}, r.Asked.Event.Thread)
}

// countedRun is the id under which a run is counted, "" if it is not.
func countedRun(r *record.Request, run *record.Run) string {
	switch {
	case run.N == 1:
		return r.ID
	case run.Event == "":
		return ""
	}
	return record.Hash(run.Event)
}

// release records that a run is not at work any more.
func (l *limits) release(ctx context.Context, r *record.Request, run *record.Run) error {
	id := countedRun(r, run)
	if id == "" {
		return nil
	}
	return l.Done(ctx, id, adapters.Person{ID: run.By}, r.Asked.Event.Thread)
}

// roomFor is how many bytes of a file may be fetched. A larger announced size is refused.
func (l *limits) roomFor(ctx context.Context, r *record.Request, f adapters.File) (int64, error) {
	room, err := l.Room(ctx, countedAs(r, f), fetchedFor(r), r.Asked.Event.Thread)
	if err != nil {
		return 0, err
	}
	if room < 0 || room > l.maxFile {
		room = l.maxFile
	}
	if f.Size > room {
		return 0, l.tooLarge(ctx, r, f, f.Size)
	}
	return room, nil
}

// fetchedFor is the person whose quota a file counts against: who asked for it, or who repeats the
// request if it was refused or stopped before.
func fetchedFor(r *record.Request) adapters.Person {
	by := r.Asked.Event.By
	at := slices.IndexFunc(r.Runs, (*record.Run).Working)
	if at < 0 || r.Runs[at].By == "" || r.Runs[at].By == by.ID {
		return by
	}
	return adapters.Person{ID: r.Runs[at].By}
}

// countedAs is the id under which a file of a request is counted, however often it is fetched.
func countedAs(r *record.Request, f adapters.File) string {
	return record.Hash(r.ID + "/" + f.ID + "/" + f.Name)
}

// tooLarge says why a file of n bytes or more is not taken.
func (l *limits) tooLarge(ctx context.Context, r *record.Request, f adapters.File, n int64) error {
	if n > l.maxFile {
		return &plan.Fault{Sentence: plan.Say("The file %q is too large: I take at most %d MB.", record.FileName(f), l.maxFile/1_000_000)}
	}
	refused, err := l.TooMuch(ctx, fetchedFor(r), r.Asked.Event.Thread, n)
	if err != nil {
		return err
	}
	return l.refusedFile(ctx, r, refused)
}

// tookIn counts n bytes as taken.
func (l *limits) tookIn(ctx context.Context, r *record.Request, f adapters.File, n int64) error {
	refused, err := l.TakeBytes(ctx, countedAs(r, f), fetchedFor(r), r.Asked.Event.Thread, n)
	if err != nil || refused == nil {
		return err
	}
	return l.refusedFile(ctx, r, refused)
}

func (l *limits) refusedFile(ctx context.Context, r *record.Request, refused *quota.Refusal) error {
	in := r.Asked.Event.Thread
	l.metrics.Refused(in.Adapter, string(refused.Why))
	l.log.InfoContext(ctx, "file refused", "request", r.ID, "thread", record.ThreadID(in), "adapter", in.Adapter, "why", string(refused.Why))
	return &plan.Fault{Sentence: refused.Sentence}
}
