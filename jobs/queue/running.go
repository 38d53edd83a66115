package queue

import (
	"context"
	"errors"
	"sync"
)

// errEnding cancels the tasks of a process that shuts down.
var errEnding = errors.New("this process is shutting down")

// Running tracks the tasks that run in this process. It is safe for concurrent use.
type Running struct {
	mu    sync.Mutex
	tasks map[*RunningTask]struct{}
	ended bool // new tasks are cancelled at once
	all   sync.WaitGroup
}

// RunningTask is a task running in this process.
type RunningTask struct {
	Task

	stop context.CancelCauseFunc
}

// Stop cancels the context of the task.
func (t *RunningTask) Stop(why error) { t.stop(why) }

// NewRunning returns an empty Running.
func NewRunning() *Running { return &Running{tasks: map[*RunningTask]struct{}{}} }

// Begin adds a task until the returned function is called, with a context that can be cancelled.
func (r *Running) Begin(ctx context.Context, t Task) (context.Context, func()) {
	ctx, stop := context.WithCancelCause(ctx)
	running := &RunningTask{t, stop}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.tasks[running] = struct{}{}
	r.all.Add(1)
	if r.ended {
		stop(errEnding)
	}
	return ctx, func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		delete(r.tasks, running)
		stop(nil)
		r.all.Done()
	}
}

// IDs returns the ids of the running tasks.
func (r *Running) IDs() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	ids := make([]string, 0, len(r.tasks))
	for t := range r.tasks {
		ids = append(ids, t.ID())
	}
	return ids
}

// Of returns the running tasks of a request, or of all requests for "".
func (r *Running) Of(request string) []*RunningTask {
	r.mu.Lock()
	defer r.mu.Unlock()
	var tasks []*RunningTask
	for t := range r.tasks {
		if request == "" || t.Request == request {
			tasks = append(tasks, t)
		}
	}
	return tasks
}

// End cancels the contexts of all tasks, including later ones.
func (r *Running) End() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.ended = true
	for t := range r.tasks {
		t.stop(errEnding)
	}
}

// Wait waits until no task runs or ctx ends. It returns the tasks that still run.
func (r *Running) Wait(ctx context.Context) []*RunningTask {
	none := make(chan struct{})
	go func() {
		defer close(none)
		r.all.Wait()
	}()
	select {
	case <-none:
	case <-ctx.Done():
	}
	return r.Of("")
}
