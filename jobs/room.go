package jobs

import (
	"context"
	"slices"

	"atelier/adapters"
	"atelier/agent/plan"
	"atelier/jobs/quota"
	"atelier/jobs/record"
)

// roomFor is how many bytes of a file may be fetched. What is told to be more is refused.
func (j *Jobs) roomFor(ctx context.Context, r *record.Request, f adapters.File) (int64, error) {
	room, err := j.quota.Room(ctx, countedAs(r, f), fetchedFor(r), r.Asked.Event.Thread)
	if err != nil {
		return 0, err
	}
	if room < 0 || room > j.config.MaxFile {
		room = j.config.MaxFile
	}
	if f.Size > room {
		return 0, j.tooLarge(ctx, r, f, f.Size)
	}
	return room, nil
}

// tooLarge tells why n bytes of a file, or more, are not taken.
func (j *Jobs) tooLarge(ctx context.Context, r *record.Request, f adapters.File, n int64) error {
	if n > j.config.MaxFile {
		return &plan.Fault{Sentence: plan.Say("The file %q is too large: I take at most %d MB.", record.FileName(f), j.config.MaxFile/1_000_000)}
	}
	refused, err := j.quota.TooMuch(ctx, fetchedFor(r), r.Asked.Event.Thread, n)
	if err != nil {
		return err
	}
	return j.refusedFile(ctx, r, refused)
}

// tookIn counts n bytes as taken in.
func (j *Jobs) tookIn(ctx context.Context, r *record.Request, f adapters.File, n int64) error {
	refused, err := j.quota.TakeBytes(ctx, countedAs(r, f), fetchedFor(r), r.Asked.Event.Thread, n)
	if err != nil || refused == nil {
		return err
	}
	return j.refusedFile(ctx, r, refused)
}

func (j *Jobs) refusedFile(ctx context.Context, r *record.Request, refused *quota.Refusal) error {
	in := r.Asked.Event.Thread
	j.config.Metrics.Refused(in.Adapter, string(refused.Why))
	j.log.InfoContext(ctx, "file refused", "request", r.ID, "thread", record.ThreadID(in), "adapter", in.Adapter, "why", string(refused.Why))
	return &plan.Fault{Sentence: refused.Sentence}
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
