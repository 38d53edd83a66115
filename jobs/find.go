package jobs

import (
	"context"
	"fmt"

	"atelier/adapters"
	"atelier/jobs/record"
)

// Find tells to which request, and which of its runs, a message of the bot's belongs, or a
// person's that is a request. It fails with [ErrUnknown] where that is nothing known.
func (j *Jobs) Find(ctx context.Context, message adapters.MessageRef) (id string, run int, err error) {
	of, ok, err := j.store.Recall(ctx, message)
	if err == nil && !ok {
		err = fmt.Errorf("find a message: %w", record.ErrUnknown)
	}
	return of.Request, of.Run, err
}
