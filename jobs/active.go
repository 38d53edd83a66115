package jobs

import (
	"context"
	"errors"
	"sync"
)

// errEnding ends a handler whose process ends.
var errEnding = errors.New("this process ends")

// active are the tasks that run in this process.
type active struct {
	mu    sync.Mutex
	tasks map[*activeTask]struct{}
	ended bool // what begins from now on ends at once
	all   sync.WaitGroup
}

type activeTask struct {
	task
	stop context.CancelCauseFunc
}

func newActive() *active { return &active{tasks: map[*activeTask]struct{}{}} }

// begin notes that a task runs until the function is called. Its context can be stopped.
func (a *active) begin(ctx context.Context, w task) (context.Context, func()) {
	ctx, stop := context.WithCancelCause(ctx)
	t := &activeTask{w, stop}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.tasks[t] = struct{}{}
	a.all.Add(1)
	if a.ended {
		stop(errEnding)
	}
	return ctx, func() {
		a.mu.Lock()
		defer a.mu.Unlock()
		delete(a.tasks, t)
		stop(nil)
		a.all.Done()
	}
}

// ids are those of the running tasks.
func (a *active) ids() []string {
	a.mu.Lock()
	defer a.mu.Unlock()
	ids := make([]string, 0, len(a.tasks))
	for t := range a.tasks {
		ids = append(ids, t.id())
	}
	return ids
}

// of are the running tasks of a request, all of them if that is "".
func (a *active) of(request string) []*activeTask {
	a.mu.Lock()
	defer a.mu.Unlock()
	var tasks []*activeTask
	for t := range a.tasks {
		if request == "" || t.Request == request {
			tasks = append(tasks, t)
		}
	}
	return tasks
}

// end ends the contexts of all tasks.
func (a *active) end() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.ended = true
	for t := range a.tasks {
		t.stop(errEnding)
	}
}

// wait waits until nothing runs, or ctx ends. It gives what runs then.
func (a *active) wait(ctx context.Context) []*activeTask {
	none := make(chan struct{})
	go func() {
		defer close(none)
		a.all.Wait()
	}()
	select {
	case <-none:
	case <-ctx.Done():
	}
	return a.of("")
}

// background is what goes on beside the tasks, for a moment: a sign on a message.
type background struct{ all sync.WaitGroup }

func (b *background) run(f func()) { b.all.Go(f) }
func (b *background) wait()        { b.all.Wait() }
