package jobs

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"atelier/agent/plan"
	"atelier/jobs/queue"
	"atelier/jobs/record"
	"atelier/storage"
)

// sweeper deletes media that have expired.
type sweeper struct {
	state     storage.State
	blobs     storage.Blobs
	self      string
	retention time.Duration
	log       *slog.Logger
}

// run deletes media whose time has come, once an hour by one of all processes.
func (s *sweeper) run(ctx context.Context) {
	for ctx.Err() == nil {
		if err := s.once(ctx); err != nil && ctx.Err() == nil {
			s.log.WarnContext(ctx, "old media could not be deleted", "error", plan.ForOperator(err))
		}
		queue.Pause(ctx, 10*time.Minute)
	}
}

func (s *sweeper) once(ctx context.Context) error {
	mine, err := s.state.PutOnce(ctx, record.WorkersGroup+"-sweep/turn", []byte(s.self), time.Hour)
	if err != nil || !mine {
		return err
	}
	n, err := s.expire(ctx)
	if n > 0 {
		s.log.InfoContext(ctx, "old media deleted", "files", n)
	}
	if err != nil {
		return errors.Join(err, s.state.Delete(ctx, record.WorkersGroup+"-sweep/turn"))
	}
	return nil
}

// clockBlob is stored to learn what time it is for the storage.
const clockBlob = "clock"

// expire deletes the media whose time has come by the storage's own clock: that of this
// process may be wrong.
func (s *sweeper) expire(ctx context.Context) (files int, err error) {
	if err := s.blobs.Put(ctx, clockBlob, strings.NewReader(s.self)); err != nil {
		return 0, fmt.Errorf("ask the storage for its time: %w", err)
	}
	now, err := s.blobs.Stat(ctx, clockBlob)
	if err != nil {
		return 0, fmt.Errorf("ask the storage for its time: %w", err)
	}
	return s.blobs.Expire(ctx, now.Stored.Add(-s.retention))
}
