package jobs

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"atelier/agent/plan"
	"atelier/jobs/record"
	"atelier/storage"
)

// Worker is what a process tells of itself. It is kept in State as long as the process
// lives, and is gone some seconds after that.
type Worker struct {
	ID      string    `json:"id"`
	Host    string    `json:"host,omitempty"`
	Process int       `json:"process"`
	Since   time.Time `json:"since"`
	// Queues are those that it works on.
	Queues []string `json:"queues,omitempty"`
	// Tools are those that it can run, each with its candidates.
	Tools map[string][]plan.Candidate `json:"able,omitempty"` // "tools" were the names alone, as processes before told them
	// Tasks are the ids of those that run.
	Tasks []string `json:"tasks,omitempty"`
}

// Workers are the processes that live, by id.
func (j *Jobs) Workers(ctx context.Context) ([]Worker, error) {
	keys, err := j.config.State.Keys(ctx, record.WorkersGroup)
	if err != nil {
		return nil, fmt.Errorf("list the workers: %w", err)
	}
	var all []Worker
	for _, key := range keys {
		b, err := j.config.State.Get(ctx, key)
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
