package queue

import (
	"context"
	"maps"
	"slices"
	"sync"
	"time"

	"atelier/agent/plan"
)

// Others tracks the other processes: their tools, as of the last beat, and the tasks left to them.
type Others struct {
	workers  *Workers
	self     string
	patience time.Duration
	deadline time.Duration

	mu    sync.Mutex
	at    time.Time
	tools map[string][]plan.Candidate
	left  map[string]time.Time // tasks left to other processes, and since when
}

// NewOthers returns the processes other than self. A task is left to them for the duration patience, and
// forgotten after deadline.
func NewOthers(w *Workers, self string, patience, deadline time.Duration) *Others {
	return &Others{workers: w, self: self, patience: patience, deadline: deadline, left: map[string]time.Time{}}
}

// Tools returns the tools that other processes can run now, each with its candidates. The result is cached
// for a beat.
func (o *Others) Tools(ctx context.Context) (map[string][]plan.Candidate, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if !o.at.IsZero() && time.Since(o.at) < o.workers.beat {
		return o.tools, nil
	}
	workers, err := o.workers.List(ctx)
	if err != nil {
		return nil, err
	}
	o.at, o.tools = time.Now(), ToolsOf(slices.DeleteFunc(workers, func(w Worker) bool { return w.ID == o.self }))
	return o.tools, nil
}

// CanRun reports whether another process that works on the queue can run the tool. It returns true if that
// is unknown.
func (o *Others) CanRun(ctx context.Context, tool, queue string) bool {
	tools, err := o.Tools(ctx)
	return err != nil || slices.ContainsFunc(tools[tool], func(c plan.Candidate) bool { return OfDevice(c.Device) == queue })
}

// MayWait reports whether a task may still be left to another process.
func (o *Others) MayWait(t Task) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	since, before := o.left[t.ID()]
	if !before {
		maps.DeleteFunc(o.left, func(_ string, at time.Time) bool { return time.Since(at) > o.deadline }) // ended by now
		since = time.Now()
		o.left[t.ID()] = since
	}
	return time.Since(since) < o.patience
}
