package jobs_test

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/hibiken/asynq"
	"github.com/redis/go-redis/v9"

	"atelier/adapters"
	"atelier/jobs"
	"atelier/storage"
)

// patrols makes a process patrol, whosever turn it is.
func (h *house) patrols(j *jobs.Jobs, over map[string]int) {
	h.t.Helper()
	check(h.t, h.state.Delete(h.t.Context(), "workers-patrol/turn"))
	check(h.t, j.PatrolOnce(h.t.Context(), over))
}

// TestUnqueuedAnswerIsSent even if its task was lost.
func TestUnqueuedAnswerIsSent(t *testing.T) {
	t.Parallel()
	for name, lose := range map[string]func(h *house, queue, task string){
		"archived": func(h *house, queue, task string) { check(h.t, h.inspector().ArchiveTask(queue, task)) },
		"lost":     func(h *house, queue, task string) { check(h.t, h.inspector().DeleteTask(queue, task)) },
		"done": func(h *house, queue, task string) {
			h.forge(queue, task, `{"v":1,"request":"unknown","run":1}`)
			h.run(h.process(func(c *jobs.Config) { c.Pools = c.Pools[:1] }))
			h.log.until(h.t, 1, "stage done", "request=unknown")
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := enter(t)
			id, queue, task := h.stopBefore("send")
			lose(h, queue, task)
			j := h.start()
			h.timeIsUp(id)
			if r := h.wait(j, id, 1); r.Runs[0].Status != jobs.Done || len(h.chat.all()) != 1 {
				t.Errorf("the run is %s", r.Runs[0].Status)
			}
		})
	}
}

// TestHalfStartedRunIsResumed: its process died before it had enqueued a task.
func TestHalfStartedRunIsResumed(t *testing.T) {
	t.Parallel()
	enterBoth(t, func(h *house) {
		j := h.start()
		r := h.ask(j, h.says("t", "ann", "blur"))
		over := map[string]int{}
		h.patrols(j, over)
		if over[r.ID] == 0 {
			h.t.Errorf("over are %v", over)
		}
		dying := h.process(func(c *jobs.Config) { c.State = &cutOff{State: h.state, left: 1} })
		if _, err := dying.Again(h.t.Context(), r.ID, "ann"); !errors.Is(err, errCut) {
			h.t.Fatalf("it says %v", err)
		}
		h.patrols(j, over)
		if r = h.wait(j, r.ID, 2); r.Runs[1].Status != jobs.Done || h.planner.count("blur") != 2 {
			h.t.Errorf("it is %s, blurred %d times", r.Runs[1].Status, h.planner.count("blur"))
		}
		if _, still := over[r.ID]; still {
			h.t.Error("it was over, for the patrol")
		}
	})
}

// TestRequestIsResumedAfterLostQueues with its whole thread.
func TestRequestIsResumedAfterLostQueues(t *testing.T) {
	t.Parallel()
	for _, kind := range []string{"fetch", "plan", "act", "compose", "send"} {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			h := enter(t)
			id, queue, task := h.stopBefore(kind)
			check(t, errors.Join(
				h.inspector().DeleteTask(queue, task), h.inspector().DeleteTask(jobs.QueuePlan, "deadline:"+id+":1:"),
				h.state.Delete(t.Context(), "request-"+id+"/time-1"),
			))
			j := h.start()
			h.patrols(j, map[string]int{})
			if r := h.wait(j, id, 1); r.Runs[0].Status != jobs.Done || len(h.chat.all()) != 1 {
				t.Errorf("the run is %s", r.Runs[0].Status)
			}
		})
	}
}

func TestArchivedDeadline(t *testing.T) {
	t.Parallel()
	h := enter(t)
	g := h.planner.blocks("blur")
	j := h.start()
	id := h.handle(j, h.says("t", "ann", "blur"))
	<-g.entered
	check(t, h.inspector().ArchiveTask(jobs.QueuePlan, "deadline:"+id+":1:"))
	h.patrols(j, map[string]int{}) // its deadline has not passed
	if info, err := h.inspector().GetTaskInfo(jobs.QueuePlan, "deadline:"+id+":1:"); err != nil || info.State != asynq.TaskStateArchived {
		t.Errorf("it comes too soon: %v", err)
	}
	check(t, h.state.Delete(t.Context(), "request-"+id+"/time-1"))
	h.patrols(j, map[string]int{})
	if r := h.wait(j, id, 1); !strings.Contains(h.told(r), "too long") {
		t.Errorf("the reply is %s", h.told(r))
	}
}

// TestEachTurnHasDeadline although the request was only half recorded.
func TestEachTurnHasDeadline(t *testing.T) {
	t.Parallel()
	h := enter(t)
	g := h.planner.blocks("blur")
	j := h.start()
	h.handle(j, h.says("t", "ann", "caption"))
	h.handle(j, h.says("t", "ann", "blur"))
	<-g.entered
	last := h.handle(j, h.says("t", "ann", "blur"))
	check(t, h.inspector().DeleteTask(jobs.QueuePlan, "deadline:"+last+":1:"))
	g.open <- struct{}{}
	<-g.left
	<-g.entered
	if _, err := h.inspector().GetTaskInfo(jobs.QueuePlan, "deadline:"+last+":1:"); err != nil {
		t.Error(err)
	}
	close(g.open)
	h.wait(j, last, 1)
}

