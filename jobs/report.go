package jobs

import (
	"context"

	"atelier/adapters"
)

func (j *Jobs) report(ctx context.Context, adapter string, reporter adapters.Reporter) {}
