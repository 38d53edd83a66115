package queue

import (
	"context"
	"errors"
	"sync"
)

// errEnding ends a task whose process ends.
var errEnding = errors.New("this process ends")

// Running are the tasks that run in this process. It is safe for concurrent use.
type Running struct {
	mu    sync.Mutex
	tasks map[*RunningTask]struct{}
	ended bool // tasks that begin from now on end at once
	all   sync.WaitGroup
}

// RunningTask is a task that runs in this process.
type RunningTask struct {
	Task

	stop context.CancelCauseFunc
}

// Stop ends the context of the task.
func (t *RunningTask) Stop(why error) { t.stop(why) }

// NewRunning has no tasks yet.
func NewRunning() *Running { return &Running{tasks: map[*RunningTask]struct{}{}} }

// Begin notes that a task runs until the function is called. Its context can be stopped.
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

// IDs are the ids of the running tasks.
func (r *Running) IDs() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	ids := make([]string, 0, len(r.tasks))
	for t := range r.tasks {
		ids = append(ids, t.ID())
	}
	return ids
}

// Of returns the running tasks of a request, or of all requests if that is "".
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

// End ends the contexts of all tasks, and of all that begin later.
func (r *Running) End() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.ended = true
	for t := range r.tasks {
		t.stop(errEnding)
	}
}

// Wait waits until no task runs, or ctx ends. It returns the tasks that still run.
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
