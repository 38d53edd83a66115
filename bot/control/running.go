package control

import (
	"context"
	"fmt"
	"time"

	"atelier/jobs"
)

// Running describes the process that uses the data folder.
type Running struct {
	Workers []jobs.Worker
	Err     error // why it did not answer
}

// runningPatience is the timeout of asking the process.
const runningPatience = 5 * time.Second

// FindRunning asks the process that uses a data folder for its workers.
func FindRunning(ctx context.Context, data string) Running {
	ctx, done := context.WithTimeout(ctx, runningPatience)
	defer done()
	workers, err := NewRemote(data).Workers(ctx)
	return Running{workers, err}
}

// Is reports whether a process runs.
func (r Running) Is() bool { return r.Err == nil }

// Who names the process.
func (r Running) Who() string {
	if len(r.Workers) == 0 {
		return "a running Atelier"
	}
	return fmt.Sprintf("the running Atelier, process %d", r.Workers[0].Process)
}
