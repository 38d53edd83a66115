package queue

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"atelier/agent/plan"
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
