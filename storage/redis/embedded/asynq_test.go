package embedded_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hibiken/asynq"
	goredis "github.com/redis/go-redis/v9"
)

// silent is a log that nobody reads.
type silent struct{}

func (silent) Debug(...any) {}
func (silent) Info(...any)  {}
func (silent) Warn(...any)  {}
func (silent) Error(...any) {}
func (silent) Fatal(...any) {}

// work starts workers that end with the test.
func work(tb testing.TB, c goredis.UniversalClient, config asynq.Config, do asynq.HandlerFunc) {
	tb.Helper()
	config.Logger = silent{}
	s := asynq.NewServerFromRedisClient(c, config)
	if err := s.Start(do); err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(s.Shutdown)
}

// TestJobs: asynq enqueues, processes, tries again, keeps what is done and forgets it, as
// on a real server.
func TestJobs(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := run(t)
		const tasks, pause, kept = 50, time.Minute, time.Hour
		done, tried := make(chan string, tasks), map[string]int{}
		work(t, c, asynq.Config{
			Concurrency:    1, // so that the map is of one goroutine
			RetryDelayFunc: func(int, error, *asynq.Task) time.Duration { return pause },
		}, func(_ context.Context, task *asynq.Task) error {
			id := task.ResultWriter().TaskID()
			if tried[id]++; tried[id] == 1 {
				return errors.New("the first try fails")
			}
			if _, err := task.ResultWriter().Write(task.Payload()[:4]); err != nil {
				return err
			}
			done <- id
			return nil
		})
		jobs := asynq.NewClientFromRedisClient(c)
		enqueue := func(id string) error {
			payload := []byte(id + strings.Repeat(".", 32<<10))
			_, err := jobs.EnqueueContext(t.Context(), asynq.NewTask("act", payload), asynq.TaskID(id), asynq.Retention(kept), asynq.MaxRetry(3))
			return err
		}
		began := time.Now()
		for i := range tasks {
			if err := enqueue(fmt.Sprintf("id%02d", i)); err != nil {
				t.Fatal(err)
			}
		}
		for range tasks {
			<-done
		}
		if took := time.Since(began); took < pause || took > 2*pause {
			t.Errorf("the second tries came after %v", took)
		}
		synctest.Wait() // the last is written down as done
		inspector := asynq.NewInspectorFromRedisClient(c)
		info, err := inspector.GetTaskInfo("default", "id07")
		if err != nil || info.State != asynq.TaskStateCompleted || string(info.Result) != "id07" || info.Retried != 1 {
			t.Errorf("a task is %+v, %v", info, err)
		}
		if err := enqueue("id07"); !errors.Is(err, asynq.ErrTaskIDConflict) {
			t.Errorf("the same again: %v", err)
		}
		<-time.After(kept + time.Minute) // by the bubble's clock
		if queue, err := inspector.GetQueueInfo("default"); err != nil || queue.Size != 0 || queue.Completed != 0 {
			t.Errorf("after the retention %+v is left, %v", queue, err)
		}
		if err := enqueue("id07"); err != nil {
			t.Errorf("the same after the retention: %v", err)
		}
		servers, err := inspector.Servers() // whose record has an expiry that is renewed
		if err != nil || len(servers) != 1 {
			t.Errorf("there are %d servers, %v", len(servers), err)
		}
	})
}
