package queue

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"time"

	"atelier/agent/plan"
	"atelier/agent/sleep"
	"atelier/jobs/record"
	"atelier/storage"
)

// Worker is what a process publishes about itself. It expires in State some seconds after the process
// dies.
type Worker struct {
	ID      string    `json:"id"`
	Host    string    `json:"host,omitempty"`
	Process int       `json:"process"`
	Since   time.Time `json:"since"`
	// Queues are the queues that it works on.
	Queues []string `json:"queues,omitempty"`
	// Tools are the tools that it can run, each with its candidates.
	Tools map[string][]plan.Candidate `json:"able,omitempty"` // earlier processes published only names, as "tools"
	// Tasks are the ids of its running tasks.
	Tasks []string `json:"tasks,omitempty"`
}

// ToolsOf returns the tools that any of the workers can run, each with its candidates.
func ToolsOf(workers []Worker) map[string][]plan.Candidate {
	tools := map[string][]plan.Candidate{}
	for _, w := range workers {
		for tool, candidates := range w.Tools {
			for _, c := range candidates {
				if !slices.Contains(tools[tool], c) {
					tools[tool] = append(tools[tool], c)
				}
			}
		}
	}
	return tools
}

// Workers lists the live processes, which publish themselves in State every beat.
type Workers struct {
	state storage.State
	beat  time.Duration
}

// NewWorkers returns the workers published in state.
func NewWorkers(state storage.State, beat time.Duration) *Workers {
	return &Workers{state: state, beat: beat}
}

// List returns all workers, by id.
func (s *Workers) List(ctx context.Context) ([]Worker, error) {
	keys, err := s.state.Keys(ctx, record.WorkersGroup)
	if err != nil {
		return nil, fmt.Errorf("list the workers: %w", err)
	}
	var all []Worker
	for _, key := range keys {
		b, err := s.state.Get(ctx, key)
		if errors.Is(err, storage.ErrNotFound) {
			continue
		}
		var w Worker
		if err == nil {
			err = json.Unmarshal(b, &w)
		}
		if err != nil {
			return nil, fmt.Errorf("read a worker: %w", err)
		}
		all = append(all, w)
	}
	return all, nil
}

// Alive reports whether a worker is alive.
func (s *Workers) Alive(ctx context.Context, id string) (bool, error) {
	_, err := s.state.Get(ctx, record.WorkerKey(id))
	if errors.Is(err, storage.ErrNotFound) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("look up a worker: %w", err)
	}
	return true, nil
}

// Remove removes a worker that has ended.
func (s *Workers) Remove(ctx context.Context, id string) error {
	ctx, stop := context.WithTimeout(ctx, 5*time.Second)
	defer stop()
	if err := s.state.Delete(ctx, record.WorkerKey(id)); err != nil {
		return fmt.Errorf("remove this worker: %w", err)
	}
	return nil
}

// put publishes a worker.
func (s *Workers) put(ctx context.Context, w Worker) error {
	b, err := json.Marshal(w)
	if err != nil {
		return fmt.Errorf("encode a worker: %w", err)
	}
	return s.state.Put(ctx, record.WorkerKey(w.ID), b, s.expiry())
}

// expiry is how long after its last heartbeat a process is considered dead: three beats may be lost, and
// the fourth may be late by half an interval.
func (s *Workers) expiry() time.Duration { return s.beat*9/2 + time.Millisecond }

// removeAll removes all workers.
func (s *Workers) removeAll(ctx context.Context) error {
	if err := s.state.DeleteAll(ctx, record.WorkersGroup); err != nil {
		return fmt.Errorf("remove dead workers: %w", err)
	}
	return nil
}

// Heartbeat publishes every Beat that this process is alive, its tools and its running tasks.
type Heartbeat struct {
	Workers *Workers
	Running *Running
	// Tools are the tools that this process can run now. Nil if it runs none.
	Tools func(ctx context.Context) (map[string][]plan.Candidate, error)
	Beat  time.Duration
	Log   *slog.Logger
}

// Run publishes the worker until ctx ends. It waits only for State, and at most until the next beat:
// slow or failing tools do not make the process look dead.
func (h *Heartbeat) Run(ctx context.Context, me Worker) {
	found := make(chan map[string][]plan.Candidate)
	var background sync.WaitGroup
	defer background.Wait()
	if h.Tools != nil {
		background.Go(func() { h.watchTools(ctx, found) })
	}
	next := time.NewTicker(h.Beat)
	defer next.Stop()
	for ctx.Err() == nil {
		if err := h.publish(ctx, me); err != nil && ctx.Err() == nil {
			h.Log.WarnContext(ctx, "cannot publish the heartbeat of this process", "error", plan.ForOperator(err))
		}
		select {
		case <-ctx.Done():
		case me.Tools = <-found:
		case <-next.C:
		}
	}
}

// watchTools sends the tools that this process can run whenever they change. If checking them fails, the
// last known ones stay.
func (h *Heartbeat) watchTools(ctx context.Context, found chan<- map[string][]plan.Candidate) {
	var sent map[string][]plan.Candidate
	for ctx.Err() == nil {
		tools, err := h.Tools(ctx)
		switch {
		case ctx.Err() != nil:
		case err != nil:
			h.Log.WarnContext(ctx, "cannot check the tools of this process", "error", plan.ForOperator(err))
		case !maps.EqualFunc(tools, sent, slices.Equal):
			sent = tools
			select {
			case <-ctx.Done():
			case found <- tools:
			}
		}
		if sleep.For(ctx, h.Beat) != nil {
			return
		}
	}
}

func (h *Heartbeat) publish(ctx context.Context, me Worker) error {
	ctx, stop := context.WithTimeout(ctx, h.Beat)
	defer stop()
	me.Tasks = h.Running.IDs()
	return h.Workers.put(ctx, me)
}

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
