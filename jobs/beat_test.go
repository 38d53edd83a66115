package jobs_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"atelier/agent/plan"
	"atelier/jobs"
	"atelier/storage"
)

// beats is a state that passes heartbeats to the test before it writes them.
type beats struct {
	storage.State

	told chan jobs.Worker
}

func (b beats) Put(ctx context.Context, key string, value []byte, expiry time.Duration) error {
	if strings.HasPrefix(key, "workers/") {
		var w jobs.Worker
		if err := json.Unmarshal(value, &w); err != nil {
			return err
		}
		select {
		case b.told <- w:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return b.State.Put(ctx, key, value, expiry)
}

// looking is an agent with a custom check of its tools.
type looking struct {
	*planner

	look func(ctx context.Context) (map[string][]plan.Candidate, error)
}

func (l looking) Capabilities(ctx context.Context) (map[string][]plan.Candidate, error) {
	return l.look(ctx)
}

// beating starts a worker with a check of its tools.
func (h *house) beating(look func(ctx context.Context) (map[string][]plan.Candidate, error)) <-chan jobs.Worker {
	told := make(chan jobs.Worker)
	h.start(func(c *jobs.Config) {
		c.Beat, c.State, c.Agent, c.Pools = 20*time.Millisecond, beats{h.state, told}, looking{h.planner, look}, c.Pools[2:]
	})
	return told
}

// TestHeartbeatDoesNotWaitForTools: a hanging tool does not make the process look dead.
func TestHeartbeatDoesNotWaitForTools(t *testing.T) {
	t.Parallel()
	h := enter(t)
	entered := make(chan struct{}, 1)
	told := h.beating(func(ctx context.Context) (map[string][]plan.Candidate, error) {
		entered <- struct{}{}
		<-ctx.Done()
		return nil, ctx.Err()
	})
	<-entered
	for range 3 {
		if w := <-told; len(w.Queues) != 2 || len(w.Tools) != 0 {
			t.Errorf("it reports %+v", w)
		}
	}
}

// TestFailedSurveyKeepsLastTools: if the check fails, the last tools stay and the process is alive.
func TestFailedSurveyKeepsLastTools(t *testing.T) {
	t.Parallel()
	h := enter(t)
	n := 0
	told := h.beating(func(context.Context) (map[string][]plan.Candidate, error) {
		if n++; n > 1 {
			return nil, errors.New("no answer")
		}
		return map[string][]plan.Candidate{"rare": {{Name: "native:rare"}}}, nil
	})
	for w := range told {
		if len(w.Tools) > 0 {
			break
		}
	}
	h.log.until(t, 1, "cannot check the tools of this process")
	for range 3 {
		if w := <-told; len(w.Tools["rare"]) != 1 {
			t.Errorf("it reports %+v", w)
		}
	}
}

// TestHeartbeatContinuesAfterFailure: the first beat blocks here until its timeout.
func TestHeartbeatContinuesAfterFailure(t *testing.T) {
	t.Parallel()
	h := enter(t)
	told := h.beating(func(context.Context) (map[string][]plan.Candidate, error) { return map[string][]plan.Candidate{}, nil })
	h.log.until(t, 2, "cannot publish the heartbeat of this process")
	<-told
}
