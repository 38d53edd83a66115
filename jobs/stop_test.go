package jobs_test

import (
	"context"
	"testing"
	"time"

	"github.com/hibiken/asynq"

	"atelier/adapters"
	"atelier/agent/plan"
	"atelier/jobs"
)

func TestRunningStepEndsWithinGrace(t *testing.T) {
	t.Parallel()
	h := enter(t)
	g := h.planner.blocks("blur")
	j := h.process()
	stop := h.run(j)
	id := h.handle(j, h.says("t", "ann", "blur"))
	<-g.entered
	stopped := make(chan struct{})
	go func() {
		defer close(stopped)
		stop()
	}()
	second := h.handle(h.process(), h.says("other", "ann", "sharpen"))
	close(g.open)
	<-stopped
	r, err := j.Show(t.Context(), id)
	check(t, err)
	if len(r.Runs[0].Made) != 1 {
		t.Errorf("what ran has made %d", len(r.Runs[0].Made))
	}
	next := h.start()
	h.wait(next, id, 1)
	if r := h.wait(next, second, 1); r.Runs[0].Status != jobs.Done || h.planner.count("blur") != 1 {
		t.Errorf("blurred %d times", h.planner.count("blur"))
	}
	workers, err := next.Workers(t.Context())
	check(t, err)
	if len(workers) > 1 { // the next one may not have published itself yet
		t.Errorf("the workers are %+v", workers)
	}
}

func TestStepBeyondGraceMovesToNextProcess(t *testing.T) {
	t.Parallel()
	for _, stage := range []string{"plan", "act", "compose"} {
		t.Run(stage, func(t *testing.T) {
			t.Parallel()
			h := enter(t)
			g := newGate()
			switch stage {
			case "plan":
				h.planner.plan = func(ctx context.Context, r plan.Request) (*plan.Plan, error) { return read(r.Wish), g.pass(ctx) }
			case "act":
				h.planner.set("pic", func(ctx context.Context, _ jobs.Work) (plan.Result, error) { return plan.Result{}, g.pass(ctx) })
			case "compose":
				h.planner.respond = func(ctx context.Context, _ jobs.Account) (string, error) { return "Here it is.", g.pass(ctx) }
			}
			j := h.process(func(c *jobs.Config) { c.Grace = time.Millisecond })
			stop := h.run(j)
			id := h.handle(j, h.says("t", "ann", "pic"))
			<-g.entered
			stop()
			<-g.left // it obeyed its context
			close(g.open)
			next := h.start()
			if r := h.wait(next, id, 1); r.Runs[0].Status != jobs.Done || len(h.chat.all()) != 1 {
				t.Errorf("the run is %s", r.Runs[0].Status)
			}
		})
	}
}

// obedient is a fake platform on which posting takes until its context ends, and then signals the test.
type obedient struct {
	*chat

	entered chan struct{}
	end     func()
}

func (o obedient) Send(ctx context.Context, key string, r adapters.Reply) (adapters.MessageRef, error) {
	select {
	case o.entered <- struct{}{}:
		<-ctx.Done()
		o.end()
		return adapters.MessageRef{}, ctx.Err()
	default:
		return o.chat.Send(ctx, key, r)
	}
}

// TestEndedTaskIsReturnedToQueue: no other process works on it before, and it costs no retry.
func TestEndedTaskIsReturnedToQueue(t *testing.T) {
	t.Parallel()
	h := enter(t)
	send := func() *asynq.TaskInfo {
		for _, list := range []func(string, ...asynq.ListOption) ([]*asynq.TaskInfo, error){
			h.inspector().ListActiveTasks, h.inspector().ListPendingTasks, h.inspector().ListRetryTasks, h.inspector().ListArchivedTasks,
		} {
			if tasks, err := list("gateway:chat"); err == nil && len(tasks) == 1 {
				return tasks[0]
			}
		}
		return &asynq.TaskInfo{}
	}
	var meanwhile asynq.TaskState
	platform := obedient{h.chat, make(chan struct{}, 1), func() { meanwhile = send().State }}
	with := func(c *jobs.Config) { c.Grace, c.Adapters = time.Millisecond, []adapters.Adapter{platform} }
	j := h.process(with)
	j.Obey(patience)
	stop := h.run(j)
	id := h.handle(j, h.says("t", "ann", "blur"))
	h.log.until(t, 1, "stage began", "stage=send")
	stop()
	if after := send(); meanwhile != asynq.TaskStateActive || after.Retried != 0 || after.State == asynq.TaskStateArchived {
		t.Errorf("while it ended it was %s, then %s, tried %d times", meanwhile, after.State, after.Retried)
	}
	if r := h.wait(h.start(with), id, 1); r.Runs[0].Status != jobs.Done || len(h.chat.all()) != 1 || h.chat.sends != 1 {
		t.Errorf("the run is %s, sent %d times", r.Runs[0].Status, h.chat.sends)
	}
}

func TestUnresponsiveStepIsNotWaitedFor(t *testing.T) {
	t.Parallel()
	h := enter(t)
	g := newGate()
	h.planner.set("blur", h.planner.until(g))
	j := h.process(func(c *jobs.Config) { c.Grace = time.Millisecond })
	j.Obey(time.Millisecond)
	stop := h.run(j)
	h.handle(j, h.says("t", "ann", "blur"))
	<-g.entered
	stop()
	h.log.until(t, 1, "a task does not end", "stage=act")
	close(g.open)
	h.log.until(t, 1, "stage ends with its process", "stage=act") // so that it does not outlive the test
}
