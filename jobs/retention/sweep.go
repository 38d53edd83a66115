package retention

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"atelier/agent/sleep"

	"atelier/agent/plan"
	"atelier/jobs/record"
	"atelier/storage"
)

// Sweeper deletes media that have expired.
type Sweeper struct {
	State     storage.State
	Blobs     storage.Blobs
	Self      string
	Retention time.Duration
	Log       *slog.Logger
}

// Run deletes expired media once an hour, in one of the processes, until ctx ends.
func (s *Sweeper) Run(ctx context.Context) {
	for ctx.Err() == nil {
		if err := s.Once(ctx); err != nil && ctx.Err() == nil {
			s.Log.WarnContext(ctx, "cannot delete expired media", "error", plan.ForOperator(err))
		}
		if sleep.For(ctx, 10*time.Minute) != nil {
			return
		}
	}
}

// Once deletes expired media, if it is this process's turn.
func (s *Sweeper) Once(ctx context.Context) error {
	mine, err := s.State.PutOnce(ctx, record.WorkersGroup+"-sweep/turn", []byte(s.Self), time.Hour)
	if err != nil || !mine {
		return err
	}
	n, err := s.expire(ctx)
	if n > 0 {
		s.Log.InfoContext(ctx, "expired media deleted", "files", n)
	}
	if err != nil {
		return errors.Join(err, s.State.Delete(ctx, record.WorkersGroup+"-sweep/turn"))
	}
	return nil
}

// clockBlob is written to read the storage's clock.
const clockBlob = "clock"

// expire deletes the media that have expired by the storage's clock, since that of this process may be wrong.
func (s *Sweeper) expire(ctx context.Context) (files int, err error) {
	if err := s.Blobs.Put(ctx, clockBlob, strings.NewReader(s.Self)); err != nil {
		return 0, fmt.Errorf("read the storage's clock: %w", err)
	}
	now, err := s.Blobs.Stat(ctx, clockBlob)
	if err != nil {
		return 0, fmt.Errorf("read the storage's clock: %w", err)
	}
	return s.Blobs.Expire(ctx, now.Stored.Add(-s.Retention))
}
