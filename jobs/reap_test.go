package jobs_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/hibiken/asynq"

	"atelier/jobs"
)

// holds passes tasks to a foreign worker that does nothing with them.
func (h *house) holds(queue string, tasks map[string]*asynq.Task) {
	h.t.Helper()
	client := asynq.NewClientFromRedisClient(h.redis)
	for id, task := range tasks {
		_, err := client.EnqueueContext(h.t.Context(), task, asynq.TaskID(id), asynq.Queue(queue))
		check(h.t, err)
	}
	entered, release := make(chan struct{}), make(chan struct{})
	server := asynq.NewServerFromRedisClient(h.redis, asynq.Config{
		Concurrency: len(tasks), Queues: map[string]int{queue: 1}, TaskCheckInterval: 2 * time.Millisecond, LogLevel: asynq.FatalLevel,
	})
	check(h.t, server.Start(asynq.HandlerFunc(func(context.Context, *asynq.Task) error {
		entered <- struct{}{}
		<-release
		return nil
	})))
	h.t.Cleanup(func() {
		close(release)
		server.Shutdown()
	})
	for range tasks {
		<-entered
	}
}

func payload(t *testing.T, fields map[string]any) []byte {
	t.Helper()
	b, err := json.Marshal(fields)
	check(t, err)
	return b
}

// TestTaskIsAbandonedOnce: asynq considers the task of a dead worker active for minutes, or forever.
func TestTaskIsAbandonedOnce(t *testing.T) {
	t.Parallel()
	h := enter(t)
	ctx := t.Context()
	j := h.start(func(c *jobs.Config) { c.Beat, c.Pools = time.Hour, c.Pools[:2] }) // nobody runs steps
	id := h.handle(j, h.says("t", "ann", "blur"))
	h.log.until(t, 1, "stage done", "stage=plan")
	r, err := j.Show(ctx, id)
	check(t, err)
	step := r.Runs[0].Steps[0].Key
	first := "act:" + id + ":0:" + step
	check(t, h.inspector().DeleteTask(jobs.QueueCPU, first))
	last := first + "~8"
	h.holds(jobs.QueueCPU, map[string]*asynq.Task{
		last: asynq.NewTask("act", payload(t, map[string]any{"v": 1, "request": id, "step": step, "attempt": 8})),
	})
	orphans := map[string]time.Time{}
	check(t, j.ReapOnce(ctx, orphans))
	if orphans[last].IsZero() { // others may be done but not yet marked
		t.Fatalf("the orphans are %v", orphans)
	}
	orphans[last] = time.Now().Add(-24 * time.Hour)
	for range 5 {
		check(t, j.ReapOnce(ctx, orphans))
	}
	if r := h.wait(j, id, 1); r.Runs[0].Status != jobs.Failed || !strings.Contains(h.told(r), "crashed every time") {
		t.Errorf("the run is %s: %q", r.Runs[0].Status, h.told(r))
	}
	entries, err := h.state.Read(ctx, "request-"+id+"/log", 0)
	check(t, err)
	ends := 0
	for _, e := range entries {
		if contains(e, `"ended"`) {
			ends++
		}
	}
	if ends != 1 {
		t.Errorf("it was given up %d times", ends)
	}
}

// TestOtherTasksAreUntouched: those of another program, and of a newer version.
func TestOtherTasksAreUntouched(t *testing.T) {
	t.Parallel()
	h := enter(t)
	ctx := t.Context()
	j := h.process()
	ours := payload(t, map[string]any{"v": 1, "request": "r", "step": "s"})
	h.holds("mail", map[string]*asynq.Task{"act:r:0:s": asynq.NewTask("act", ours)})
	h.holds(jobs.QueueCPU, map[string]*asynq.Task{
		"x":         asynq.NewTask("resize", []byte("not JSON")),
		"y":         asynq.NewTask("act", ours),
		"act:l:0:s": asynq.NewTask("act", payload(t, map[string]any{"v": 99, "request": "l", "step": "s"})),
		"act:r:0:s": asynq.NewTask("act", ours),
	})
	orphans := map[string]time.Time{}
	check(t, j.ReapOnce(ctx, orphans))
	if _, is := orphans["act:r:0:s"]; !is || len(orphans) != 1 {
		t.Errorf("the orphans are %v", orphans)
	}
	queues, err := j.Queues(ctx)
	check(t, err)
	if len(queues) != 1 || queues[0].Name != jobs.QueueCPU || queues[0].Active != 4 {
		t.Errorf("the queues are %+v", queues)
	}
	for what, do := range map[string]func(context.Context, string) (int, error){"retry": j.RetryFailed, "drop": j.DropFailed} {
		if _, err := do(ctx, "mail"); !errors.Is(err, jobs.ErrUnknown) {
			t.Errorf("%s: %v", what, err)
		}
	}
}
