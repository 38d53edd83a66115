package jobs

import (
	"context"
	"slices"
	"sync"
	"time"

	"atelier/agent/plan"
)

// known is what the other processes can do, as far as it was looked up lately.
type known struct {
	jobs *Jobs

	mu    sync.Mutex
	at    time.Time
	tools map[string][]plan.Candidate
}

// Elsewhere are the tools that other processes can run now, each with its candidates: the
// planner searches over them too. It is looked up once in a beat.
func (j *Jobs) Elsewhere(ctx context.Context) (map[string][]plan.Candidate, error) {
	k := j.known
	k.mu.Lock()
	defer k.mu.Unlock()
	if !k.at.IsZero() && time.Since(k.at) < j.config.Beat {
		return k.tools, nil
	}
	workers, err := j.Workers(ctx)
	if err != nil {
		return nil, err
	}
	tools := map[string][]plan.Candidate{}
	for _, w := range workers {
		if w.ID == j.id {
			continue
		}
		for tool, candidates := range w.Tools {
			for _, c := range candidates {
				if !slices.Contains(tools[tool], c) {
					tools[tool] = append(tools[tool], c)
				}
			}
		}
	}
	k.at, k.tools = time.Now(), tools
	return tools, nil
}

// others tells whether another process can run the tool. Where that cannot be found out,
// it may be so.
func (k *known) others(ctx context.Context, tool string) bool {
	tools, err := k.jobs.Elsewhere(ctx)
	return err != nil || len(tools[tool]) > 0
}
