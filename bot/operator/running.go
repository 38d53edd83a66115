package operator

import (
	"context"
	"fmt"
	"time"

	"atelier/jobs"
)

// Running is the process that has the data folder, as its socket tells.
type Running struct {
	Workers []jobs.Worker
	Err     error // why it does not answer
}

// runningPatience is how long a process has to tell who works on its queues.
const runningPatience = 5 * time.Second

// FindRunning asks the process that has a data folder.
func FindRunning(ctx context.Context, data string) Running {
	ctx, done := context.WithTimeout(ctx, runningPatience)
	defer done()
	workers, err := NewFar(data).Workers(ctx)
	return Running{workers, err}
}

// Is reports whether there is one.
func (r Running) Is() bool { return r.Err == nil }

// Who names it.
func (r Running) Who() string {
	if len(r.Workers) == 0 {
		return "a running Atelier"
	}
	return fmt.Sprintf("the running Atelier, process %d", r.Workers[0].Process)
}