// TestTurnStartsOnce, however many processes begin the turn.
func TestTurnStartsOnce(t *testing.T) {
	t.Parallel()
	h := enter(t)
	ctx := t.Context()
	id := h.handle(h.process(), h.says("t", "ann", "blur"))
	key := "request-" + id + "/time-1"
	check(t, h.state.Delete(ctx, key))
	h.handle(h.process(), h.says("t", "ann", "blur"))
	_, err := h.state.Get(ctx, key)
	check(t, err)
	check(t, h.state.Delete(ctx, key))
	h.handle(h.process(), h.says("t", "ann", "blur"))
	if _, err := h.state.Get(ctx, key); !errors.Is(err, storage.ErrNotFound) {
		t.Errorf("it begins anew: %v", err)
	}
}

// TestFurtherRunDoesNotWait, and neither does its deadline.
func TestFurtherRunDoesNotWait(t *testing.T) {
	t.Parallel()
	h := enter(t)
	g := h.planner.blocks("blur")
	j := h.start()
	first := h.handle(j, h.says("t", "ann", "blur"))
	<-g.entered
	second := h.handle(j, h.says("t", "ann", "sharpen", h.chat.upload("a.png", "PNG")))
	check(t, j.Cancel(t.Context(), second, "ann"))
	h.wait(j, second, 1)
	stall := newGate()
	h.chat.mu.Lock()
	h.chat.stall, h.chat.onFetch = stall, func(int, adapters.File) error { stall.entered <- struct{}{}; return nil }
	h.chat.mu.Unlock()
	n, err := j.Again(t.Context(), second, "ann")
	check(t, err)
	<-stall.entered
	check(t, h.state.Delete(t.Context(), "request-"+second+"/time-2"))
	check(t, h.inspector().RunTask(jobs.QueuePlan, "deadline:"+second+":2:"))
	if r := h.wait(j, second, n); !strings.Contains(r.Runs[1].Answer.Reply.Text, "too long") {
		t.Errorf("the reply is %s", r.Runs[1].Answer.Reply.Text)
	}
	close(g.open)
	h.wait(j, first, 1)
}

// hiccup fails once when a task of a stage is enqueued.
type hiccup struct {
	stage string
	left  *atomic.Int64
}

func (hiccup) DialHook(next redis.DialHook) redis.DialHook                               { return next }
func (hiccup) ProcessPipelineHook(n redis.ProcessPipelineHook) redis.ProcessPipelineHook { return n }

func (f hiccup) ProcessHook(next redis.ProcessHook) redis.ProcessHook {
	return func(ctx context.Context, cmd redis.Cmder) error {
		if s := cmd.String(); strings.HasPrefix(s, "eval") && strings.Contains(s, ":t:"+f.stage+":") && strings.Contains(s, ":pending") && f.left.Add(-1) >= 0 {
			cmd.SetErr(errCut)
			return errCut
		}
		return next(ctx, cmd)
	}
}

// TestRepeatedEventQueuesLostTask: a repeated event enqueues what failed before.
func TestRepeatedEventQueuesLostTask(t *testing.T) {
	t.Parallel()
	h := enter(t)
	var left atomic.Int64
	left.Store(1)
	h.redis.AddHook(hiccup{"fetch", &left})
	j := h.process()
	e := h.says("t", "ann", "blur")
	if err := j.Handle(t.Context(), e); err == nil || left.Load() != 0 {
		t.Fatalf("it says %v", err)
	}
	id := h.handle(j, e)
	h.run(j)
	if r := h.wait(j, id, 1); r.Runs[0].Status != jobs.Done {
		t.Errorf("it is %s", r.Runs[0].Status)
	}
}

// stumbles is a state that fails once to record that a request has left its line.
type stumbles struct {
	storage.State

	done atomic.Bool
}

func (s *stumbles) Append(ctx context.Context, key string, value []byte, expiry time.Duration) (int64, error) {
	if contains(value, `"left"`) && !s.done.Swap(true) {
		return 0, errCut
	}
	return s.State.Append(ctx, key, value, expiry)
}

// TestUnknownRequestBlocksNoOther: a half-forgotten request does not block the patrol.
func TestUnknownRequestBlocksNoOther(t *testing.T) {
	t.Parallel()
	h := enter(t)
	gone := h.handle(h.process(), h.says("t", "ann", "blur"))
	check(t, h.state.DeleteAll(t.Context(), "request-"+gone))
	h.state = &stumbles{State: h.state}
	j := h.start()
	e := h.says("t", "ann", "sharpen")
	if err := j.Handle(t.Context(), e); !errors.Is(err, errCut) {
		t.Fatalf("it says %v", err)
	}
	if r := h.ask(j, e); r.Runs[0].Status != jobs.Done {
		t.Errorf("it is %s", r.Runs[0].Status)
	}
}
