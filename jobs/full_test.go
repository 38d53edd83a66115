package jobs_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"atelier/adapters"
	"atelier/agent/plan"
	"atelier/jobs"
	"atelier/storage"
)

// disc is a state that accepts only heartbeats while it is full.
type disc struct {
	storage.State

	full atomic.Bool
}

func (d *disc) Append(ctx context.Context, key string, value []byte, expiry time.Duration) (int64, error) {
	if err := d.room(key); err != nil {
		return 0, err
	}
	return d.State.Append(ctx, key, value, expiry)
}

func (d *disc) Put(ctx context.Context, key string, value []byte, expiry time.Duration) error {
	if err := d.room(key); err != nil {
		return err
	}
	return d.State.Put(ctx, key, value, expiry)
}

func (d *disc) room(key string) error {
	if d.full.Load() && !strings.HasPrefix(key, "workers") {
		return fmt.Errorf("write: %w", storage.ErrFull)
	}
	return nil
}

// TestFullDiskDelaysRequest: once there is space again, the request continues, and nothing
// expensive was done in vain.
func TestFullDiskDelaysRequest(t *testing.T) {
	t.Parallel()
	for stage, fill := range map[string]func(h *house, fill func()){
		"plan": func(h *house, fill func()) {
			h.planner.plan = func(_ context.Context, r plan.Request) (*plan.Plan, error) {
				fill()
				return read(r.Wish), nil
			}
		},
		"act": func(h *house, fill func()) {
			h.planner.set("blur", func(context.Context, jobs.Work) (plan.Result, error) {
				fill()
				return plan.Result{}, nil
			})
		},
		"compose": func(h *house, fill func()) {
			h.planner.respond = func(context.Context, jobs.Account) (string, error) {
				fill()
				return "Here it is.", nil
			}
		},
		"send": func(h *house, fill func()) {
			h.chat.onSent = func(int) error { fill(); return nil }
		},
	} {
		t.Run(stage, func(t *testing.T) {
			t.Parallel()
			h := enter(t)
			disc := &disc{State: h.state}
			h.state = disc
			var once atomic.Bool
			fill(h, func() {
				if !once.Swap(true) {
					disc.full.Store(true)
				}
			})
			j := h.start()
			id := h.handle(j, h.says("t", "ann", "blur"))
			h.log.until(t, 1, "stage failed", "request="+id, "stage="+stage, "retried=25") // more often than retries are limited to
			disc.full.Store(false)
			r := h.wait(j, id, 1)
			if r.Runs[0].Status != jobs.Done || h.told(r) != "Here it is." || len(h.chat.all()) != 1 {
				t.Errorf("the run is %s: %s", r.Runs[0].Status, h.told(r))
			}
			for _, of := range []string{"plan", "blur", "respond"} {
				if n := h.planner.count(of); n > 7 {
					t.Errorf("%s was done %d times", of, n)
				}
			}
		})
	}
}

// TestDeadlineIsRetried: it is retried while the state cannot be written.
func TestDeadlineIsRetried(t *testing.T) {
	t.Parallel()
	h := enter(t)
	disc := &disc{State: h.state}
	h.state = disc
	g := h.planner.blocks("blur")
	j := h.start()
	id := h.handle(j, h.says("t", "ann", "blur"))
	<-g.entered
	disc.full.Store(true)
	h.timeIsUp(id)
	h.log.until(t, 1, "stage failed", "stage=deadline", "retried=9")
	if info, err := h.inspector().GetTaskInfo(jobs.QueuePlan, "deadline:"+id+":1:"); err != nil || info.MaxRetry < math.MaxInt32 {
		t.Errorf("it is tried %d times: %v", info.MaxRetry, err)
	}
	disc.full.Store(false)
	if r := h.wait(j, id, 1); !strings.Contains(h.told(r), "too long") {
		t.Errorf("the reply is %s", h.told(r))
	}
}

func TestAnswerWaitsForPlatform(t *testing.T) {
	t.Parallel()
	h := enter(t)
	h.chat.onSend = func(n int, _ adapters.Reply) error {
		if n <= 40 {
			return errors.New("connection refused")
		}
		return nil
	}
	j := h.start()
	first := h.handle(j, h.says("t", "ann", "blur"))
	second := h.handle(j, h.says("t", "ann", "sharpen"))
	for _, id := range []string{first, second} {
		if r := h.wait(j, id, 1); r.Runs[0].Status != jobs.Done || r.Runs[0].Problem != "" || h.told(r) != "Here it is." {
			t.Errorf("the run is %s: %s", r.Runs[0].Status, r.Runs[0].Problem)
		}
	}
	if h.chat.sends != 42 {
		t.Errorf("sent %d times", h.chat.sends)
	}
}
