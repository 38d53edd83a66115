package faults_test

import (
	"context"
	"log/slog"
	"strings"
	"testing"
	"time"

	"atelier/jobs"
	"atelier/storage/redis/redistest"
)

// limit is the timeout of waiting; no test measures it.
func limit(t *testing.T) context.Context {
	t.Helper()
	ctx, stop := context.WithTimeout(t.Context(), 4*time.Minute)
	t.Cleanup(stop)
	return ctx
}

// holdFirst blocks the first event at a point until the channel is closed.
func holdFirst(is func(happening) bool) (held func(happening) <-chan struct{}, release chan struct{}) {
	release = make(chan struct{})
	first := true
	return func(h happening) <-chan struct{} {
		if !first || !is(h) {
			return nil
		}
		first = false
		return release
	}, release
}

// at matches events at a point, and of a step if that is not "".
func at(point, step string) func(happening) bool {
	return func(h happening) bool { return h.Point == point && (step == "" || h.Step == step) }
}

// ready starts a worker, and returns when it is ready.
func (p *platform) ready(ctx context.Context, t *testing.T, w worker) *process {
	t.Helper()
	r := p.start(t, w)
	p.await(ctx, t, w.Name+" does not begin", func() bool {
		return p.count(func(h happening) bool { return h.Point == "ready" && h.Worker == w.Name }) > 0
	})
	return r
}

// submit submits a message, retrying as often as necessary.
func submit(ctx context.Context, t *testing.T, j *jobs.Jobs, id, text string) string {
	t.Helper()
	e := wish(id, text)
	for {
		err := j.Handle(ctx, e)
		if err == nil {
			return jobs.RequestID(e)
		}
		if ctx.Err() != nil {
			t.Fatalf("%s is not taken: %v", id, err)
		}
	}
}

// over waits for the end of a request, and checks that it has one answer.
func (p *platform) over(ctx context.Context, t *testing.T, j *jobs.Jobs, id string) jobs.Run {
	t.Helper()
	r, err := j.Wait(ctx, id, 1)
	if err != nil {
		p.mu.Lock()
		defer p.mu.Unlock()
		t.Fatalf("request %s: %v; what was logged last: %+v", id, err, last(p.logged, 30))
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	answers := 0
	for _, post := range p.posts {
		if post.Message == r.Thread.ID {
			answers++
		}
	}
	if answers != 1 {
		t.Errorf("request %s was answered %d times", id, answers)
	}
	return r.Runs[0]
}

// TestKilledWorker in the middle of a task: another worker repeats it, since the heartbeat of the first is missing, and
// repeats nothing else.
func TestKilledWorker(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		point, step string
		stage       string // the task that is passed to another worker
		order       string // all events, with the number of the worker
	}{
		"in a plan":                  {"plan", "", "plan", "1 plan, 2 plan, 2 begin, 2 begin made, 2 left+right, 2 join, 2 join made, 2 respond, 2 post"},
		"in an action":               {"act", "begin", "act", "1 plan, 1 begin, 2 begin, 2 begin made, 2 left+right, 2 join, 2 join made, 2 respond, 2 post"},
		"after an action":            {"made", "begin", "act", "1 plan, 1 begin, 1 begin made, 2 begin, 2 begin made, 2 left+right, 2 join, 2 join made, 2 respond, 2 post"},
		"in the last action":         {"act", "join", "act", "1 plan, 1 begin, 1 begin made, 1 left+right, 1 join, 2 join, 2 join made, 2 respond, 2 post"},
		"in wording a reply":         {"respond", "", "compose", "1 plan, 1 begin, 1 begin made, 1 left+right, 1 join, 1 join made, 1 respond, 2 respond, 2 post"},
		"in a reply that was posted": {"post", "", "send", "1 plan, 1 begin, 1 begin made, 1 left+right, 1 join, 1 join made, 1 respond, 1 post, 2 post"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ctx := limit(t)
			server := redistest.Serve(t, "--save", "", "--appendonly", "yes")
			p, folder := newPlatform(t), t.TempDir()
			held, _ := holdFirst(at(c.point, c.step))
			p.hold(held)
			w := worker{Name: "1", Redis: server.URL(), Files: folder, Beat: 200 * time.Millisecond, Level: slog.LevelDebug}
			one := p.ready(ctx, t, w)
			j := newSubmitter(t, server.URL(), folder)
			id := submit(ctx, t, j, "m", "wish")
			p.await(ctx, t, "the point is not reached", func() bool { return p.count(at(c.point, c.step)) > 0 })
			one.kill()
			w.Name = "2"
			two := p.ready(ctx, t, w)
			if run := p.over(ctx, t, j, id); run.Status != jobs.Done {
				t.Errorf("it ended as %s", run.Status)
			}
			two.end()
			if got := p.order(); got != c.order {
				t.Errorf("what happened was\n%s\nnot\n%s", got, c.order)
			}
			p.broughtBack(t, c.stage)
		})
	}
}

// order returns what has happened. The two steps that run side by side count as one, at the time when the first begins.
func (p *platform) order() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	var all []string
	side := false
	for _, h := range p.happened {
		what := h.Point
		switch {
		case h.Point == "ready":
			continue
		case h.Step == "left" || h.Step == "right":
			if side {
				continue
			}
			side, what = true, "left+right"
		case h.Point == "act":
			what = h.Step
		case h.Point == "made":
			what = h.Step + " made"
		}
		all = append(all, h.Worker+" "+what)
	}
	return strings.Join(all, ", ")
}

// broughtBack checks by the log that our own heartbeat has restarted a task of that stage, and that asynq has restarted
// none. The task before it may be restarted, too, if the queue did not learn of its end; it then finds that it is done.
func (p *platform) broughtBack(t *testing.T, stage string) {
	t.Helper()
	p.mu.Lock()
	defer p.mu.Unlock()
	handed, begun := map[string]bool{}, false
	for _, l := range p.logged {
		switch {
		case l.Task != "":
			handed[l.Stage] = true
		case l.Message == "stage began" && l.Attempt == 1 && l.Stage == stage:
			begun = true
		}
		if l.Retried > 0 {
			t.Errorf("it was retried: %+v", l)
		}
	}
	if !handed[stage] || !begun {
		t.Errorf("handed over were %v, and whether %s was begun as a second attempt is %v", handed, stage, begun)
	}
}
