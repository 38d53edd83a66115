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

// beats is a state that hands over what workers tell of themselves: nothing is written
// before the test has taken it.
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

// looking is an agent that looks at its tools in a way of its own.
type looking struct {
	*planner

	look func(ctx context.Context) (map[string][]plan.Candidate, error)
}

func (l looking) Capabilities(ctx context.Context) (map[string][]plan.Candidate, error) {
	return l.look(ctx)
}

// beating starts a worker that looks at its tools so.
func (h *house) beating(look func(ctx context.Context) (map[string][]plan.Candidate, error)) <-chan jobs.Worker {
	told := make(chan jobs.Worker)
	h.start(func(c *jobs.Config) {
		c.Beat, c.State, c.Agent, c.Pools = 20*time.Millisecond, beats{h.state, told}, looking{h.planner, look}, c.Pools[2:]
	})
	return told
}

// TestABeatWaitsForNoTool that does not answer: its process would be taken for dead.
func TestABeatWaitsForNoTool(t *testing.T) {
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
			t.Errorf("it tells %+v", w)
		}
	}
}

// TestToolsThatCannotBeLookedAtAreThoseOfLastTime, and the process lives.
func TestToolsThatCannotBeLookedAtAreThoseOfLastTime(t *testing.T) {
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
	h.log.until(t, 1, "the tools of this process could not be looked at")
	for range 3 {
		if w := <-told; len(w.Tools["rare"]) != 1 {
			t.Errorf("it tells %+v", w)
		}
	}
}

// TestABeatThatIsNotHeardIsFollowedByTheNext: nobody takes the first one here, which ends
// with its time.
func TestABeatThatIsNotHeardIsFollowedByTheNext(t *testing.T) {
	t.Parallel()
	h := enter(t)
	told := h.beating(func(context.Context) (map[string][]plan.Candidate, error) { return map[string][]plan.Candidate{}, nil })
	h.log.until(t, 2, "this process could not say that it lives")
	<-told
}
