package jobs_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/hibiken/asynq"

	"atelier/jobs"
)

// stopBefore leaves a request waiting for a stage, without workers, and returns its id and that of the task.
func (h *house) stopBefore(kind string) (id, queue, task string) {
	h.t.Helper()
	only := func(n int) func() {
		return h.run(h.process(func(c *jobs.Config) { c.Pools = c.Pools[n : n+1] }))
	}
	g := newGate()
	if kind == "compose" {
		g = h.planner.blocks("blur")
	}
	e := h.says("t", "ann", "blur")
	id = h.handle(h.process(), e)
	done := func(stage string) { h.log.until(h.t, 1, "stage done", "request="+id, "stage="+stage) }
	run := "1"
	queue = jobs.QueuePlan
	switch kind {
	case "fetch":
		queue = "gateway:chat"
	case "plan":
		defer only(0)()
		done("fetch")
	case "act":
		defer only(0)()
		defer only(1)()
		done("plan")
		r, err := h.process().Show(h.t.Context(), id)
		check(h.t, err)
		return id, jobs.QueueCPU, "act:" + id + ":0:" + r.Runs[0].Steps[0].Key
	case "compose":
		defer only(0)()
		planners := only(1)
		defer only(2)()
		<-g.entered
		planners()
		close(g.open)
		done("act")
	case "send":
		gateway := only(0)
		defer only(1)()
		done("fetch")
		gateway()
		defer only(2)()
		done("compose")
		queue = "gateway:chat"
	}
	return id, queue, kind + ":" + id + ":" + run + ":"
}

// forge replaces the payload of a task.
func (h *house) forge(queue, id, payload string) {
	h.t.Helper()
	check(h.t, h.inspector().DeleteTask(queue, id))
	kind, _, _ := strings.Cut(id, ":")
	_, err := asynq.NewClientFromRedisClient(h.redis).EnqueueContext(h.t.Context(), asynq.NewTask(kind, []byte(payload)),
		asynq.TaskID(id), asynq.Queue(queue), asynq.Retention(time.Hour), asynq.MaxRetry(3))
	check(h.t, err)
}

func TestTaskOfEarlierVersion(t *testing.T) {
	t.Parallel()
	for _, kind := range []string{"fetch", "plan", "act", "compose", "send"} {
		for _, payload := range []string{`{"v":0,"request":["other"]}`, `{"v":0,"request":"x"}`, `{`, ``} {
			t.Run(kind+" "+payload, func(t *testing.T) {
				t.Parallel()
				h := enter(t)
				id, queue, task := h.stopBefore(kind)
				h.forge(queue, task, payload)
				j := h.start()
				r := h.wait(j, id, 1)
				want := "This request was made with another version of the bot"
				if kind == "compose" || kind == "send" { // all they need is in the log
					want = "Here it is."
				}
				if told := h.told(r); !strings.HasPrefix(told, want) || len(h.chat.all()) != 1 {
					t.Errorf("the reply is %q", told)
				}
			})
		}
	}
}

func TestTaskOfLaterVersion(t *testing.T) {
	t.Parallel()
	for _, kind := range []string{"fetch", "plan", "act", "compose", "send"} {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			h := enter(t)
			id, queue, task := h.stopBefore(kind)
			h.forge(queue, task, `{"v":99,"wish":"of a later version"}`)
			j := h.start()
			h.log.until(t, 1, "a task cannot be read", "request="+id, "stage="+kind)
			r, err := j.Show(t.Context(), id)
			check(t, err)
			if r.Over(1) || len(h.chat.all()) > 0 {
				t.Errorf("the run is %s", r.Runs[0].Status)
			}
			h.untilRetried(queue, task)
			step := task[strings.LastIndex(task, ":")+1:]
			run := map[bool]int{true: 0, false: 1}[kind == "act"]
			h.forge(queue, task, fmt.Sprintf(`{"v":1,"request":%q,"run":%d,"step":%q}`, id, run, step)) // as a process of that version would
			if r = h.wait(j, id, 1); h.told(r) != "Here it is." || len(h.chat.all()) != 1 {
				t.Errorf("the reply is %q", h.told(r))
			}
		})
	}
}

// untilRetried waits until a waiting task was enqueued again.
func (h *house) untilRetried(queue, task string) {
	h.t.Helper()
	for end := time.Now().Add(patience); time.Now().Before(end); {
		info, err := h.inspector().GetTaskInfo(queue, task)
		check(h.t, err)
		if info.State == asynq.TaskStateRetry {
			if info.Retried != 0 {
				h.t.Errorf("it counts as %d tries", info.Retried)
			}
			return
		}
	}
	h.t.Fatal("it is not put back")
}

func TestEntryOfEarlierVersion(t *testing.T) {
	t.Parallel()
	for _, entry := range []string{`{"v":0,"planned":["other"]}`, `{"v":0,"run":1,"planned":{"plan":{}}}`, `{"at":"2020-01-01T00:00:00Z"}`} {
		for _, kind := range []string{"fetch", "plan", "act", "compose"} {
			t.Run(kind+" "+entry, func(t *testing.T) {
				t.Parallel()
				h := enter(t)
				id, _, _ := h.stopBefore(kind)
				_, err := h.state.Append(t.Context(), "request-"+id+"/log", []byte(entry), time.Hour)
				check(t, err)
				j := h.start()
				r := h.wait(j, id, 1)
				if told := h.told(r); !strings.HasPrefix(told, "This request was made with another version of the bot") || r.Runs[0].Status != jobs.Failed {
					t.Errorf("the reply is %q", told)
				}
				if r = h.ask(j, h.says("t", "ann", "sharpen")); h.told(r) != "Here it is." {
					t.Error("the thread does not go on")
				}
			})
		}
	}
}

func TestEntryOfLaterVersion(t *testing.T) {
	t.Parallel()
	h := enter(t)
	id, queue, task := h.stopBefore("act")
	ctx, key := t.Context(), "request-"+id+"/log"
	before, err := h.state.Read(ctx, key, 0)
	check(t, err)
	_, err = h.state.Append(ctx, key, []byte(`{"v":99,"thought":{"of":"later"}}`), time.Hour)
	check(t, err)
	j := h.start()
	h.log.until(t, 1, "left to a newer version", "request="+id)
	h.untilRetried(queue, task)
	if len(h.chat.all()) > 0 {
		t.Error("it is answered by who cannot read it")
	}
	check(t, h.state.Delete(ctx, key)) // simulates a process of the newer version
	for _, b := range before {
		_, err = h.state.Append(ctx, key, b, time.Hour)
		check(t, err)
	}
	check(t, h.inspector().RunTask(queue, task))
	if r := h.wait(j, id, 1); h.told(r) != "Here it is." {
		t.Errorf("the reply is %q", h.told(r))
	}
}
