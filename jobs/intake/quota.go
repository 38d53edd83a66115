package intake

import (
	"context"
	"slices"

	"atelier/adapters"
	"atelier/agent/plan"
	"atelier/jobs/quota"
	"atelier/jobs/record"
)

// roomFor is how many bytes of a file may be fetched. It fails if the announced size is larger.
func (d *Downloads) roomFor(ctx context.Context, r *record.Request, f adapters.File) (int64, error) {
	room, err := d.Quota.Room(ctx, countedAs(r, f), fetchedFor(r), r.Asked.Event.Thread)
	if err != nil {
		return 0, err
	}
	if room < 0 || room > d.MaxFile {
		room = d.MaxFile
	}
	if f.Size > room {
		return 0, d.tooLarge(ctx, r, f, f.Size)
	}
	return room, nil
}

// fetchedFor is the person whose quota a file counts against: the one who asked, or who repeats a request
// that was refused or stopped before.
func fetchedFor(r *record.Request) adapters.Person {
	by := r.Asked.Event.By
	at := slices.IndexFunc(r.Runs, (*record.Run).Active)
	if at < 0 || r.Runs[at].By == "" || r.Runs[at].By == by.ID {
		return by
	}
	return adapters.Person{ID: r.Runs[at].By}
}

// countedAs is the id under which a file of a request is counted, so that it counts once.
func countedAs(r *record.Request, f adapters.File) string {
	return record.Hash(r.ID + "/" + f.ID + "/" + f.Name)
}

// tooLarge returns why a file of n bytes or more is rejected.
func (d *Downloads) tooLarge(ctx context.Context, r *record.Request, f adapters.File, n int64) error {
	if n > d.MaxFile {
		return &plan.Fault{Sentence: plan.Say("The file %q is too large: the limit is %d MB.", record.FileName(f), d.MaxFile/1_000_000)}
	}
	refused, err := d.Quota.TooMuch(ctx, fetchedFor(r), r.Asked.Event.Thread, n)
	if err != nil {
		return err
	}
	return d.refusedFile(ctx, r, refused)
}

// tookIn counts n bytes against the quota.
func (d *Downloads) tookIn(ctx context.Context, r *record.Request, f adapters.File, n int64) error {
	refused, err := d.Quota.TakeBytes(ctx, countedAs(r, f), fetchedFor(r), r.Asked.Event.Thread, n)
	if err != nil || refused == nil {
		return err
	}
	return d.refusedFile(ctx, r, refused)
}

func (d *Downloads) refusedFile(ctx context.Context, r *record.Request, refused *quota.Refusal) error {
	in := r.Asked.Event.Thread
	d.Metrics.Refused(in.Adapter, string(refused.Why))
	d.Log.InfoContext(ctx, "file refused", "request", r.ID, "thread", record.ThreadID(in), "adapter", in.Adapter, "why", string(refused.Why))
	return &plan.Fault{Sentence: refused.Sentence}
}
