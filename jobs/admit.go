package jobs

import (
	"context"
	"errors"
	"fmt"
	"log/slog"

	"atelier/adapters"
	"atelier/jobs/quota"
	"atelier/jobs/record"
)

// admit takes what somebody asks for by a message. Where the quota is in the way the answer
// says so, and where that was said just now, a sign does.
func (j *Jobs) admit(ctx context.Context, e adapters.Event, t *record.Thread, answers *record.OpenQuestion) error {
	id := record.RequestID(e)
	entries, err := j.store.Logs.Read(ctx, record.RequestLog(id))
	if err != nil {
		return err
	}
	var refused *quota.Refusal
	if len(entries) == 0 { // what came before has its answer, or its place at work
		if refused, err = j.refusal(ctx, id, e, e.Thread); err != nil {
			return err
		}
	}
	if refused != nil {
		tell, err := j.tells(ctx, id, e, e.Thread, refused)
		if err != nil {
			return err
		}
		if !tell {
			j.acknowledge(ctx, e, adapters.Failed)
			return nil
		}
	}
	if _, err = j.submit(ctx, e, record.Options{}, t, answers, refused); err != nil && refused == nil {
		return errors.Join(err, j.unrecorded(ctx, id, e))
	}
	return err
}

// unrecorded gives back what was taken for a request, if it could not be recorded.
func (j *Jobs) unrecorded(ctx context.Context, id string, e adapters.Event) error {
	entries, err := j.store.Logs.Read(ctx, record.RequestLog(id))
	if err != nil || len(entries) > 0 {
		return err
	}
	return j.quota.Withdraw(ctx, id, e.By, e.Thread)
}

// commanded takes a command. It is no request that counts, but there are limits to commands too.
func (j *Jobs) commanded(ctx context.Context, e adapters.Event) error {
	id := record.RequestID(e)
	t, err := j.store.Thread(ctx, record.ThreadID(e.Thread))
	if err != nil {
		return err
	}
	if !j.quota.Allowed(e.By, e.Thread) {
		return j.admit(ctx, e, t, nil)
	}
	refused, err := j.quota.Command(ctx, id, e.By, e.Thread)
	if err != nil {
		return fmt.Errorf("count a command: %w", err)
	}
	if refused != nil {
		if tell, err := j.tells(ctx, id, e, e.Thread, refused); err != nil || !tell {
			return err
		}
	}
	_, err = j.submit(ctx, e, record.Options{}, t, nil, refused)
	return err
}

// refusal is why what an event asks for in a thread is not taken, nil where it is. Then it
// counts.
func (j *Jobs) refusal(ctx context.Context, id string, e adapters.Event, in adapters.Thread) (*quota.Refusal, error) {
	if !j.quota.Allowed(e.By, in) {
		return quota.Refuse(), nil
	}
	refused, err := j.quota.Take(ctx, id, e.By, in)
	if err != nil {
		return nil, fmt.Errorf("count a request: %w", err)
	}
	return refused, nil
}

// tells is whether a refusal is to be told to the person. Whoever runs the program finds
// each in the metrics, and in the log those that are told.
func (j *Jobs) tells(ctx context.Context, id string, e adapters.Event, in adapters.Thread, refused *quota.Refusal) (bool, error) {
	tell, err := j.quota.Tell(ctx, id, e.By, in, refused.Why)
	if err != nil {
		return false, fmt.Errorf("note a refusal: %w", err)
	}
	j.config.Metrics.Refused(in.Adapter, string(refused.Why))
	level := slog.LevelDebug // a flood is none in the log
	if tell {
		level = slog.LevelInfo
	}
	j.log.Log(ctx, level, "request refused", "request", id, "thread", record.ThreadID(in), "adapter", in.Adapter, "why", string(refused.Why), "told", tell)
	return tell, nil
}

// beginAside begins what waits for no turn.
func (j *Jobs) beginAside(ctx context.Context, id string) error {
	r, err := j.store.Request(ctx, id)
	if err != nil {
		return err
	}
	return j.advance(ctx, r)
}

// holdQuota tells that a run is recorded, and so at work until leaveQuota.
func (j *Jobs) holdQuota(ctx context.Context, r *record.Request, run *record.Run) error {
	id := countedRun(r, run)
	if id == "" {
		return nil
	}
	return j.quota.Hold(ctx, id, adapters.Person{ID: run.By}, r.Asked.Event.Thread)
}

// leaveQuota tells that a run is not at work any more.
func (j *Jobs) leaveQuota(ctx context.Context, r *record.Request, run *record.Run) error {
	id := countedRun(r, run)
	if id == "" {
		return nil
	}
	return j.quota.Done(ctx, id, adapters.Person{ID: run.By}, r.Asked.Event.Thread)
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
