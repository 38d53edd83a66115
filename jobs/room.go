package jobs

import (
	"context"
	"slices"

	"atelier/adapters"
	"atelier/agent/plan"
	"atelier/jobs/quota"
)

// roomFor is how many bytes of a file may be fetched. What is told to be more is refused.
func (j *Jobs) roomFor(ctx context.Context, r *request, f adapters.File) (int64, error) {
	room, err := j.quota.Room(ctx, countedAs(r, f), fetchedFor(r), r.asked.Event.Thread)
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
func (j *Jobs) tooLarge(ctx context.Context, r *request, f adapters.File, n int64) error {
	if n > j.config.MaxFile {
		return &plan.Fault{Sentence: plan.Say("The file %q is too large: I take at most %d MB.", fileName(f), j.config.MaxFile/1_000_000)}
	}
	refused, err := j.quota.TooMuch(ctx, fetchedFor(r), r.asked.Event.Thread, n)
	if err != nil {
		return err
	}
	return j.refusedFile(ctx, r, refused)
}

// tookIn counts n bytes as taken in.
func (j *Jobs) tookIn(ctx context.Context, r *request, f adapters.File, n int64) error {
	refused, err := j.quota.TakeBytes(ctx, countedAs(r, f), fetchedFor(r), r.asked.Event.Thread, n)
	if err != nil || refused == nil {
		return err
	}
	return j.refusedFile(ctx, r, refused)
}

func (j *Jobs) refusedFile(ctx context.Context, r *request, refused *quota.Refusal) error {
	in := r.asked.Event.Thread
	j.config.Metrics.Refused(in.Adapter, string(refused.Why))
	j.log.InfoContext(ctx, "file refused", "request", r.id, "thread", ThreadID(in), "adapter", in.Adapter, "why", string(refused.Why))
	return &plan.Fault{Sentence: refused.Sentence}
}

// fetchedFor is who is to be counted for what is fetched: who asked for it, or who has it
// done once more where that was refused or stopped before it was fetched.
func fetchedFor(r *request) adapters.Person {
	by := r.asked.Event.By
	at := slices.IndexFunc(r.runs, (*run).working)
	if at < 0 || r.runs[at].by == "" || r.runs[at].by == by.ID {
		return by
	}
	return adapters.Person{ID: r.runs[at].by}
}

// countedAs is the id under which a file of a request is counted, however often it is fetched.
func countedAs(r *request, f adapters.File) string { return hash(r.id + "/" + f.ID + "/" + f.Name) }
