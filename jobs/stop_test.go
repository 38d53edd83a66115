package jobs_test

import (
	"context"
	"testing"
	"time"

	"atelier/agent/plan"
	"atelier/jobs"
)

func TestWhatRunsMayEndWithinTheGrace(t *testing.T) {
	t.Parallel()
	h := enter(t)
	g := h.mind.blocks("blur")
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
	if r := h.wait(next, second, 1); r.Runs[0].Status != jobs.Done || h.mind.count("blur") != 1 {
		t.Errorf("blurred %d times", h.mind.count("blur"))
	}
	workers, err := next.Workers(t.Context())
	check(t, err)
	if len(workers) > 1 { // the next one may not have said anything yet
		t.Errorf("the workers are %+v", workers)
	}
}

func TestWhatRunsLongerThanTheGraceIsDoneByTheNextProcess(t *testing.T) {
	t.Parallel()
	for _, stage := range []string{"plan", "act", "compose"} {
		t.Run(stage, func(t *testing.T) {
			t.Parallel()
			h := enter(t)
			g := newGate()
			switch stage {
			case "plan":
				h.mind.plan = func(ctx context.Context, r plan.Request) (*plan.Plan, error) { return read(r.Wish), g.pass(ctx) }
			case "act":
				h.mind.set("pic", func(ctx context.Context, _ jobs.Work) (plan.Result, error) { return plan.Result{}, g.pass(ctx) })
			case "compose":
				h.mind.respond = func(ctx context.Context, _ jobs.Account) (string, error) { return "Here it is.", g.pass(ctx) }
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
