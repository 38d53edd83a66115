// Package sleep waits for a time or for the end of a context, whichever comes first.
package sleep

import (
	"context"
	"time"
)

// For waits for d. It returns ctx's error if ctx has ended or ends before that.
func For(ctx context.Context, d time.Duration) error {
	if d <= 0 || ctx.Err() != nil {
		return ctx.Err()
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
