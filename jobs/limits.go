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

// refusal is why what an event asks for in a thread is not taken, nil where it is. Then it
// counts.
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

// tell is whether a refusal is to be told to the person. Whoever runs the program finds
// each in the metrics, and in the log those that are told.
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

// hold tells that a run is recorded, and so at work until leaveQuota.
func (l *limits) hold(ctx context.Context, r *record.Request, run *record.Run) error {
	id := countedRun(r, run)
	if id == "" {
		return nil
	}
	return l.Hold(ctx, id, adapters.Person{ID: run.By}, r.Asked.Event.Thread)
}

// countedRun is the id under which a run is counted, "" where it is not.
func countedRun(r *record.Request, run *record.Run) string {
	switch {
	case run.N == 1:
		return r.ID
	case run.Event == "":
		return ""
	}
	return record.Hash(run.Event)
}

// release tells that a run is not at work any more.
func (l *limits) release(ctx context.Context, r *record.Request, run *record.Run) error {
	id := countedRun(r, run)
	if id == "" {
		return nil
	}
	return l.Done(ctx, id, adapters.Person{ID: run.By}, r.Asked.Event.Thread)
}

// roomFor is how many bytes of a file may be fetched. What is told to be more is refused.
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

// fetchedFor is who is to be counted for what is fetched: who asked for it, or who has it
// done once more where that was refused or stopped before it was fetched.
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

// tooLarge tells why n bytes of a file, or more, are not taken.
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

// tookIn counts n bytes as taken in.
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
