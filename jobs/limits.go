package jobs

import (
	"context"
	"fmt"
	"log/slog"

	"atelier/adapters"
	"atelier/jobs/quota"
	"atelier/jobs/record"
)

// limits enforces quotas.
type limits struct {
	*quota.Quota
	metrics Metrics
	log     *slog.Logger
}

// refusal returns why the quota forbids an event in a thread; nil if it is allowed and counted.
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

// tell reports whether to tell a person about a refusal. All refusals are counted in the metrics; those
// that people are told about are logged.
func (l *limits) tell(ctx context.Context, id string, e adapters.Event, in adapters.Thread, refused *quota.Refusal) (bool, error) {
	tell, err := l.Tell(ctx, id, e.By, in, refused.Why)
	if err != nil {
		return false, fmt.Errorf("note a refusal: %w", err)
	}
	l.metrics.Refused(in.Adapter, string(refused.Why))
	level := slog.LevelDebug // keeps a flood out of the log
	if tell {
		level = slog.LevelInfo
	}
	l.log.Log(ctx, level, "request refused", "request", id, "thread", record.ThreadID(in), "adapter", in.Adapter, "why", string(refused.Why), "told", tell)
	return tell, nil
}

// hold records that a run is active, until release.
func (l *limits) hold(ctx context.Context, r *record.Request, run *record.Run) error {
	id := countedRun(r, run)
	if id == "" {
		return nil
	}
	return l.Hold(ctx, id, adapters.Person{ID: run.By}, r.Asked.Event.Thread)
}

// countedRun is the id under which a run is counted; "" if it is not counted.
func countedRun(r *record.Request, run *record.Run) string {
	switch {
	case run.N == 1:
		return r.ID
	case run.Event == "":
		return ""
	}
	return record.Hash(run.Event)
}

// release records that a run is no longer active.
func (l *limits) release(ctx context.Context, r *record.Request, run *record.Run) error {
	id := countedRun(r, run)
	if id == "" {
		return nil
	}
	return l.Done(ctx, id, adapters.Person{ID: run.By}, r.Asked.Event.Thread)
}
